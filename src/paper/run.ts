import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { packageVersion } from '../core/files';
import { hashLabel } from '../core/rng';
import type { SchedulerFactory } from '../env/scheduler';
import type { Learner, UpdateLog } from '../lyreo/lyreo';
import type { TrainResult } from '../lyreo/train';
import { schedulers } from '../schedulers/index';
import type { SystemConfig } from '../system/config';
import { type Evaluation, measure } from './evaluate';
import { methods } from './methods';
import { type Profile, profiles } from './profiles';
import { RESULTS_VERSION, type RunSpec } from './run-spec';
import type { LogColumns, RunStore, StoredRun } from './run-store';
import { train } from './train';

const CHECKPOINT_EVERY = 10;

export interface ExecuteOptions {
  /** The store that keeps checkpoints until the run is done; default: none. */
  readonly store?: RunStore | undefined;
  /** Ends the run with the signal's reason; a training goes on from its checkpoint next time. */
  readonly signal?: AbortSignal | undefined;
  readonly onUpdate?: ((update: number) => void) | undefined;
}

/** The seeds of the held-out episodes: functions of seed and episode alone, so that all methods meet the same ones. */
export function heldOutSeeds(profile: Profile, seed: number): number[] {
  return Array.from({ length: profile.episodes }, (_, episode) => hashLabel(seed, `held out ${episode}`));
}

/** Makes one run: trains if the method learns, then evaluates on held-out episodes. The same run gives the same run. */
export async function executeRun(spec: RunSpec, options: ExecuteOptions = {}): Promise<StoredRun> {
  const startAt = performance.now();
  const { figureIds, cost, ...identity } = spec;
  const { learning, scheduler = 'random' } = methods[spec.method];
  const profile = profiles[spec.profile];
  const seeds = heldOutSeeds(profile, spec.seed);
  const evaluate = (contender: SchedulerFactory | Learner, changes?: Partial<SystemConfig>): Promise<Evaluation> =>
    measure({ ...spec.config, slots: profile.evaluationSlots, ...changes }, contender, seeds, options.signal);
  const trained = learning === undefined ? null : await trainedRun(spec, profile.updates, options);
  const contender = trained?.learner ?? schedulers[scheduler];
  return {
    ...identity,
    log: trained && columnsOf(trained.log),
    evaluation: await evaluate(contender),
    underStatic: spec.name === 'lyreo' ? await evaluate(contender, { batching: 'static' }) : null,
    resumedAt: trained?.resumedAt ?? 0,
    resultsVersion: RESULTS_VERSION,
    version: packageVersion(),
    commit: repositoryState(),
    machine: {
      cpu: cpus().at(0)?.model ?? 'unknown',
      cores: availableParallelism(),
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
    },
    command: `lyreo experiments --profile ${spec.profile} --only ${spec.key}`,
    wallSeconds: (performance.now() - startAt) / 1000,
  };
}

async function trainedRun(
  spec: RunSpec,
  updates: number,
  { store, signal, onUpdate }: ExecuteOptions,
): Promise<TrainResult & { readonly resumedAt: number }> {
  let resumedAt = 0;
  const trained = await train({
    config: spec.config,
    method: spec.method,
    training: spec.hyperparameters ?? {},
    seed: spec.seed,
    updates,
    folder: store?.partialFolder(spec.key),
    resume: true,
    checkpointEvery: CHECKPOINT_EVERY,
    signal,
    onResume: (before) => {
      resumedAt = before.length;
    },
    onUpdate: ({ update }) => {
      onUpdate?.(update);
    },
  });
  signal?.throwIfAborted();
  if (trained.aborted)
    throw new Error(`${spec.key}: the training ended after ${trained.log.length} of ${updates} updates`);
  return { ...trained, resumedAt };
}

function columnsOf(log: readonly UpdateLog[]): LogColumns {
  const names = Object.keys(log[0] ?? {}) as (keyof UpdateLog)[];
  return Object.fromEntries(names.map((name) => [name, log.map((update) => update[name])]));
}

let commit: string | null | undefined;

/** The commit that is checked out, with "-dirty" when src/ or data/ differ from it; null when this is no checkout. */
function repositoryState(): string | null {
  const root = join(__dirname, '..', '..');
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  if (commit !== undefined) return commit;
  try {
    const isCheckout = realpathSync(git('rev-parse', '--show-toplevel')) === realpathSync(root);
    const files = ['src', ':(glob)data/*.json', ':(glob)data/*.csv'];
    const isDirty = isCheckout && git('status', '--porcelain', '--untracked-files=no', '--', ...files) !== '';
    commit = isCheckout ? `${git('rev-parse', '--short=12', 'HEAD')}${isDirty ? '-dirty' : ''}` : null;
  } catch {
    commit = null;
  }
  return commit;
}
