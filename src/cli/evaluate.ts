import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { z } from 'zod';
import { UserError, invalid } from '../core/errors';
import { integer } from '../core/schema';
import type { Interval } from '../core/statistics';
import type { RunMetrics } from '../env/metrics';
import { loadPolicy } from '../lyreo/checkpoint';
import { type Estimates, estimates, evaluate, evaluationColumns } from '../paper/evaluate';
import { type Method, methods } from '../paper/methods';
import { schedulerNames, schedulers } from '../schedulers/index';
import type { SystemConfig } from '../system/config';
import { origin, printJson, warnAboutRuns } from './console';
import { type Values, addFlags, progress, seeds, toggle } from './options';
import { withProgress } from './progress';
import { short, textTable } from './report';
import { type SystemOptions, addSystemOptions, readSystem } from './system-options';
import { traceFlags } from './trace-options';

const flags = {
  episodes: integer(1, 10_000).default(5).describe('runs per contender, with successive seeds'),
  seed: seeds.default(1).describe('the first seed'),
  draws: z
    .enum(['independent', 'stratified'])
    .optional()
    .describe('independent or stratified, for policies (default: as they were trained to draw)'),
  acceptChangedFiles: toggle.describe(
    'evaluate although a file that the configuration names has other content than in the training',
  ),
  json: toggle.describe(
    'print one JSON object: version, command, config, seeds, trace, contenders with runs and estimates',
  ),
  progress,
};

type EvaluateFlags = Values<typeof flags> & SystemOptions;

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
    .action(runEvaluate);
  addFlags(addSystemOptions(addFlags(command, flags)), traceFlags).addHelpText(
    'after',
    `
The system is the one that the first policy was trained in; options change only the fields that they name. Means over
the seeds stand with 95 % confidence intervals (Student's t); differences to the first contender are taken seed by seed.

Examples:
  $ lyreo evaluate runs/lyreo/policy.lyreo drift-plus-penalty ll random
  $ lyreo evaluate runs/a/policy.lyreo runs/b/policy.lyreo --users 60 --episodes 10 --json
  $ lyreo evaluate ll-in-slot static --mix Het`,
  );
}

async function runEvaluate(names: readonly string[], options: EvaluateFlags): Promise<void> {
  const { seed, episodes, draws } = options;
  if (seed + episodes > 2 ** 32) throw invalid('--seed', seed, `at most 4294967296 - episodes`);
  checkNames(names);
  const policyFile = names.find((name) => !known.has(name));
  const vain = draws === undefined ? options.acceptChangedFiles && '--accept-changed-files' : '--draws';
  if (policyFile === undefined && vain)
    throw new UserError(`${vain} is given without a policy; allowed: with policy files`);
  const trained =
    policyFile === undefined ? undefined : loadPolicy(policyFile, undefined, { acceptChangedFiles: true }).config;
  const { config, workload, trace } = readSystem(options, trained);
  // All are read before the first one runs.
  const contenders = names.map((name) => {
    const { scheduler, batching = config.batching } = known.get(name) ?? {};
    const acts = scheduler === undefined ? loadPolicy(name, config, options) : schedulers[scheduler];
    return { name, acts, own: { ...config, batching } };
  });
  const seeds = Array.from({ length: episodes }, (_, k) => seed + k);
  const results: Result[] = [];
  await withProgress(names.length * episodes, 'runs', options.progress, async ({ tick }, signal) => {
    for (const [k, { name, acts, own }] of contenders.entries()) {
      const runs: RunMetrics[] = [];
      for (const episodeSeed of seeds) {
        runs.push(...evaluate(own, acts, [episodeSeed], { workload, draws }));
        tick(k * episodes + runs.length, name);
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      const differences = k === 0 ? null : estimates(runs, results[0].runs);
      results.push({ name, runs, estimates: estimates(runs), differences });
    }
  });
  for (const { name, runs } of results) warnAboutRuns(runs, name);
  if (options.json === true) printJson({ ...origin(), config, seeds, trace, contenders: results });
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

function text(results: readonly Result[], config: SystemConfig, seeds: readonly number[]): string {
  const { users, servers, mix, gpus, slots, batching } = config;
  const kinds = gpus === undefined ? `${servers} servers, ${mix}` : gpus.join(', ');
  const runs = seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds[0]} to ${seeds[seeds.length - 1]}`;
  const table = (rows: readonly Result[], column: 'estimates' | 'differences'): string =>
    textTable([
      ['', ...Object.values(evaluationColumns)],
      ...rows.map((row) => [row.name, ...Object.values(row[column] ?? {}).map((x) => cell(x, column))]),
    ]);
  const compared =
    results.length === 1
      ? ''
      : `\nDifference to ${results[0].name}, seed by seed:\n\n${table(results.slice(1), 'differences')}\n`;
  return `${users} users, ${kinds}, ${slots} slots, ${batching}, ${runs}; mean ± 95 % interval\n\n${table(results, 'estimates')}\n${compared}`;
}

function cell({ mean, hi }: Interval, column: 'estimates' | 'differences'): string {
  const halfWidth = hi - mean;
  const width = Number.isFinite(halfWidth) ? ` ± ${Number(halfWidth.toPrecision(2))}` : '';
  return `${column === 'differences' && mean > 0 ? '+' : ''}${short(mean)}${width}`;
}
