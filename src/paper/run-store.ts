import { existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeFileAtomic } from '../core/atomic';
import { invalid } from '../core/errors';
import { dataFile } from '../core/files';
import { makeFolder } from '../core/folder';
import type { UpdateLog } from '../lyreo/lyreo';
import type { TrainingConfig } from '../lyreo/training-config';
import type { SystemConfig } from '../system/config';
import type { ProfileName } from './profiles';
import { type RunSpec, canonicalJson } from './run-spec';
import type { Evaluation } from './measure';
import type { MethodName } from './methods';

/** The machine that made a run; no names of hosts, people or folders. */
export interface Machine {
  /** Model of the processor. */
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  /** Such as "linux x64". */
  readonly platform: string;
}

/** A training's log by column: each field of `UpdateLog`, update by update. */
export type LogColumns = Readonly<Partial<Record<keyof UpdateLog, readonly number[]>>>;

/** One run as it is stored: everything needed to draw it, to judge it and to make it again. */
export interface StoredRun {
  readonly key: string;
  readonly name: string;
  readonly profile: ProfileName;
  readonly method: MethodName;
  readonly seed: number;
  /** Fields that differ from the calibrated default. */
  readonly system: Partial<SystemConfig>;
  /** Hyperparameters that differ from the method's own. */
  readonly training: Partial<TrainingConfig>;
  /** Fields in which the evaluated system differs from the trained one, beside the slots. */
  readonly appliedTo?: Partial<SystemConfig> | undefined;
  /** All of the system that it was trained in. */
  readonly config: SystemConfig;
  /** All hyperparameters; null for a method that does not learn. Infinity stands as text. */
  readonly hyperparameters: TrainingConfig | null;
  /** Null for a method that does not learn. */
  readonly log: LogColumns | null;
  readonly evaluation: Evaluation;
  /** LYREO's policy as the router of static batching, in the runs at the default. */
  readonly underStatic: Evaluation | null;
  readonly resultsVersion: number;
  readonly version: string;
  /** The repository's commit, "-dirty" with changes in src/ or data/; null outside a checkout. */
  readonly commit: string | null;
  readonly machine: Machine;
  /** The command that makes the run again. */
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
 * The runs of one folder, one file each. A file that is no whole run counts as none and is made anew. Any number of
 * processes and hosts may work on it at once: a run appears in its place when it is whole. There are no locks: two
 * processes that make the same run write the same results one after the other, and shards keep processes apart. Folders
 * are merged by copying.
 */
export class RunStore {
  /**
   * @param warn receives warnings of damaged files; default: stderr.
   */
  constructor(
    readonly folder: string,
    private readonly warn: (message: string) => void = (message) => {
      process.stderr.write(`warning: ${message}\n`);
    },
  ) {}

  path(key: string): string {
    return join(this.folder, `${key}.json`);
  }

  /** The folder of a training's checkpoints until its run is stored. */
  partialFolder(key: string): string {
    return join(this.folder, '.partial', key);
  }

  has(key: string): boolean {
    return typeof readRun(this.path(key)) !== 'string';
  }

  save(run: StoredRun): void {
    makeFolder(this.folder);
    writeFileAtomic(this.path(run.key), `${runText(run)}\n`);
    this.discardPartial(run.key);
  }

  discardPartial(key: string): void {
    try {
      rmSync(this.partialFolder(key), { recursive: true, force: true });
    } catch {
      // A leftover does no harm: a training checks that a checkpoint is its own.
    }
  }

  /** One run; undefined when it is not stored, or damaged. */
  load(key: string): StoredRun | undefined {
    return existsSync(this.path(key)) ? this.read([key]).at(0) : undefined;
  }

  /** The keys of all run files, damaged ones included. */
  keys(): string[] {
    if (!existsSync(this.folder)) return [];
    const names = readdirSync(this.folder).filter((name) => name.endsWith('.json'));
    return names.map((name) => name.slice(0, -'.json'.length)).sort();
  }

  /** All runs, those included that the matrix no longer asks for; damaged files are skipped, with one warning. */
  loadAll(): StoredRun[] {
    return this.read(this.keys());
  }

  private read(keys: readonly string[]): StoredRun[] {
    const runs: StoredRun[] = [];
    const damaged: string[] = [];
    for (const key of keys) {
      const path = this.path(key);
      const run = readRun(path);
      if (typeof run !== 'string') runs.push(run);
      else if (!warned.has(path)) {
        warned.add(path);
        damaged.push(`${key}.json (${run})`);
      }
    }
    if (damaged.length > 0)
      this.warn(
        `${this.folder}: skipped as damaged: ${damaged.join(', ')}; lyreo experiments --profile ${basename(this.folder)} makes them anew`,
      );
    return runs;
  }

  /** Those of the runs that are stored, and those that are not. */
  sort<T extends Pick<RunSpec, 'key'>>(specs: readonly T[]): { done: T[]; missing: T[] } {
    const done = new Set(this.keys().filter((key) => this.has(key)));
    return { done: specs.filter(({ key }) => done.has(key)), missing: specs.filter(({ key }) => !done.has(key)) };
  }
}

/** The measured fields of a run. The others identify the run and are stored without rounding. */
const measured: ReadonlySet<string> = new Set<keyof StoredRun>(['log', 'evaluation', 'underStatic', 'wallSeconds']);

/** One field per line, what was measured rounded to six significant digits. */
function runText(run: StoredRun): string {
  const lines = Object.entries(run).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${canonicalJson(measured.has(name) ? rounded(value) : value)}`,
  );
  return `{\n${lines.join(',\n')}\n}`;
}

/** A value with all its numbers to six significant digits. */
export function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? Number(value.toPrecision(6)) : value;
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, x]) => [name, rounded(x)]));
}

/** A run, or what is wrong with its file. */
function readRun(path: string): StoredRun | string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return 'cannot be read';
  }
  if (text.trim() === '') return 'empty';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  if (!isRun(value)) return 'no run';
  const { underStatic } = value;
  return {
    ...value,
    evaluation: revived(value.evaluation) as Evaluation,
    underStatic: underStatic === null ? null : (revived(underStatic) as Evaluation),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether all is there that figures and judgements read, of the right kind. */
function isRun(value: unknown): value is StoredRun {
  if (!isRecord(value)) return false;
  const { evaluation, log, underStatic, seed } = value;
  return (
    ['key', 'name', 'profile', 'method'].every((name) => typeof value[name] === 'string') &&
    Number.isInteger(seed) &&
    ['system', 'training', 'config'].every((name) => isRecord(value[name])) &&
    (log === null || isRecord(log)) &&
    isEvaluation(evaluation) &&
    (underStatic === null || isEvaluation(underStatic))
  );
}

function isEvaluation(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['meanLatency', 'deviation', 'p99Latency'].every((name) => typeof revived(value[name]) === 'number') &&
    ['parts', 'perEpisode', 'stability'].every((name) => isRecord(value[name])) &&
    ['latencyQuantiles', 'deviationQuantiles'].every((name) => Array.isArray(value[name]))
  );
}

/** The numbers of an evaluation: JSON has no NaN, the latency of no request. */
function revived(value: unknown): unknown {
  if (value === null || value === 'NaN') return Number.NaN;
  if (Array.isArray(value)) return value.map(revived);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, x]) => [name, revived(x)])) : value;
}
