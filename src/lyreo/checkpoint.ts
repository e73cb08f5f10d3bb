import { createRng } from '../core/rng';
import { UserError, show } from '../core/errors';
import { packageVersion } from '../core/files';
import { requestFeatureTable, serverConstantTable, serverFeatureTable } from '../env/observation';
import type { MlpShape } from '../nn/mlp';
import type { SystemConfig } from '../system/config';
import { type FileHashes, checkSameFiles } from '../system/config-files';
import { serverSpecs } from '../system/gpus';
import { readArrayFile, writeArrayFile } from './array-file';
import { Learner, type LearnerState, type UpdateLog } from './lyreo';
import { type DecisionOptions, type LearningMethod, type MethodIds, methodIds } from './method';
import type { TrainingConfig } from './training-config';
import { type Policy, createPolicy } from './policy';

/** What determines a training: the same four give the same bytes. Functions of a method stand by their ids. */
export interface TrainingRun {
  readonly config: SystemConfig;
  readonly method: MethodIds;
  readonly training: TrainingConfig;
  readonly seed: number;
}

/** What every file of a training says. */
interface Saved extends TrainingRun {
  readonly kind: 'checkpoint' | 'policy';
  /** Version of lyreo that wrote it. */
  readonly library: string;
  /** Of the files that its configuration names. */
  readonly files: FileHashes;
  readonly updates: number;
}

/** A training as it was after an update. */
export interface Checkpoint extends Saved {
  /** Updates that were asked for in all. */
  readonly target: number;
  /** The log so far. */
  readonly log: readonly UpdateLog[];
  readonly state: LearnerState;
}

/** A policy with what it was trained for. */
export interface SavedPolicy extends Saved {
  /** How the policy sees the system and decides. */
  readonly decision: DecisionOptions;
  readonly policy: Policy;
}

/** A policy's file: its network in place of itself. */
interface PolicyFile extends Omit<SavedPolicy, 'policy'> {
  readonly shape: MlpShape;
  /** What the policy sees, formula by formula. */
  readonly features: readonly string[];
  readonly weights: Float32Array;
}

/** How a checkpoint or policy is taken up again. */
export interface TakeUpOptions {
  /** Go on although a file that the configuration names has other content than in the training. Default false. */
  readonly acceptChangedFiles?: boolean | undefined;
}

const features: readonly string[] = [...serverFeatureTable, ...serverConstantTable, ...requestFeatureTable].map(
  ({ name, formula }) => `${name} = ${formula}`,
);

function savedOf(kind: Saved['kind'], { config, files, method, training, seed, updates }: Learner): Saved {
  return { kind, library: packageVersion(), files, config, method: methodIds(method), training, seed, updates };
}

/**
 * Writes all that a training needs to go on, and its log so far; the file is whole or as it was before.
 *
 * @param target the updates that were asked for in all.
 */
export function saveCheckpoint(path: string, learner: Learner, log: readonly UpdateLog[], target: number): void {
  writeArrayFile(path, { ...savedOf('checkpoint', learner), target, log, state: learner.save() });
}

/**
 * Reads a checkpoint.
 *
 * @throws UserError when it is missing, cut short or no checkpoint.
 */
export function loadCheckpoint(path: string): Checkpoint {
  return read(path, 'checkpoint') as Checkpoint;
}

/**
 * A learner that continues where the checkpoint was written.
 *
 * @param method the functions whose ids the checkpoint has.
 * @throws UserError when the method has other ids, this version of lyreo has other networks, or a file that the
 *   configuration names has other content than then.
 */
export function resumeLearner(
  path: string,
  checkpoint: Checkpoint,
  method: LearningMethod,
  { acceptChangedFiles = false }: TakeUpOptions = {},
): Learner {
  const { config, files, training, seed, state } = checkpoint;
  checkSameRun({ ...checkpoint, method: methodIds(method) }, checkpoint, path);
  if (!acceptChangedFiles) checkSameFiles(config, files, path);
  const learner = new Learner(config, method, training, seed);
  try {
    learner.restore(state);
  } catch (error) {
    throw misfit(path, checkpoint, error instanceof Error ? error.message : String(error));
  }
  return learner;
}

