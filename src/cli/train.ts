import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { decimalNumber } from '../core/csv';
import { mean } from '../core/statistics';
import { UserError, invalid } from '../core/errors';
import { type MethodName, creditRules, methodOf } from '../paper/methods';
import { type NamedTrainOptions, learningByIds, learningMethods, learningOf, train } from '../paper/train';
import { type Checkpoint, loadCheckpoint } from '../lyreo/checkpoint';
import { DivergenceError, type UpdateLog } from '../lyreo/lyreo';
import { logLine, trainingFiles } from '../lyreo/train';
import type { TrainingConfig } from '../lyreo/training-config';
import { interruptible } from './interrupt';
import { integerOption, wordOption } from './options';
import { clock } from './progress';
import { short } from './report';
import { type SystemOptions, addSystemOptions, givenFields, readSystem, warnOfLengths } from './system-options';

interface TrainFlags extends SystemOptions {
  readonly method: MethodName;
  readonly seed: number;
  readonly updates: number;
  readonly set: readonly string[];
  readonly credit?: string;
  readonly out?: string;
  readonly checkpointEvery: number;
  readonly resume?: boolean;
  readonly acceptChangedFiles?: boolean;
  readonly json?: boolean;
  readonly progress: boolean;
}

/** One line per method that learns. */
function methodList(): string {
  const width = Math.max(...learningMethods.map((name) => name.length));
  return learningMethods.map((name) => `  ${name.padEnd(width)}  ${methodOf(name).about}`).join('\n');
}

/** `lyreo train`. */
export function trainCommand(program: Command): void {
  const command = program
    .command('train')
    .description('train a policy; it can be stopped at any moment and resumed')
    .option('--method <name>', 'one of the list below', wordOption('--method', learningMethods), 'lyreo')
    .option(
      '--credit <rule>',
      "another credit rule for the method's",
      wordOption(
        '--credit',
        creditRules.map(({ id }) => id),
      ),
    )
    .option('--seed <n>', 'of everything random', integerOption('--seed', 0, 2 ** 32 - 1), 1)
    .option('--updates <n>', 'updates in all, of an episode each', integerOption('--updates', 1, 1_000_000), 40)
    .option('--set <name=value>', 'a hyperparameter; may be repeated', (text, all: string[]) => [...all, text], [])
    .option('--out <folder>', 'where checkpoint.lyreo, log.jsonl and policy.lyreo are written')
    .option(
      '--resume',
      'go on with the training in --out, if there is one; then its options, --updates included, need not be repeated',
    )
    .option(
      '--accept-changed-files',
      'resume although a file that the configuration names has other content than before',
    )
    .option(
      '--checkpoint-every <n>',
      'updates between checkpoints',
      integerOption('--checkpoint-every', 1, 1_000_000),
      5,
    );
  addSystemOptions(command)
    .option('--json', 'print one JSON object per update, as in log.jsonl: the same bytes for the same seed')
    .option('--no-progress', 'show no line per update on stderr')
    .addHelpText(
      'after',
      `
Methods:
${methodList()}

Hyperparameters and their defaults for LYREO:
${hyperparameterList()}

Examples:
  $ lyreo train --out runs/lyreo                                 40 updates of 800 slots, 40 users, 8 servers
  $ lyreo train --out runs/lyreo --resume                        what is left of them, after an interruption
  $ lyreo train --out runs/lyreo --resume --updates 100          60 more
  $ lyreo train --method ly-ppo --users 60 --mix Het --seed 2 --out runs/ly-ppo-het-2
  $ lyreo train --set hidden=128,128,64 --set learningRate=1e-3 --json > log.jsonl
  $ lyreo evaluate runs/lyreo/policy.lyreo drift-plus-penalty`,
    )
    .action(async (flags: TrainFlags) => {
      const given = Object.keys(flags).filter((name) => command.getOptionValueSource(name) === 'cli');
      await runTrain(flags, given);
    });
}

function hyperparameterList(): string {
  return Object.entries(learningOf('lyreo').training)
    .map(([name, value]) => `  ${name}=${String(value)}`)
    .join('\n');
}

async function runTrain(flags: TrainFlags, given: readonly string[]): Promise<void> {
  const { out, resume } = flags;
  if (resume === true && out === undefined)
    throw new UserError('--resume is given without --out; allowed: both, or neither');
  const { updates, ...options } = whatToTrain(flags, given);
  if (out === undefined && flags.json !== true) process.stderr.write('no --out: nothing will be kept\n');
  const report = reporter(updates, options.config.slots);
  const wanted = flags.json === true;
  try {
    await interruptible(async (signal) => {
      const { learner, log, aborted } = await train({
        ...options,
        updates,
        folder: out,
        resume,
        acceptChangedFiles: flags.acceptChangedFiles,
        checkpointEvery: flags.checkpointEvery,
        signal,
        onResume: (done) => {
          if (done.length >= updates)
            process.stderr.write(`nothing to do: ${done.length} updates are done, ${updates} were asked for\n`);
          else if (flags.progress) process.stderr.write(`resumed after update ${done.length}\n`);
        },
        onUpdate: (entry) => {
          if (wanted) process.stdout.write(`${logLine(entry)}\n`);
          if (flags.progress) process.stderr.write(`${report(entry)}\n`);
        },
      });
      learner.dispose();
      if (aborted) {
        const how = out === undefined ? '' : `; --out ${out} --resume goes on`;
        process.stderr.write(`stopped after update ${log.length} of ${updates}${how}\n`);
        signal.throwIfAborted();
      }
      if (!wanted) process.stdout.write(summary(log, out));
    });
  } catch (error) {
    if (!(error instanceof DivergenceError)) throw error;
    process.stderr.write(
      `${error.message}; learning has stopped${out === undefined ? '' : `, ${out} keeps what was`}\n`,
    );
    process.exitCode = 1;
  }
}

