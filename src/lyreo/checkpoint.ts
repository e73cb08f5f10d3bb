import { createRng } from '../core/rng';
import { UserError, show } from '../core/errors';
import { packageVersion } from '../core/version';
import { requestFeatureTable, serverConstantTable, serverFeatureTable } from '../env/observation';
import type { MlpShape } from '../nn/mlp';
import type { SystemConfig } from '../system/config';
import { type FileHashes, checkSameFiles } from '../system/config-files';
import { serverSpecs } from '../system/gpus';
import { readArrayFile, writeArrayFile } from './array-file';
import { Learner, type UpdateLog } from './lyreo';
import { type DecisionOptions, type LearningMethod, type MethodIds, methodIds } from './method';
import type { TrainingConfig } from './training-config';
import { type Policy, createPolicy } from './policy';
import { type State, floatsOf } from './state';

/** What determines a training: the same four give the same bytes. Functions of a method stand by their ids. */
export interface TrainingRun {
  readonly config: SystemConfig;
  readonly method: MethodIds;
  readonly training: TrainingConfig;
  readonly seed: number;
}

/** A training as it was after an update. */
export interface Checkpoint extends TrainingRun {
  /** Version of lyreo that wrote it. */
  readonly library: string;
  /** Of the files that its configuration names. */
  readonly files: FileHashes;
  readonly updates: number;
  /** Updates that were asked for in all; undefined in a checkpoint of an early version. */
  readonly target?: number | undefined;
  /** The log so far. */
  readonly log: readonly UpdateLog[];
  readonly state: State;
}

/** A policy with what it was trained for. */
export interface SavedPolicy extends TrainingRun {
  readonly library: string;
  readonly files: FileHashes;
  readonly updates: number;
  readonly policy: Policy;
  readonly decision: DecisionOptions;
}

interface Facts extends TrainingRun {
  readonly kind: 'training' | 'policy';
  readonly library: string;
  readonly files: FileHashes;
  readonly updates: number;
  readonly target?: number | undefined;
  readonly log?: readonly UpdateLog[];
  readonly shape?: MlpShape;
  /** How the policy sees the system and decides. */
  readonly decision?: DecisionOptions;
  /** What the policy sees, formula by formula. */
  readonly features?: readonly string[];
}

/** How a checkpoint or policy is taken up again. */
export interface TakeUpOptions {
  /** Go on although a file that the configuration names has other content than in the training. Default false. */
  readonly acceptChangedFiles?: boolean | undefined;
}

const features: readonly string[] = [...serverFeatureTable, ...serverConstantTable, ...requestFeatureTable].map(
  ({ name, formula }) => `${name} = ${formula}`,
);

function factsOf(kind: Facts['kind'], { config, files, method, training, seed, updates }: Learner): Facts {
  return { kind, library: packageVersion(), files, config, method: methodIds(method), training, seed, updates };
}

/**
 * Writes all that a training needs to go on, and its log so far; the file is whole or as it was before.
 *
 * @param target the updates that were asked for in all.
 */
export function saveCheckpoint(path: string, learner: Learner, log: readonly UpdateLog[], target?: number): void {
  writeArrayFile(path, { facts: { ...factsOf('training', learner), target, log }, arrays: learner.save() });
}

/**
 * Reads a checkpoint.
 *
 * @throws UserError when it is missing, damaged or no checkpoint.
 */
export function loadCheckpoint(path: string): Checkpoint {
  const { facts, arrays } = read(path, 'training');
  const { library, files, config, method, training, seed, updates, target, log = [] } = facts;
  return { library, files, config, method, training, seed, updates, target, log, state: arrays };
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
  const { config, files, training, seed, state, library } = checkpoint;
  checkSameRun({ ...checkpoint, method: methodIds(method) }, checkpoint, path);
  if (!acceptChangedFiles) checkSameFiles(config, files, path);
  const learner = new Learner(config, method, training, seed);
  try {
    learner.restore(state);
  } catch (error) {
    learner.dispose();
    throw misfit(path, library, error);
  }
  return learner;
}

/**
 * Whether a training that was asked for is the one of a checkpoint.
 *
 * @throws UserError naming the first field that differs, and both values.
 */
export function checkSameRun(asked: TrainingRun, found: TrainingRun, path: string): void {
  for (const part of ['method', 'training', 'config', 'seed'] as const) {
    const [a, b] = [fields(part, asked[part]), fields(part, found[part])];
    for (const name of new Set([...Object.keys(b), ...Object.keys(a)]))
      if (JSON.stringify(a[name]) !== JSON.stringify(b[name]))
        throw new UserError(`${name} is ${show(a[name])}; allowed: ${show(b[name])}, as in ${path}, or another folder`);
  }
}

