import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import { methodIds, trainingConfig } from '../lyreo/method';
import type { TrainingConfig } from '../lyreo/training-config';
import type { SystemConfig } from '../system/config';
import { fileHashes, type FileHashes } from '../system/config-files';
import { serverSpecs } from '../system/gpus';
import { systemConfig, tableOne } from '../system/presets';
import { methods } from './methods';
import { DEFAULT_USERS, type Profile, type ProfileName } from './profiles';
import type { FigureId, Point } from './sweeps';

/** Raised when a change of the code changes results that keys do not see: stored runs are then made anew. */
export const RESULTS_VERSION = 1;

/** One run to be made: a point with a seed. What determines its result is all in here. */
export interface RunSpec extends Point {
  /** Name and hash of all that determines the result: the run's name in the store. */
  readonly key: string;
  /** Method and what is not default, such as `lyreo-U20`: what the runs of a point have in common. */
  readonly name: string;
  readonly seed: number;
  readonly profile: ProfileName;
  /** All figures that show it. */
  readonly figureIds: readonly FigureId[];
  /** The system that is trained in; evaluation differs in `slots`. */
  readonly config: SystemConfig;
  /** All hyperparameters; null for a method that does not learn. */
  readonly hyperparameters: TrainingConfig | null;
  /** Seconds of one core that it takes, roughly. */
  readonly cost: number;
}

export function runSpec(profile: Profile, point: Point, seed: number): RunSpec {
  const { method, system, training } = point;
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
  const name = [
    method,
    ...differences({ ...config }, { ...tableOne(preset), ...profile.system }, systemFields),
    ...(hyperparameters === null ? [] : differences({ ...hyperparameters }, { ...trained({}) })),
  ].join('-');
  const decisive = {
    version: RESULTS_VERSION,
    // The kind of policy: there was another one when the first runs were stored.
    learning: learning && { policy: 'factorised', ...methodIds(learning) },
    scheduler,
    batching,
    config,
    // The servers bring in the decode curves, which stand in data/ and not in the configuration.
    servers: serverSpecs(config),
    files: hashesOf(config),
    hyperparameters,
    numbers: { episodes, evaluationSlots, updates: learning === undefined ? undefined : updates },
    seed,
  };
  const hash = createHash('sha256').update(canonicalJson(decisive)).digest('hex').slice(0, 8);
  return {
    method,
    system,
    training,
    key: `${name}-s${seed}-${hash}`,
    name,
    seed,
    profile: profile.name,
    figureIds: [],
    config,
    hyperparameters,
    cost: costOf(profile, config, hyperparameters, point),
  };
}

/** The fields of a system that stand in a run's name, in this order; of a training all do. */
const systemFields: readonly (keyof SystemConfig)[] = [
  'users',
  'servers',
  'mix',
  'lengths',
  'lengthsFile',
  'predictionError',
  'stateDelaySlots',
  'latencyWeight',
];

/** The letters of fields in a run's name; others have their own name. */
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

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a run's name for values that are not the usual ones, such as `U20`, `H50`, `ratio-per-slot`, `azure`. */
function differences(values: Fields, usual: Fields, fields: readonly string[] = fieldsOf(values)): string[] {
  const changed = fields.filter((field) => canonicalJson(values[field]) !== canonicalJson(usual[field]));
  return changed.map((field) => {
    const value =
      field === 'predictionError'
        ? values.predictionSigma
        : field === 'lengthsFile'
          ? parse(String(values[field])).name
          : values[field];
    const letter = letters[field] ?? (typeof value === 'string' ? `${field}-` : field);
    return `${letter}${String(value)}`.replaceAll(/[^\w.-]/g, '-');
  });
}

/** Those with a letter first. */
function fieldsOf(values: Fields): string[] {
  return [...new Set([...Object.keys(letters), ...Object.keys(values)])].filter((field) => field in values);
}

/** Hashes of the files that a system names, if it names any: a path does not identify a file's content. */
function hashesOf(system: Partial<SystemConfig> = {}): FileHashes | undefined {
  const hashes = fileHashes(system);
  return Object.keys(hashes).length === 0 ? undefined : hashes;
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
function costOf(
  profile: Profile,
  config: SystemConfig,
  hyperparameters: TrainingConfig | null,
  { method }: Point,
): number {
  const load = config.users / DEFAULT_USERS;
  const evaluation = (profile.episodes * profile.evaluationSlots * config.users) / DEFAULT_USERS;
  if (hyperparameters === null) return 2.5e-4 * evaluation;
  const { predictorSteps, predictorBatch, window } = hyperparameters;
  const hasPredictor = ['request', 'slot', 'printed'].includes(methods[method].learning?.credit.id ?? '');
  const predictor = hasPredictor ? 1.4e-5 * predictorSteps * predictorBatch * Math.min(window, profile.slots) : 0;
  const perSlot = (2e-3 + (hasPredictor ? 3.5e-4 : 0)) * load;
  return 6e-4 * evaluation + profile.updates * (predictor + perSlot * profile.slots);
}