type Asked = Pick<NamedTrainOptions, 'config' | 'method' | 'training' | 'seed' | 'updates'>;

/** From the options, or from the checkpoint where a resumption says nothing else. */
function whatToTrain(flags: TrainFlags, given: readonly string[]): Asked {
  if (flags.trace !== undefined)
    throw invalid('--trace', flags.trace, 'none; a training draws its requests from the configuration');
  if (flags.resume === true && flags.out !== undefined) {
    const { checkpoint } = trainingFiles(flags.out);
    if (existsSync(checkpoint)) return whatToResume(flags, given, loadCheckpoint(checkpoint), checkpoint);
  }
  const { config } = readSystem(flags);
  const { method, seed, updates } = flags;
  const asked = withCredit(method, flags.credit);
  return { config, method: asked, training: settings(flags.set, asked), seed, updates };
}

/** The checkpoint's training, and what was given of it again: `train` finds out whether the two are the same. */
function whatToResume(flags: TrainFlags, given: readonly string[], found: Checkpoint, path: string): Asked {
  // A checkpoint of an early version does not tell how many updates it was to have.
  const { target = Math.max(flags.updates, found.updates) } = found;
  const method = withCredit(given.includes('method') ? flags.method : learningByIds(found.method, path), flags.credit);
  const overrides = settings(flags.set, method);
  warnOfLengths(found.config);
  return {
    config: { ...found.config, ...givenFields(flags) },
    method,
    training: { ...found.training, ...overrides },
    seed: given.includes('seed') ? flags.seed : found.seed,
    updates: given.includes('updates') ? flags.updates : target,
  };
}

/** A method with another credit rule, where one is given. */
function withCredit(method: NamedTrainOptions['method'], id: string | undefined): NamedTrainOptions['method'] {
  const credit = creditRules.find((rule) => rule.id === id);
  return credit === undefined ? method : { ...learningOf(method).method, credit };
}

/** `--set name=value`, checked against the method's hyperparameters. */
function settings(set: readonly string[], method: NamedTrainOptions['method']): Partial<TrainingConfig> {
  const defaults = learningOf(method).training;
  const values: Record<string, unknown> = {};
  for (const text of set) {
    const at = text.indexOf('=');
    if (at <= 0) throw invalid('--set', text, 'name=value');
    const name = text.slice(0, at);
    values[name] = valueLike(Object.entries(defaults).find(([key]) => key === name)?.[1], text.slice(at + 1));
  }
  const overrides = values as Partial<TrainingConfig>;
  learningOf(method, overrides);
  return overrides;
}

/** Text as a value of the same kind as the default; what cannot be read stays text, and is refused with the field's name. */
function valueLike(standard: unknown, text: string): unknown {
  const number = (word: string): number | string => {
    const x = word === 'Infinity' ? Infinity : decimalNumber(word);
    return Number.isNaN(x) ? word : x;
  };
  if (Array.isArray(standard)) return text.split(',').map((word) => number(word.trim()));
  if (typeof standard === 'number') return number(text);
  if (typeof standard === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A line per update: `update  12/40  latency 2.51 s  …  650 slots/s  ETA 0:40`. */
function reporter(updates: number, slots: number): (log: UpdateLog) => string {
  const startAt = performance.now();
  let lastAt = startAt;
  let done = 0;
  return ({ update, latency, deviation, queue, quality }) => {
    const now = performance.now();
    const rate = (1000 * slots) / (now - lastAt);
    lastAt = now;
    done++;
    const left = clock(((now - startAt) / 1000 / done) * (updates - update));
    const count = `${String(update).padStart(String(updates).length)}/${updates}`;
    return `update ${count}  latency ${latency.toFixed(3)} s  deviation ${deviation.toFixed(4)}  queue ${queue.toFixed(3)}  quality ${quality.toFixed(2)}  ${rate.toFixed(0)} slots/s  ETA ${left}`;
  };
}

/** Means of the last updates. */
function summary(log: readonly UpdateLog[], out: string | undefined): string {
  const last = log.slice(-5);
  const meanOf = (of: (entry: UpdateLog) => number): string => short(mean(last.map(of)));
  const where = out === undefined ? '' : `policy and log are in ${out}\n`;
  return (
    `after ${log.length} updates, mean of the last ${last.length}: latency ${meanOf((x) => x.latency)} s, P99 ${meanOf((x) => x.p99Latency)} s, ` +
    `deviation ${meanOf((x) => x.deviation)}, queue ${meanOf((x) => x.queue)}, pools above 90 % ${meanOf((x) => x.highKvPercent)} %\n${where}`
  );
}
