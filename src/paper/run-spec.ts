import { createHash } from 'node:crypto';
import { parse } from 'node:path';
import { methodIds, trainingConfig } from '../lyreo/method';
import type { TrainingConfig } from '../lyreo/training-config';
import type { SystemConfig } from '../system/config';
import { fileHashes, type FileHashes } from '../system/config-files';
import { serverSpecs } from '../system/gpus';
import { systemConfig } from '../system/presets';
import { type MethodName, methods } from './methods';
import { DEFAULT_SERVERS, DEFAULT_USERS, type Profile, type ProfileName } from './profiles';
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
  /** The system that is trained in; evaluation differs in `slots`, and in `appliedTo` if there is one. */
  readonly config: SystemConfig;
  /** All hyperparameters; null for a method that does not learn. */
  readonly hyperparameters: TrainingConfig | null;
  /** Seconds of one core that it takes, roughly. */
  readonly cost: number;
}

export function runSpec(profile: Profile, point: Point, seed: number): RunSpec {
  const { method, system, training, appliedTo } = point;
  const { learning, training: own, batching } = methods[method];
  const config = systemConfig(profile.preset, {
    ...profile.system,
    ...(batching === undefined ? {} : { batching }),
    ...system,
    slots: learning === undefined ? profile.evaluationSlots : profile.slots,
  });
  const hyperparameters =
    learning === undefined ? null : trainingConfig(learning, { ...own, ...profile.training, ...training });
  const name = [method, ...differences(profile, config, hyperparameters, method), ...placeOf(appliedTo)].join('-');
  return {
    ...point,
    key: `${name}-s${seed}-${resultHash(profile, point, config, hyperparameters, seed)}`,
    name,
    seed,
    profile: profile.name,
    figureIds: [],
    config,
    hyperparameters,
    cost: costOf(profile, config, hyperparameters, point),
  };
}

/** The parts of a run's name for values that are not default, such as `U20`, `H50`, `ratio-per-slot`. */
function differences(
  profile: Profile,
  config: SystemConfig,
  hyperparameters: TrainingConfig | null,
  method: MethodName,
): string[] {
  const { learning, training } = methods[method];
  const users = profile.system.users ?? DEFAULT_USERS;
  const servers = profile.system.servers ?? DEFAULT_SERVERS;
  const parts: string[] = [];
  if (config.users !== users) parts.push(`U${config.users}`);
  if (config.servers !== servers) parts.push(`S${config.servers}`);
  if (config.mix !== 'Mod') parts.push(config.mix);
  if (config.lengths !== 'paper') parts.push(config.lengths);
  if (config.lengthsFile !== undefined) parts.push(fileName(config.lengthsFile));
  if (config.predictionError !== 'none') parts.push(`error${config.predictionSigma}`);
  if (config.stateDelaySlots !== undefined) parts.push(`stale${config.stateDelaySlots}`);
  if (config.latencyWeight !== 0.5) parts.push(`nu${config.latencyWeight}`);
  if (learning === undefined || hyperparameters === null) return parts;
  const usual = trainingConfig(learning, { ...training, ...profile.training });
  const letters: Partial<Record<keyof TrainingConfig, string>> = { window: 'H', memoryWeight: 'rho' };
  const all = new Set([...Object.keys(letters), ...Object.keys(usual)]) as Set<keyof TrainingConfig>;
  for (const field of all) {
    const value = hyperparameters[field];
    if (canonicalJson(value) !== canonicalJson(usual[field]))
      parts.push(part(`${letters[field] ?? field}${typeof value === 'string' ? '-' : ''}${String(value)}`));
  }
  return parts;
}

/** Text that can stand in a file's name. */
function part(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '-');
}

/** `to-U400-S80`: where a policy is applied, for a run's name. */
function placeOf(appliedTo: Partial<SystemConfig> | undefined): string[] {
  if (appliedTo === undefined) return [];
  const { users, servers, ...others } = appliedTo;
  return [
    'to',
    ...(users === undefined ? [] : [`U${users}`]),
    ...(servers === undefined ? [] : [`S${servers}`]),
    ...Object.entries(others).map(([field, value]) => `${field}${String(value)}`.replaceAll(/[^\w.]/g, '_')),
  ];
}

/** `azure` of `samples/azure.csv`. */
function fileName(path: string): string {
  return parse(path).name.replaceAll(/[^\w.]/g, '_');
}

/** Eight hexadecimal digits of all that determines a run's result. */
function resultHash(
  profile: Profile,
  { method, appliedTo }: Point,
  config: SystemConfig,
  hyperparameters: TrainingConfig | null,
  seed: number,
): string {
  const { learning, scheduler, batching } = methods[method];
  const { episodes, evaluationSlots } = profile;
  const numbers =
    learning === undefined ? { episodes, evaluationSlots } : { episodes, evaluationSlots, updates: profile.updates };
  // The servers bring in the decode curves, which stand in data/ and not in the configuration.
  const servers = serverSpecs(config);
  const all = {
    version: RESULTS_VERSION,
    learning: learning === undefined ? undefined : methodIds(learning),
    scheduler,
    batching,
    config,
    servers,
    files: hashesOf(config),
    appliedTo,
    appliedFiles: hashesOf(appliedTo),
    hyperparameters,
    numbers,
    seed,
  };
  return createHash('sha256').update(canonicalJson(all)).digest('hex').slice(0, 8);
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
  { method, appliedTo = {} }: Point,
): number {
  const load = config.users / DEFAULT_USERS;
  const place = { ...config, ...appliedTo };
  const evaluation = (profile.episodes * profile.evaluationSlots * place.users) / DEFAULT_USERS;
  if (hyperparameters === null) return 2.5e-4 * evaluation;
  const { predictorSteps, predictorBatch, window } = hyperparameters;
  const { credit, policy } = methods[method].learning ?? {};
  const hasPredictor = ['request', 'slot', 'printed'].includes(credit?.id ?? '');
  const predictor = hasPredictor ? 1.4e-5 * predictorSteps * predictorBatch * Math.min(window, profile.slots) : 0;
  const perSlot = (2e-3 + (hasPredictor ? 3.5e-4 : 0) + (policy === 'sequential' ? 1.4e-3 : 0)) * load;
  // A pair scorer looks at every server for every request.
  const pairs = policy === 'sequential' ? (2 * place.servers) / DEFAULT_SERVERS : 1;
  return 6e-4 * evaluation * pairs + profile.updates * (predictor + perSlot * profile.slots);
}
