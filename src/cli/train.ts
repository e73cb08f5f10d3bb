import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { z } from 'zod';
import { decimalNumber } from '../core/csv';
import { UserError, invalid } from '../core/errors';
import { integer } from '../core/schema';
import { mean } from '../core/statistics';
import { fixedPenalty } from '../env/reward';
import { type Checkpoint, loadCheckpoint } from '../lyreo/checkpoint';
import { DivergenceError, type UpdateLog } from '../lyreo/lyreo';
import { type LearningMethod, methodIds } from '../lyreo/method';
import { type TrainOptions, logLine, trainingFiles } from '../lyreo/train';
import { type TrainingConfig, trainingStandards } from '../lyreo/training-config';
import { creditRules, methods } from '../paper/methods';
import { learningByIds, learningMethods, learningOf, train } from '../paper/train';
import { presetFields } from '../system/presets';
import { warn } from './console';
import { type Values, addFlags, progress, seeds, toggle, word } from './options';
import { withProgress } from './progress';
import { short, textList } from './report';
import { type SystemOptions, addSystemOptions, presets, readSystem } from './system-options';

const flags = {
  method: z.enum(learningMethods).optional().describe('one of the list below (default: lyreo)'),
  credit: z
    .enum(creditRules.map(({ id }) => id))
    .optional()
    .describe("another credit rule in place of the method's"),
  seed: seeds.optional().describe('seed of everything random (default: 1)'),
  updates: integer(1, 1_000_000).optional().describe('updates in all, of an episode each (default: 40)'),
  out: word('folder', 'where checkpoint.lyreo, log.jsonl and policy.lyreo are written'),
  resume: toggle.describe(
    'continue the training in --out, if there is one; then its options, --updates included, need not be repeated',
  ),
  acceptChangedFiles: toggle.describe(
    'resume although a file that the configuration names has other content than before',
  ),
  checkpointEvery: integer(1, 1_000_000).default(5).describe('updates between checkpoints'),
  json: toggle.describe('print one JSON object per update, as in log.jsonl: the same bytes for the same seed'),
  progress,
};

type TrainFlags = Values<typeof flags> & SystemOptions;

export function trainCommand(program: Command): void {
  const command = program
    .command('train')
    .description('train a policy; it can be stopped at any moment and resumed')
    .action(runTrain);
  addSystemOptions(addFlags(command, flags), ' or any hyperparameter').addHelpText(
    'after',
    () => `
Methods:
${textList(learningMethods.map((name) => [name, methods[name].about]))}

Hyperparameters and their defaults for LYREO:
${textList(Object.entries(learningOf('lyreo').training).map(([name, value]) => [`${name}=${String(value)}`, '']))}

Examples:
  $ lyreo train --out runs/lyreo                                 40 updates of 800 slots, 40 users, 8 servers
  $ lyreo train --out runs/lyreo --resume                        the updates that remain after an interruption
  $ lyreo train --out runs/lyreo --resume --updates 100          60 more
  $ lyreo train --method ly-ppo --users 60 --mix Het --seed 2 --out runs/ly-ppo-het-2
  $ lyreo train --set hidden=128,128,64 --set learningRate=1e-3 --json > log.jsonl
  $ lyreo evaluate runs/lyreo/policy.lyreo drift-plus-penalty`,
  );
}

async function runTrain(options: TrainFlags): Promise<void> {
  const { out, json, resume, acceptChangedFiles, checkpointEvery } = options;
  if (resume === true && out === undefined)
    throw new UserError('--resume is given without --out; allowed: both, or neither');
  const asked = trainingOf(options);
  const { updates, config, training } = asked;
  if (resume === true && !existsSync(trainingFiles(out ?? '').checkpoint))
    warn(`${out} has no training to resume; one begins`);
  if (out === undefined && json !== true) process.stderr.write('no --out: the policy and the log will not be kept\n');
  try {
    await withProgress(updates * config.slots, 'slots', options.progress, async (progress, signal) => {
      const say = (line: string): void => {
        if (options.progress !== false) progress.say(line);
      };
      // At once: a second signal ends the process before the update does.
      signal.addEventListener('abort', () => {
        progress.say(
          `the training ends after this update${out === undefined ? '' : `; --out ${out} --resume continues it`}`,
        );
      });
      const { log, aborted } = await train({
        ...asked,
        folder: out,
        resume,
        acceptChangedFiles,
        checkpointEvery,
        signal,
        onResume: ({ length }) => {
          progress.startAt(length * config.slots);
          if (length < updates) say(`resumed after update ${length}`);
          else progress.say(`nothing to do: ${length} updates are done, ${updates} were asked for`);
        },
        onUpdate: (entry) => {
          if (json === true) process.stdout.write(`${logLine(entry)}\n`);
          say(`${updateText(entry, updates)}  ${progress.pace(entry.update * config.slots)}`);
        },
      });
      if (aborted) progress.say(`stopped after update ${log.length} of ${updates}`);
      if (aborted) signal.throwIfAborted();
      if (json !== true) process.stdout.write(summary(log, out));
    });
  } catch (error) {
    if (!(error instanceof DivergenceError)) throw error;
    const kept = out === undefined ? '' : `, ${out} keeps the log up to here`;
    throw new UserError(
      `${error.message}; learning has stopped${kept}; allowed: hyperparameters that keep it finite, such as a learningRate below ${training.learningRate}`,
    );
  }
}

