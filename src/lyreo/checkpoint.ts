import { UserError, show } from '../core/errors';
import { packageVersion } from '../core/files';
import { createRng } from '../core/rng';
import { requestFeatureTable, serverConstantTable, serverFeatureTable } from '../env/observation';
import type { SystemConfig } from '../system/config';
import { checkSameFiles } from '../system/config-files';
import { serverSpecs } from '../system/gpus';
import { readArrayFile, writeArrayFile } from './array-file';
import { Learner, type LearnerState, type UpdateLog } from './lyreo';
import { type DecisionOptions, type MethodIds, methodIds } from './method';
import { type Policy, createPolicy } from './policy';

/** A training; the same gives the same bytes. */
type Training = Pick<Learner, 'config' | 'method' | 'training' | 'seed'>;

/** The facts in every file of a training; functions of a method stand by their ids. */
interface Saved extends Omit<Training, 'method'>, Pick<Learner, 'files' | 'updates'> {
  readonly method: MethodIds;
  readonly kind: 'checkpoint' | 'policy';
  /** Version of lyreo. */
  readonly library: string;
}

/** A training as it was after an update. */
export interface Checkpoint extends Saved {
  /** Updates that were asked for in all. */
  readonly target: number;
  readonly log: readonly UpdateLog[];
  readonly state: LearnerState;
}

/** A policy with the facts of its training. */
export interface SavedPolicy extends Saved {
  readonly decision: DecisionOptions;
  readonly policy: Policy;
}

/** A policy's file: its features, formula by formula, and its weights in place of itself. */
type PolicyFile = Omit<SavedPolicy, 'policy'> & {
  readonly features: readonly string[];
  readonly weights: Float32Array;
};

/** How a checkpoint or policy is taken up again. */
export interface TakeUpOptions {
  /** Go on although a file that the configuration names has other content than in the training. Default false. */
  readonly acceptChangedFiles?: boolean | undefined;
}

const features: readonly string[] = [...serverFeatureTable, ...serverConstantTable, ...requestFeatureTable];

function savedOf(kind: Saved['kind'], { config, files, method, training, seed, updates }: Learner): Saved {
  return { kind, library: packageVersion(), files, config, method: methodIds(method), training, seed, updates };
}

/** Writes all that a training of `target` updates needs to go on, and its log so far. */
export function saveCheckpoint(path: string, learner: Learner, log: readonly UpdateLog[], target: number): void {
  writeArrayFile(path, { ...savedOf('checkpoint', learner), target, log, state: learner.save() });
}

/** @throws UserError when the file is missing, cut short or no checkpoint. */
export function loadCheckpoint(path: string): Checkpoint {
  return read(path, 'checkpoint') as Checkpoint;
}

/**
 * A learner that continues a training where its checkpoint was written.
 *
 * @param asked the training that is to be continued, with the functions whose ids the checkpoint has.
 * @throws UserError naming the first field in which the checkpoint's training is another, with both values; or when this
 *   version of lyreo has other networks, or a file that the configuration names has other content than then.
 */
export function resumeLearner(
  path: string,
  checkpoint: Checkpoint,
  asked: Training,
  { acceptChangedFiles = false }: TakeUpOptions = {},
): Learner {
  const { config, files, seed, state } = checkpoint;
  // Before the fields: the means of a changed lengthsFile differ too, and the file is the cause.
  if (!acceptChangedFiles) checkSameFiles(config, files, path, asked.config);
  const { meanInputTokens, meanOutputTokens } = config;
  const isMeasured = acceptChangedFiles && asked.config.lengthsFile !== undefined;
  const fields = (run: Omit<Training, 'method'>, method: MethodIds): Readonly<Record<string, unknown>> => ({
    ...Object.fromEntries(Object.entries(method).map(([name, id]) => [`method's ${name}`, id])),
    ...run.training,
    ...run.config,
    ...(isMeasured && { meanInputTokens, meanOutputTokens }),
    seed: run.seed,
  });
  const [a, b] = [fields(asked, methodIds(asked.method)), fields(checkpoint, checkpoint.method)];
  for (const name of new Set([...Object.keys(b), ...Object.keys(a)]))
    if (JSON.stringify(a[name]) !== JSON.stringify(b[name]))
      throw new UserError(`${name} is ${show(a[name])}; allowed: ${show(b[name])}, as in ${path}, or another folder`);
  const learner = new Learner(config, asked.method, asked.training, seed);
  fitted(path, checkpoint, () => {
    learner.restore(state);
  });
  return learner;
}

export function savePolicy(path: string, learner: Learner): void {
  const { decision, policy } = learner;
  const weights = policy.net.parameters.values;
  writeArrayFile(path, { ...savedOf('policy', learner), decision, features, weights });
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
  const { features: seen, weights, ...saved } = read(path, 'policy') as PolicyFile;
  const { training, seed, config: trained } = saved;
  if (!acceptChangedFiles) checkSameFiles(trained, saved.files, path, config);
  const [own, other] = [trained, config ?? trained].map(serversOf);
  if (own !== other)
    throw new UserError(
      `${path} was trained for ${own}; this system has ${other}; allowed: the servers it was trained for`,
    );
  const policy = createPolicy(trained.servers, training.hidden, createRng(seed));
  fitted(path, saved, () => {
    const k = [...features, undefined].findIndex((feature, at) => feature !== seen[at]);
    if (k >= 0) throw new RangeError(`feature ${k} is ${show(seen[k])}, not ${show(features[k])}`);
    policy.net.parameters.restore(weights);
  });
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

/** @throws UserError when `work` finds that the file is of other features or networks. */
function fitted(path: string, { library }: Saved, work: () => void): void {
  try {
    work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const allowed = `it was written by lyreo ${library}; allowed: a file of lyreo ${packageVersion()}`;
    throw new UserError(`${path} does not fit: ${reason}; ${allowed}`);
  }
}
