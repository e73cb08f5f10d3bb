import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { z } from 'zod';
import { decimalNumber } from '../core/csv';
import { mean } from '../core/statistics';
import { UserError, invalid } from '../core/errors';
import { type MethodName, creditRules, methods } from '../paper/methods';
import { type NamedTrainOptions, learningByIds, learningMethods, learningOf, train } from '../paper/train';
import { loadCheckpoint } from '../lyreo/checkpoint';
import { DivergenceError, type UpdateLog } from '../lyreo/lyreo';
import { logLine, trainingFiles } from '../lyreo/train';
import type { TrainingConfig } from '../lyreo/training-config';
import { integer } from '../core/schema';
import { interruptible } from './interrupt';
import { assignment, option, seeds } from './options';
import { createProgress } from './progress';
import { short, textList } from './report';
import { type SystemOptions, addSystemOptions, isField, readSystem } from './system-options';

interface TrainFlags extends SystemOptions {
  readonly method?: MethodName;
  readonly seed?: number;
  readonly updates?: number;
  readonly credit?: string;
  readonly out?: string;
  readonly checkpointEvery: number;
  readonly resume?: boolean;
  readonly acceptChangedFiles?: boolean;
  readonly json?: boolean;
  readonly progress: boolean;
}

export function trainCommand(program: Command): void {
  const command = program
    .command('train')
    .description('train a policy; it can be stopped at any moment and resumed')
    .addOption(option('--method <name>', 'one of the list below (default: lyreo)', z.enum(learningMethods)))
    .addOption(
      option(
        '--credit <rule>',
        "another credit rule in place of the method's",
        z.enum(creditRules.map(({ id }) => id)),
      ),
    )
    .addOption(option('--seed <n>', 'seed of everything random (default: 1)', seeds))
    .addOption(option('--updates <n>', 'updates in all, of an episode each (default: 40)', integer(1, 1_000_000)))
    .option('--out <folder>', 'where checkpoint.lyreo, log.jsonl and policy.lyreo are written')
    .option(
      '--resume',
      'continue the training in --out, if there is one; then its options, --updates included, need not be repeated',
    )
    .option(
      '--accept-changed-files',
      'resume although a file that the configuration names has other content than before',
    )
    .addOption(option('--checkpoint-every <n>', 'updates between checkpoints', integer(1, 1_000_000), 5));
  addSystemOptions(command, ' or any hyperparameter')
    .option('--json', 'print one JSON object per update, as in log.jsonl: the same bytes for the same seed')
    .option('--no-progress', 'show no line per update on stderr')
    .addHelpText(
      'after',
      `
Methods:
${textList(learningMethods.map((name) => [name, methods[name].about]))}

Hyperparameters and their defaults for LYREO:
${hyperparameterList()}

Examples:
  $ lyreo train --out runs/lyreo                                 40 updates of 800 slots, 40 users, 8 servers
  $ lyreo train --out runs/lyreo --resume                        the updates that remain after an interruption
  $ lyreo train --out runs/lyreo --resume --updates 100          60 more
  $ lyreo train --method ly-ppo --users 60 --mix Het --seed 2 --out runs/ly-ppo-het-2
  $ lyreo train --set hidden=128,128,64 --set learningRate=1e-3 --json > log.jsonl
  $ lyreo evaluate runs/lyreo/policy.lyreo drift-plus-penalty`,
    )
    .action(runTrain);
}

function hyperparameterList(): string {
  return Object.entries(learningOf('lyreo').training)
    .map(([name, value]) => `  ${name}=${String(value)}`)
    .join('\n');
}