const fields = Object.keys(trainingStandards) as (keyof TrainingConfig)[];

const predictors = ['printed', 'slot', 'request'];
/** The credit rules that use a hyperparameter, where not all do. */
const rulesOf: Readonly<Partial<Record<keyof TrainingConfig, readonly string[]>>> = {
  gaeLambda: ['delayed', 'littles-law', 'printed'],
  immediateLambda: ['assigned', 'slot', 'own', 'request'],
  window: predictors,
  windowStride: ['printed'],
  discountRedistributed: ['printed'],
  predictorSteps: predictors,
  predictorBatch: predictors,
  predictorLearningRate: predictors,
  predictorMemory: predictors,
  returnToGoGamma: ['slot', 'request'],
  fullQuality: ['slot', 'request'],
};

function isUsed(field: keyof TrainingConfig, { credit, reward }: LearningMethod, queueSeen: string): boolean {
  if (field === 'startQueue') return reward.usesQueue || queueSeen === 'always';
  if (field === 'fixedPenalty' || field === 'penaltyUnit') return reward === fixedPenalty;
  return rulesOf[field]?.includes(credit.id) ?? true;
}

type Asked = Required<Pick<TrainOptions, 'config' | 'method' | 'seed' | 'updates'>> & {
  readonly training: TrainingConfig;
};

/**
 * The training that the options describe. A resumption takes from the checkpoint the values that are not given again;
 * `train` compares the given ones with it.
 */
function trainingOf(options: TrainFlags): Asked {
  const { out, resume, method: name = 'lyreo', credit, set = {} } = options;
  const path = out === undefined ? '' : trainingFiles(out).checkpoint;
  const found = resume === true && existsSync(path) ? loadCheckpoint(path) : undefined;
  const { config } = readSystem(options, found?.config, fields);
  const given = Object.fromEntries(
    fields.filter((field) => Object.hasOwn(set, field)).map((field) => [field, settingOf(field, set[field])]),
  );
  if (found !== undefined) checkSame(options, given, found, path);
  const isNamed = found === undefined || options.method !== undefined;
  const named = isNamed ? learningOf(name).method : learningByIds(found.method, path);
  const method = { ...named, credit: creditRules.find(({ id }) => id === credit) ?? named.credit };
  const own = isNamed ? methods[name].training : {};
  const { training } = learningOf(method, { ...own, ...found?.training, ...given });
  const vain = fields.find((field) => field in given && !isUsed(field, method, training.queueSeen));
  if (vain !== undefined) {
    const users = learningMethods.filter((other) => isUsed(vain, learningOf(other).method, ''));
    throw invalid(`--set ${vain}`, set[vain], `none with this method and credit rule; ${users.join(', ')} use it`);
  }
  const { seed = found?.seed ?? 1, updates = found?.target ?? 40 } = options;
  return { config, method, training, seed, updates };
}

/** Names the method or the preset by which a resumption asks for another training; `train` names any other field. */
function checkSame(options: TrainFlags, given: Partial<TrainingConfig>, found: Checkpoint, path: string): void {
  const isPart = (part: object, whole: object): boolean => isDeepStrictEqual({ ...whole, ...part }, whole);
  const check = <T extends string>(option: string, value: T | undefined, same: readonly T[]): void => {
    if (value !== undefined && same.length > 0 && !same.includes(value))
      throw invalid(option, value, `${same.join(' or ')}, as in ${path}, or another folder`);
  };
  const trained = learningMethods.filter(
    (name) =>
      isPart(methodIds(learningOf(name).method), found.method) &&
      isPart({ ...methods[name].training, ...given }, { ...found.training, ...given }),
  );
  if (options.credit === undefined) check('--method', options.method, trained);
  const named = presets.filter((name) => isPart(presetFields(name), found.config));
  check('--preset', options.preset, named);
}

/** Text as a value of its field; text that is neither number nor truth value stays text, for the field's check. */
function settingOf(field: keyof TrainingConfig, text: string): unknown {
  if (Array.isArray(trainingStandards[field])) return text.split(',').map((word) => valueOf(word.trim()));
  return valueOf(text);
}

function valueOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  const x = text === 'Infinity' ? Infinity : decimalNumber(text);
  return Number.isNaN(x) ? text : x;
}

function updateText({ update, latency, deviation, queue, quality }: UpdateLog, updates: number): string {
  const count = `${String(update).padStart(String(updates).length)}/${updates}`;
  return `update ${count}  latency ${latency.toFixed(3)} s  deviation ${deviation.toFixed(4)}  queue ${queue.toFixed(3)}  quality ${quality.toFixed(2)}`;
}

function summary(log: readonly UpdateLog[], out: string | undefined): string {
  const last = log.slice(-5);
  const meanOf = (of: (entry: UpdateLog) => number): string => short(mean(last.map(of)));
  const where = out === undefined ? '' : `policy and log are in ${out}\n`;
  return (
    `after ${log.length} updates, mean of the last ${last.length}: latency ${meanOf((x) => x.latency)} s, P99 ${meanOf((x) => x.p99Latency)} s, ` +
    `deviation ${meanOf((x) => x.deviation)}, queue ${meanOf((x) => x.queue)}, pools above 90 % ${meanOf((x) => x.highKvPercent)} %\n${where}`
  );
}
