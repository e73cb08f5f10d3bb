import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import { methodIds, trainingConfig } from '../lyreo/method';
import type { TrainingConfig } from '../lyreo/training-config';
import type { SystemConfig } from '../system/config';
import { fileHashes } from '../system/config-files';
import { serverSpecs } from '../system/gpus';
import { systemConfig } from '../system/presets';
import { methods } from './methods';
import { DEFAULT_USERS, type Profile, type ProfileName } from './profiles';
import { type FigureId, type Point, figureIds, figurePoints } from './sweeps';

/** Raised when a change of the code changes results that keys do not see: stored runs are then made anew. */
export const RESULTS_VERSION = 1;

/** One run to be made: a point with a seed. All that determines its result is in here. */
export interface RunSpec extends Required<Point> {
  /** Name and hash of all that determines the result: the run's name in the store. */
  readonly key: string;
  /** Method and the fields that are not default, such as `lyreo-U20`; the runs of a point share it. */
  readonly name: string;
  readonly profile: ProfileName;
  readonly seed: number;
  /** The system that is trained in; evaluation differs in `slots`. */
  readonly config: SystemConfig;
  /** All hyperparameters; null for a method that does not learn. */
  readonly hyperparameters: TrainingConfig | null;
  readonly figureIds: readonly FigureId[];
  /** Seconds of one core that it takes, roughly. */
  readonly cost: number;
}

export function runSpec(profile: Profile, { method, system = {}, training = {} }: Point, seed = 1): RunSpec {
  const { learning, scheduler, training: own, batching } = methods[method];
  const { preset, episodes, evaluationSlots, slots, updates } = profile;
  const config = systemConfig(preset, {
    ...profile.system,
    ...(batching === undefined ? {} : { batching }),
    ...system,
    slots: learning === undefined ? evaluationSlots : slots,
  });
  const trained = (more: Partial<TrainingConfig>): TrainingConfig | null =>
    learning === undefined ? null : trainingConfig(learning, { ...own, ...profile.training, ...more });
  const hyperparameters = trained(training);
  const usual = { ...systemConfig(preset), ...profile.system, ...trained({}) };
  const name = [method, ...differences(config, hyperparameters, usual)].join('-');
  const files = fileHashes(config);
  const decisive = {
    version: RESULTS_VERSION,
    // The kind of policy: there was another one when the first runs were stored.
    learning: learning && { policy: 'factorised', ...methodIds(learning) },
    scheduler,
    batching,
    config,
    // The servers bring in the decode curves, which stand in data/ and not in the configuration.
    servers: serverSpecs(config),
    // A path does not identify a file's content.
    files: Object.keys(files).length === 0 ? undefined : files,
    hyperparameters,
    numbers: { episodes, evaluationSlots, updates: learning && updates },
    seed,
  };
  const hash = createHash('sha256').update(canonicalJson(decisive)).digest('hex').slice(0, 8);
  const key = `${name}-s${seed}-${hash}`;
  const cost = costOf(profile, config, hyperparameters, learning?.credit.id);
  const point = { method, seed, system, training };
  return { key, name, profile: profile.name, ...point, config, hyperparameters, figureIds: [], cost };
}

/** The fields of a system that stand in a run's name, with their letters, before all of a training. */
const letters: Readonly<Partial<Record<string, string>>> = {
  users: 'U',
  servers: 'S',
  mix: '',
  lengths: '',
  lengthsFile: '',
  predictionError: 'error',
  stateDelaySlots: 'stale',
  latencyWeight: 'nu',
  window: 'H',
  memoryWeight: 'rho',
};

/** The parts of a run's name for values that are not the usual ones, such as `U20`, `H50`, `ratio-per-slot`, `azure`. */
function differences(config: SystemConfig, training: TrainingConfig | null, usual: object): string[] {
  const [values, others] = [{ ...config, ...training }, usual] as Readonly<Record<string, unknown>>[];
  const fields = new Set([...Object.keys(letters), ...Object.keys(training ?? {})]);
  const changed = [...fields].filter((field) => canonicalJson(values[field]) !== canonicalJson(others[field]));
  return changed.map((field) => {
    const shown: Readonly<Record<string, unknown>> = {
      predictionError: config.predictionSigma,
      lengthsFile: parse(config.lengthsFile ?? '').name,
    };
    const value = shown[field] ?? values[field];
    const letter = letters[field] ?? (typeof value === 'string' ? `${field}-` : field);
    return `${letter}${String(value)}`.replaceAll(/[^\w.-]/g, '-');
  });
}

/** JSON with sorted keys and with the infinities that JSON lacks: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, x: unknown) => {
    if (typeof x === 'number' && !Number.isFinite(x)) return String(x);
    if (typeof x !== 'object' || x === null || Array.isArray(x)) return x;
    return Object.fromEntries(Object.entries(x).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}

/** Seconds of one core that a run takes, roughly, on a machine of 2025; for the time left only. */
function costOf(profile: Profile, { users }: SystemConfig, training: TrainingConfig | null, credit = ''): number {
  const load = users / DEFAULT_USERS;
  const evaluation = profile.episodes * profile.evaluationSlots * load;
  if (training === null) return 2.5e-4 * evaluation;
  const { predictorSteps, predictorBatch, window } = training;
  const hasPredictor = ['request', 'slot', 'printed'].includes(credit);
  const predictor = hasPredictor ? 1.4e-5 * predictorSteps * predictorBatch * Math.min(window, profile.slots) : 0;
  const perSlot = (2e-3 + (hasPredictor ? 3.5e-4 : 0)) * load;
  return 6e-4 * evaluation + profile.updates * (predictor + perSlot * profile.slots);
}

/**
 * The runs of some figures, each once. Most informative first: a seed of everything before the next seed, and within a
 * seed the figures in the paper's order.
 */
export function matrix(
  profile: Profile,
  wanted: readonly FigureId[] = figureIds,
  seeds?: readonly number[],
): RunSpec[] {
  const found = new Map<string, RunSpec>();
  for (const { figureId, seeds: own, ...point } of figurePoints(profile))
    for (const seed of seeds ?? own) {
      const spec = runSpec(profile, point, seed);
      const first = found.get(spec.key) ?? spec;
      found.set(spec.key, { ...first, figureIds: [...new Set([...first.figureIds, figureId])] });
    }
  return [...found.values()]
    .filter((spec) => spec.figureIds.some((figureId) => wanted.includes(figureId)))
    .sort((a, b) => a.seed - b.seed);
}

/** The runs of shard i of n, i from 1: every n-th, so that each shard has its share of long ones. */
export function shardOf(specs: readonly RunSpec[], index: number, count: number): RunSpec[] {
  return specs.filter((_, k) => k % count === index - 1);
}
