import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { z } from 'zod';
import { UserError, invalid } from '../core/errors';
import type { Interval } from '../core/statistics';
import type { SchedulerFactory } from '../env/scheduler';
import { type Method, methods } from '../paper/methods';
import { type Estimates, type LearnedPolicy, estimates, evaluate, evaluationColumns } from '../paper/evaluate';
import type { RunMetrics } from '../env/metrics';
import type { Draws } from '../lyreo/draws';
import { type TakeUpOptions, loadPolicy } from '../lyreo/checkpoint';
import { schedulerNames, schedulers } from '../schedulers/index';
import type { SystemConfig } from '../system/config';
import { integer } from '../core/schema';
import { origin, printJson, warnAboutRuns } from './console';
import { addProgressOptions, option, seeds } from './options';
import { withProgress } from './progress';
import { textTable, short } from './report';
import { type SystemOptions, addSystemOptions, readSystem } from './system-options';

interface EvaluateFlags extends SystemOptions {
  readonly episodes: number;
  readonly seed: number;
  readonly draws?: Draws;
  readonly acceptChangedFiles?: boolean;
  readonly json?: boolean;
  readonly progress?: boolean;
}

interface Contender {
  readonly name: string;
  readonly config: SystemConfig;
  readonly acts: SchedulerFactory | LearnedPolicy;
}

interface Result {
  readonly name: string;
  readonly runs: readonly RunMetrics[];
  readonly estimates: Estimates;
  /** To the first contender; null for the first itself. */
  readonly differences: Estimates | null;
}

/** Contenders by name: the schedulers, and methods that are more than a scheduler, such as static batching. */
const known: ReadonlyMap<string, Pick<Method, 'batching' | 'scheduler'>> = new Map([
  ...schedulerNames.map((name): [string, Pick<Method, 'scheduler'>] => [name, { scheduler: name }]),
  ...Object.entries<Method>(methods).filter(([, method]) => method.batching !== undefined),
]);

export function evaluateCommand(program: Command): void {
  const command = program
    .command('evaluate')
    .description('compare policies and schedulers on the same users, links and requests')
    .argument('<contenders...>', 'policy files, schedulers by name (see lyreo schedulers), or static')
    .addOption(option('--episodes <n>', 'runs per contender, with successive seeds', integer(1, 10_000), 5))
    .addOption(option('--seed <n>', 'the first seed', seeds, 1))
    .addOption(
      option(
        '--draws <how>',
        'independent or stratified, for policies (default: as they were trained to draw)',
        z.enum(['independent', 'stratified']),
      ),
    )
    .option(
      '--accept-changed-files',
      'evaluate although a file that the configuration names has other content than in the training',
    );
  addProgressOptions(addSystemOptions(command))
    .option(
      '--json',
      'print one JSON object: version, command, config, seeds, trace, contenders with runs and estimates',
    )
    .addHelpText(
      'after',
      `
The system is the one that the first policy was trained in; options change only the fields that they name. Means over
the seeds stand with 95 % confidence intervals (Student's t); differences to the first contender are taken seed by seed.

Examples:
  $ lyreo evaluate runs/lyreo/policy.lyreo drift-plus-penalty ll random
  $ lyreo evaluate runs/a/policy.lyreo runs/b/policy.lyreo --users 60 --episodes 10 --json
  $ lyreo evaluate ll-in-slot static --mix Het`,
    )
    .action(runEvaluate);
}

async function runEvaluate(names: readonly string[], flags: EvaluateFlags): Promise<void> {
  const { seed, episodes } = flags;
  if (seed + episodes > 2 ** 32) throw invalid('--seed', seed, `at most 4294967296 - episodes`);
  checkNames(names);
  const policyFile = names.find((name) => !known.has(name));
  const trained =
    policyFile === undefined ? undefined : loadPolicy(policyFile, undefined, { acceptChangedFiles: true }).config;
  const { config, workload, trace } = readSystem(flags, trained);
  const contenders = names.map((name) => contender(name, config, flags));
  const seeds = Array.from({ length: episodes }, (_, k) => seed + k);
  const options = { workload, draws: flags.draws };
  const results: Result[] = [];
  await withProgress(contenders.length * episodes, 'runs', flags.progress, async ({ tick }, signal) => {
    for (const [k, { config: own, acts, name }] of contenders.entries()) {
      const runs: RunMetrics[] = [];
      for (const episodeSeed of seeds) {
        runs.push(...evaluate(own, acts, [episodeSeed], options));
        tick(k * episodes + runs.length, name);
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      const differences = k === 0 ? null : estimates(runs, results[0].runs);
      results.push({ name, runs, estimates: estimates(runs), differences });
    }
  });
  for (const { name, runs: own } of results) warnAboutRuns(own, name);
  if (flags.json === true) printJson({ ...origin(), config, seeds, trace, contenders: results });
  else process.stdout.write(text(results, config, seeds));
}

/** Refuses a contender that is given twice, or is neither a name nor a file. */
function checkNames(names: readonly string[]): void {
  const twice = names.find((name, k) => names.indexOf(name) !== k);
  if (twice !== undefined) throw new UserError(`contender ${twice} is given twice; allowed: each contender once`);
  const missing = names.find((name) => !known.has(name) && !existsSync(name));
  if (missing === undefined) return;
  if (/[/\\.]/.test(missing))
    throw new UserError(`policy file ${missing} does not exist; allowed: a file that lyreo train wrote`);
  throw invalid('contender', missing, `a policy file, ${[...known.keys()].join(', ')}`);
}

function contender(name: string, config: SystemConfig, options: TakeUpOptions): Contender {
  const { scheduler, batching = config.batching } = known.get(name) ?? {};
  if (scheduler === undefined) return { name, config, acts: loadPolicy(name, config, options) };
  return { name, config: { ...config, batching }, acts: schedulers[scheduler] };
}

function text(results: readonly Result[], config: SystemConfig, seeds: readonly number[]): string {
  const heads = ['', ...Object.values(evaluationColumns)];
  const row = (name: string, of: Estimates, sign: boolean): string[] => [
    name,
    ...Object.values(of).map((interval) => cell(interval, sign)),
  ];
  const servers = config.gpus === undefined ? `${config.servers} servers, ${config.mix}` : config.gpus.join(', ');
  const runs = seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds[0]} to ${seeds[seeds.length - 1]}`;
  const head = `${config.users} users, ${servers}, ${config.slots} slots, ${config.batching}, ${runs}; mean ± 95 % interval`;
  const means = textTable([heads, ...results.map((r) => row(r.name, r.estimates, false))]);
  const others = results.flatMap(({ name, differences: d }) => (d === null ? [] : [row(name, d, true)]));
  const compared =
    others.length === 0
      ? ''
      : `\nDifference to ${results[0].name}, seed by seed:\n\n${textTable([heads, ...others])}\n`;
  return `${head}\n\n${means}\n${compared}`;
}

function cell({ mean, hi }: Interval, sign: boolean): string {
  const halfWidth = hi - mean;
  const width = Number.isFinite(halfWidth) ? ` ± ${Number(halfWidth.toPrecision(2))}` : '';
  return `${sign && mean > 0 ? '+' : ''}${short(mean)}${width}`;
}