function fields(part: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return { [part]: value };
  return Object.fromEntries(
    Object.entries(value).map(([name, x]) => [part === 'method' ? `method's ${name}` : name, x]),
  );
}

/** Writes a policy with its configuration. */
export function savePolicy(path: string, learner: Learner): void {
  const { decision, policy } = learner;
  const { net } = policy;
  const facts: Facts = { ...factsOf('policy', learner), shape: net.shape, decision, features };
  writeArrayFile(path, { facts, arrays: { weights: net.parameters.values } });
}

/**
 * Reads a policy. It acts in systems with the servers it was trained for; the number of users, lengths, links and all
 * else may differ.
 *
 * @param config the system it is to act in; default: the one it was trained in.
 * @throws UserError when it is missing, damaged or no policy, when the systems do not match, or naming a file of both
 * systems that has other content than in the training.
 */
export function loadPolicy(
  path: string,
  config?: SystemConfig,
  { acceptChangedFiles = false }: TakeUpOptions = {},
): SavedPolicy {
  const { facts, arrays } = read(path, 'policy');
  const { library, files, method, training, seed, updates, shape } = facts;
  checkFeatures(path, facts);
  if (!acceptChangedFiles) checkSameFiles(facts.config, files, path, config);
  if (config !== undefined) checkServers(path, facts.config, config);
  const policy = createPolicy(
    method.policy,
    { servers: facts.config.servers, hidden: training.hidden },
    createRng(seed),
  );
  if (JSON.stringify(shape) !== JSON.stringify(policy.net.shape))
    throw new UserError(
      `${path}: the policy's network is ${shapeText(shape)}, written by lyreo ${library}; allowed: ${shapeText(policy.net.shape)}, as lyreo ${packageVersion()} has it`,
    );
  try {
    policy.net.parameters.restore(floatsOf(arrays, 'weights'));
  } catch (error) {
    throw misfit(path, library, error);
  }
  // A file of an earlier version does not tell: Z was seen, and draws were independent.
  const earlier = { balanceMeasure: method.balanceMeasure, showsQueue: true, draws: 'independent' } as const;
  const { decision = earlier } = facts;
  return { library, files, config: facts.config, method, training, seed, updates, policy, decision };
}

function checkFeatures(path: string, { library, features: seen = [] }: Facts): void {
  const at = Array.from({ length: Math.max(seen.length, features.length) }, (_, k) => k).find(
    (k) => seen[k] !== features[k],
  );
  if (at !== undefined)
    throw new UserError(
      `${path}: feature ${at} of ${seen.length} is ${show(seen[at])}, written by lyreo ${library}; allowed: ${show(features[at])}, feature ${at} of ${features.length} of lyreo ${packageVersion()}`,
    );
}

function checkServers(path: string, trained: SystemConfig, asked: SystemConfig): void {
  if (trained.servers !== asked.servers)
    throw new UserError(
      `${path} was trained for ${trained.servers} servers; this system has ${asked.servers}; allowed: as many as it was trained for`,
    );
  const [own, other] = [gpuText(trained), gpuText(asked)];
  if (own !== other)
    throw new UserError(
      `${path} was trained for ${own}; this system has ${other}; allowed: the servers it was trained for`,
    );
}

/** `Mod (3080, 3080, 3090, 4090)`. */
function gpuText(config: SystemConfig): string {
  const names = serverSpecs(config).map((spec) => spec.name);
  return `${config.gpus === undefined ? config.mix : 'servers'} (${names.join(', ')})`;
}

function shapeText(shape: MlpShape | undefined): string {
  if (shape === undefined) return 'unknown';
  return `${shape.sharedInputs} + ${shape.rowInputs} features, layers of ${[...shape.hidden, shape.outputs].join(', ')}`;
}

function read(path: string, kind: Facts['kind']): { facts: Facts; arrays: State } {
  const { facts, arrays } = readArrayFile(path) as { facts: Facts; arrays: State };
  if (facts.kind !== kind)
    throw new UserError(
      `${path} holds a ${facts.kind === 'training' ? 'checkpoint' : 'policy'}; allowed: a ${kind === 'training' ? 'checkpoint' : 'policy'}`,
    );
  return { facts, arrays };
}

function misfit(path: string, library: string, error: unknown): UserError {
  const reason = error instanceof Error ? error.message : String(error);
  return new UserError(
    `${path} does not fit: ${reason}; it was written by lyreo ${library}; allowed: a file of lyreo ${packageVersion()}`,
  );
}