/**
 * Whether a training that was asked for is the one of a checkpoint.
 *
 * @throws UserError naming the first field that differs, and both values.
 */
export function checkSameRun(asked: TrainingRun, found: TrainingRun, path: string): void {
  const fields = ({ method, training, config, seed }: TrainingRun): Readonly<Record<string, unknown>> => ({
    ...Object.fromEntries(Object.entries(method).map(([name, id]) => [`method's ${name}`, id])),
    ...training,
    ...config,
    seed,
  });
  const [a, b] = [fields(asked), fields(found)];
  for (const name of new Set([...Object.keys(b), ...Object.keys(a)]))
    if (JSON.stringify(a[name]) !== JSON.stringify(b[name]))
      throw new UserError(`${name} is ${show(a[name])}; allowed: ${show(b[name])}, as in ${path}, or another folder`);
}

/** Writes a policy with its configuration. */
export function savePolicy(path: string, learner: Learner): void {
  const { decision, policy } = learner;
  const { shape, parameters } = policy.net;
  const file: PolicyFile = { ...savedOf('policy', learner), decision, shape, features, weights: parameters.values };
  writeArrayFile(path, file);
}

/**
 * Reads a policy. It acts in systems with the servers it was trained for; the number of users, lengths, links and all
 * else may differ.
 *
 * @param config the system it is to act in; default: the one it was trained in.
 * @throws UserError when it is missing, cut short or no policy, when the systems do not match, when this version of
 *   lyreo has other features or networks, or naming a file of both systems that has other content than in the training.
 */
export function loadPolicy(
  path: string,
  config?: SystemConfig,
  { acceptChangedFiles = false }: TakeUpOptions = {},
): SavedPolicy {
  const { shape, features: seen, weights, ...saved } = read(path, 'policy') as PolicyFile;
  const { method, training, seed, config: trained } = saved;
  const changed = features.findIndex((feature, k) => feature !== seen[k]);
  if (changed >= 0 || seen.length !== features.length)
    throw misfit(path, saved, `feature ${changed} is ${show(seen[changed])}, not ${show(features[changed])}`);
  if (!acceptChangedFiles) checkSameFiles(trained, saved.files, path, config);
  const [own, other] = [serversOf(trained), serversOf(config ?? trained)];
  if (own !== other)
    throw new UserError(
      `${path} was trained for ${own}; this system has ${other}; allowed: the servers it was trained for`,
    );
  const size = { servers: trained.servers, hidden: training.hidden };
  const policy = createPolicy(method.policy, size, createRng(seed));
  const { parameters, shape: expected } = policy.net;
  if (JSON.stringify(shape) !== JSON.stringify(expected) || weights.length !== parameters.values.length)
    throw misfit(path, saved, `its network is ${JSON.stringify(shape)}, not ${JSON.stringify(expected)}`);
  parameters.restore(weights);
  return { ...saved, policy };
}

/** `4 servers, Mod (3080, 3080, 3090, 4090)`. */
function serversOf(config: SystemConfig): string {
  const names = serverSpecs(config).map((spec) => spec.name);
  return `${names.length} servers, ${config.gpus === undefined ? config.mix : 'one by one'} (${names.join(', ')})`;
}

function read(path: string, kind: Saved['kind']): Saved {
  const saved = readArrayFile(path) as Saved;
  if (saved.kind !== kind) throw new UserError(`${path} holds a ${saved.kind}; allowed: a ${kind}`);
  return saved;
}

function misfit(path: string, { library }: Saved, reason: string): UserError {
  return new UserError(
    `${path} does not fit: ${reason}; it was written by lyreo ${library}; allowed: a file of lyreo ${packageVersion()}`,
  );
}
