import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeFileAtomic } from '../core/atomic';
import { invalid } from '../core/errors';
import { dataFile, makeFolder } from '../core/files';
import type { UpdateLog } from '../lyreo/lyreo';
import type { Evaluation } from './evaluate';
import type { ProfileName } from './profiles';
import { type RunSpec, canonicalJson } from './run-spec';

/** A training's log by column: each field of `UpdateLog`, update by update. */
export type LogColumns = Readonly<Partial<Record<keyof UpdateLog, readonly number[]>>>;

/**
 * One run as it is stored: everything needed to draw it, to judge it and to make it again. Infinity stands as text among
 * the hyperparameters.
 */
export interface StoredRun extends Omit<RunSpec, 'figureIds' | 'cost'> {
  /** Null for a method that does not learn. */
  readonly log: LogColumns | null;
  readonly evaluation: Evaluation;
  /** LYREO's policy as the router of static batching, in the runs at the default. */
  readonly underStatic: Evaluation | null;
  readonly resultsVersion: number;
  readonly version: string;
  /** The repository's commit, "-dirty" with changes in src/ or data/; null outside a checkout. */
  readonly commit: string | null;
  /** No names of hosts, people or folders. */
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly platform: string };
  readonly command: string;
  /** Seconds it took, and the updates that an earlier, interrupted process had done. */
  readonly wallSeconds: number;
  readonly resumedAt: number;
  /** A remark on how the run was made, such as the fault that a later version mended. */
  readonly note?: string;
}

/**
 * The folder of stored runs: the package's data/runs, or LYREO_RUNS.
 *
 * @throws UserError when LYREO_RUNS is no folder.
 */
export function runsFolder(profile: ProfileName): string {
  // A variable that is set to nothing counts as not set.
  const LYREO_RUNS = process.env.LYREO_RUNS === '' ? undefined : process.env.LYREO_RUNS;
  if (LYREO_RUNS !== undefined && existsSync(LYREO_RUNS) && !statSync(LYREO_RUNS).isDirectory())
    throw invalid('LYREO_RUNS', LYREO_RUNS, 'a folder, or a path where one can be made; this is a file');
  return join(LYREO_RUNS ?? dataFile('runs'), profile);
}

/** Damaged files that were warned of already: each once in a process, however often it is read. */
const warned: Set<string> = new Set();

/**
 * The runs of one folder, one file each. Any number of processes and hosts may work on it at once: a run appears in its
 * place when it is whole. There are no locks: two processes that make the same run write the same results one after the
 * other, and shards keep processes apart. Folders are merged by copying.
 */
export class RunStore {
  constructor(readonly folder: string) {}

  path(key: string): string {
    return join(this.folder, `${key}.json`);
  }

  /** The folder of a training's checkpoints until its run is stored. */
  partialFolder(key: string): string {
    return join(this.folder, '.partial', key);
  }

  has(key: string): boolean {
    return this.load(key) !== undefined;
  }

  /** One field per line, measured numbers with six significant digits. */
  save(run: StoredRun): void {
    const lines = Object.entries(run).map(
      ([name, value]) => `  "${name}": ${canonicalJson(measured.has(name) ? rounded(value) : value)}`,
    );
    makeFolder(this.folder);
    writeFileAtomic(this.path(run.key), `{\n${lines.join(',\n')}\n}\n`);
    this.discardPartial(run.key);
  }

  discardPartial(key: string): void {
    try {
      rmSync(this.partialFolder(key), { recursive: true, force: true });
    } catch {
      // A leftover does no harm: a training checks that a checkpoint is its own.
    }
  }

  /** One run; undefined when it is not stored, or no whole run, with one warning on stderr. */
  load(key: string): StoredRun | undefined {
    const path = this.path(key);
    if (!existsSync(path)) return undefined;
    try {
      // JSON has no NaN, the latency of no request: it stands as text.
      const nan = (_: string, value: unknown): unknown => (value === 'NaN' ? Number.NaN : value);
      const run = JSON.parse(readFileSync(path, 'utf8'), nan) as Partial<StoredRun>;
      const { name, seed, evaluation } = run;
      const { meanLatency, deviation, perEpisode } = evaluation ?? {};
      const isWhole = run.key !== undefined && name !== undefined && perEpisode !== undefined;
      if (!isWhole || ![seed, meanLatency, deviation].every((x) => typeof x === 'number'))
        throw new TypeError('no run');
      return run as StoredRun;
    } catch (error) {
      const makes = `lyreo experiments --profile ${basename(this.folder)} makes it anew`;
      if (!warned.has(path))
        process.stderr.write(`warning: ${path} is skipped as damaged (${String(error)}); ${makes}\n`);
      warned.add(path);
      return undefined;
    }
  }

  /** All runs, those included that the matrix no longer asks for; damaged files are skipped. */
  loadAll(): StoredRun[] {
    if (!existsSync(this.folder)) return [];
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.json'));
    return names.sort().flatMap((name) => this.load(name.slice(0, -'.json'.length)) ?? []);
  }

  /** Those of the runs that are stored, and those that are not. */
  sort<T extends Pick<RunSpec, 'key'>>(specs: readonly T[]): { done: T[]; missing: T[] } {
    const done = new Set(specs.filter(({ key }) => this.has(key)));
    return { done: [...done], missing: specs.filter((spec) => !done.has(spec)) };
  }
}

/** The measured fields of a run. The others identify the run and are stored without rounding. */
const measured: ReadonlySet<string> = new Set<keyof StoredRun>(['log', 'evaluation', 'underStatic', 'wallSeconds']);

export function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? Number(value.toPrecision(6)) : value;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, x]) => [name, rounded(x)]));
}