async function runTrain(flags: TrainFlags): Promise<void> {
  const { out, resume } = flags;
  if (resume === true && out === undefined)
    throw new UserError('--resume is given without --out; allowed: both, or neither');
  if (flags.trace !== undefined)
    throw invalid('--trace', flags.trace, 'none; a training draws its requests from the configuration');
  const { updates, ...options } = trainingOf(flags);
  if (out === undefined && flags.json !== true)
    process.stderr.write('no --out: the policy and the log will not be kept\n');
  const { slots } = options.config;
  let progress = createProgress(updates * slots, 'slots', flags.progress);
  try {
    await interruptible(async (signal) => {
      const { log, aborted } = await train({
        ...options,
        updates,
        folder: out,
        resume,
        acceptChangedFiles: flags.acceptChangedFiles,
        checkpointEvery: flags.checkpointEvery,
        signal,
        onResume: (done) => {
          progress = createProgress(updates * slots, 'slots', flags.progress, done.length * slots);
          if (done.length >= updates)
            progress.say(`nothing to do: ${done.length} updates are done, ${updates} were asked for`);
          else if (flags.progress) progress.say(`resumed after update ${done.length}`);
        },
        onUpdate: (entry) => {
          if (flags.json === true) process.stdout.write(`${logLine(entry)}\n`);
          if (flags.progress) progress.say(`${updateText(entry, updates)}  ${progress.pace(entry.update * slots)}`);
        },
      });
      if (aborted) {
        const how = out === undefined ? '' : `; --out ${out} --resume goes on`;
        progress.say(`stopped after update ${log.length} of ${updates}${how}`);
        signal.throwIfAborted();
      }
      if (flags.json !== true) process.stdout.write(summary(log, out));
    });
  } catch (error) {
    if (!(error instanceof DivergenceError)) throw error;
    const kept = out === undefined ? '' : `, ${out} keeps the log up to here`;
    const rate = learningOf(options.method, options.training).training.learningRate;
    throw new UserError(
      `${error.message}; learning has stopped${kept}; allowed: hyperparameters that keep it finite, such as a learningRate below ${rate}`,
    );
  }
}

type Asked = Pick<NamedTrainOptions, 'config' | 'method' | 'training' | 'seed' | 'updates'>;

/**
 * The training that the options describe. A resumption takes from the checkpoint the values that are not given again;
 * `train` compares the given ones with it.
 */
function trainingOf(flags: TrainFlags): Asked {
  const isSystem = (text: string): boolean => isField(assignment(text)[0]);
  const { set = [] } = flags;
  const path = flags.out === undefined ? '' : trainingFiles(flags.out).checkpoint;
  const found = flags.resume === true && existsSync(path) ? loadCheckpoint(path) : undefined;
  const named = flags.method ?? (found === undefined ? 'lyreo' : learningByIds(found.method, path));
  const method = withCredit(named, flags.credit);
  const others = settings(
    set.filter((text) => !isSystem(text)),
    method,
  );
  return {
    config: readSystem({ ...flags, set: set.filter(isSystem) }, found?.config).config,
    method,
    training: { ...found?.training, ...others },
    seed: flags.seed ?? found?.seed ?? 1,
    updates: flags.updates ?? found?.target ?? 40,
  };
}

/** A method with another credit rule, where one is given. */
function withCredit(method: NamedTrainOptions['method'], id: string | undefined): NamedTrainOptions['method'] {
  const credit = creditRules.find((rule) => rule.id === id);
  return credit === undefined ? method : { ...learningOf(method).method, credit };
}

/** Hyperparameters as `name=value`, checked against the method's. */
function settings(set: readonly string[], method: NamedTrainOptions['method']): Partial<TrainingConfig> {
  const defaults: Readonly<Record<string, unknown>> = { ...learningOf(method).training };
  const values = set.map(assignment).map(([name, text]) => [name, valueLike(defaults[name], text)] as const);
  const twice = values.find(([name], k) => values.findIndex(([other]) => other === name) < k);
  if (twice !== undefined) throw new UserError(`${twice[0]} is given twice by --set; allowed: once`);
  const overrides: Partial<TrainingConfig> = Object.fromEntries(values);
  learningOf(method, overrides);
  return overrides;
}

/** Text as a value of the default's kind; other text stays text, and is refused with the field's name. */
function valueLike(standard: unknown, text: string): unknown {
  if (Array.isArray(standard)) return text.split(',').map((word) => valueLike(0, word.trim()));
  if (typeof standard === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const x = text === 'Infinity' ? Infinity : decimalNumber(text);
  return typeof standard !== 'number' || Number.isNaN(x) ? text : x;
}

/** `update  12/40  latency 2.51 s  …`. */
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
