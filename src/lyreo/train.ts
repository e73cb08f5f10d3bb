import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { placeOfHalf, writeFileAtomic } from '../core/atomic';
import { UserError, invalid } from '../core/errors';
import { makeFolder } from '../core/files';
import type { SystemConfig } from '../system/config';
import { checkSameFiles } from '../system/config-files';
import { type TakeUpOptions, loadCheckpoint, resumeLearner, saveCheckpoint, savePolicy } from './checkpoint';
import { Learner, type UpdateDetail, type UpdateLog } from './lyreo';
import { type LearningMethod, trainingConfig } from './method';
import type { TrainingConfig } from './training-config';

export interface TrainOptions extends TakeUpOptions {
  readonly config: SystemConfig;
  readonly method: LearningMethod;
  /** Where the hyperparameters differ from the method's own. */
  readonly training?: Partial<TrainingConfig> | undefined;
  /** Default 1. */
  readonly seed?: number | undefined;
  /** Updates in all, those before a resumption included. */
  readonly updates: number;
  /** Where checkpoint, log and policy are written; default: nowhere. It is made if it does not exist. */
  readonly folder?: string | undefined;
  /** A checkpoint is written every so many updates, and at the end. Default 5. */
  readonly checkpointEvery?: number | undefined;
  /** Go on with the training in the folder, if there is one. Default: a folder with a training is an error. */
  readonly resume?: boolean | undefined;
  /** Ends the training after the update that is running, with a checkpoint. */
  readonly signal?: AbortSignal | undefined;
  readonly onUpdate?: ((log: UpdateLog, detail: UpdateDetail) => void) | undefined;
  /** Called once with the updates that were done before. */
  readonly onResume?: ((log: readonly UpdateLog[]) => void) | undefined;
}

/** The result of a training. */
export interface TrainResult {
  readonly learner: Learner;
  /** All updates, those before a resumption included. */
  readonly log: readonly UpdateLog[];
  /** Whether the signal ended it before its last update. */
  readonly aborted: boolean;
}

/**
 * The files of a training's folder: all that it needs to go on; a JSON object per update, the same bytes for the same
 * seed; and the policy as of the last checkpoint.
 */
export function trainingFiles(folder: string): Readonly<Record<'checkpoint' | 'log' | 'policy', string>> {
  return {
    checkpoint: join(folder, 'checkpoint.lyreo'),
    log: join(folder, 'log.jsonl'),
    policy: join(folder, 'policy.lyreo'),
  };
}

/** A line of log.jsonl, without its end. */
export function logLine(log: UpdateLog): string {
  return JSON.stringify(log);
}

/**
 * Trains a policy, update by update, and lets timers, input and signals have their turn in between.
 *
 * Killed at any moment and resumed, it leaves the same log and the same weights as one that was left alone.
 *
 * @throws UserError when options are wrong, the folder has another training, or a file that the configuration names
 * has changed since the training was begun.
 * @throws DivergenceError naming the quantity that is not finite; the folder keeps its last checkpoint, and the log up to there.
 */
export async function train(options: TrainOptions): Promise<TrainResult> {
  const { config, folder, updates, checkpointEvery = 5, signal } = options;
  for (const [name, value] of Object.entries({ updates, checkpointEvery }))
    if (!Number.isInteger(value) || value < 1) throw invalid(name, value, 'an integer >= 1');
  const { learner, log, target } = start(options);
  let savedAt = learner.updates;
  /** Writes the log, and checkpoint and policy where they are due. */
  const write = (isDue: boolean): void => {
    if (isDue) savedAt = learner.updates;
    if (folder === undefined) return;
    const files = trainingFiles(folder);
    // Another process that makes the same run of the run store may have ended and removed the folder.
    makeFolder(folder);
    writeFileAtomic(files.log, log.map((entry) => `${logLine(entry)}\n`).join(''));
    if (!isDue) return;
    // In this order: wherever it is killed, the policy is not older than the checkpoint.
    savePolicy(files.policy, learner);
    saveCheckpoint(files.checkpoint, learner, log, updates);
  };
  // More or fewer updates than before are asked for: a later resumption has to know, wherever this one is killed.
  write(log.length === 0 || (target !== updates && learner.updates <= updates));
  while (learner.updates < updates) {
    await new Promise((resolve) => setImmediate(resolve));
    if (signal?.aborted === true) break;
    checkSameFiles(config, learner.files, 'this training');
    const detail = learner.update();
    log.push(detail.log);
    write(learner.updates % checkpointEvery === 0);
    options.onUpdate?.(detail.log, detail);
  }
  if (savedAt < learner.updates) write(true);
  return { learner, log, aborted: learner.updates < updates };
}

/** A new learner, or the folder's. */
function start(options: TrainOptions): { learner: Learner; log: UpdateLog[]; target?: number } {
  const { config, method, seed = 1, folder, resume = false } = options;
  const training = trainingConfig(method, options.training ?? {});
  const asked = { config, method, training, seed };
  const { checkpoint: path = '', log: logFile = '' } = folder === undefined ? {} : trainingFiles(folder);
  if (folder !== undefined) prepare(folder);
  // A training that is killed before its first checkpoint leaves an empty log.
  if (!existsSync(path) && (statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new UserError(`${logFile} is the log of a training without its checkpoint; allowed: a folder without one`);
  if (!existsSync(path)) return { learner: new Learner(config, method, training, seed), log: [] };
  if (!resume)
    throw new UserError(
      `${String(folder)} has a training; allowed: a folder without one, or to resume it (--resume, resume: true)`,
    );
  const checkpoint = loadCheckpoint(path);
  const learner = resumeLearner(path, checkpoint, asked, options);
  options.onResume?.(checkpoint.log);
  return { learner, log: [...checkpoint.log], target: checkpoint.target };
}

/** A file that is half-written for longer than this was left behind: a write takes milliseconds. */
const HALF_MS = 60_000;

/** Makes the folder, and clears away the half-written files of a killed training, but not those of another process. */
function prepare(folder: string): void {
  makeFolder(folder);
  const places: readonly string[] = Object.values(trainingFiles(folder));
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (places.includes(placeOfHalf(path) ?? '') && Date.now() - writtenAt > HALF_MS) rmSync(path, { force: true });
  }
}
