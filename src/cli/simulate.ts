import type { Command } from 'commander';
import { z } from 'zod';
import { simulateAsync } from '../env/simulate';
import { descriptions, schedulerNames, schedulers } from '../schedulers/index';
import { serverSpecs } from '../system/gpus';
import { origin, printJson, warnAboutRuns } from './console';
import { type Values, addFlags, progress, seeds, toggle, word } from './options';
import { withProgress } from './progress';
import { reportText, short, textList } from './report';
import { type SystemOptions, addSystemOptions, readSystem } from './system-options';
import { type TraceSummary, traceFlags } from './trace-options';
import { trajectoryFile } from './trajectory-file';

const flags = {
  scheduler: z.enum(schedulerNames).default('ll-in-slot').describe('one of the list below'),
  seed: seeds.default(1).describe('seed of users, links, lengths and draws'),
  json: toggle.describe(
    'print one JSON object: version, command, scheduler, seed, preset, config, servers, trace, metrics',
  ),
  traceKv: word('file', 'write every decode iteration to a .parquet, .csv or .json file'),
  progress,
};

const schedulerList = textList(schedulerNames.map((name) => [name, descriptions[name]]));

export function schedulersCommand(program: Command): void {
  program
    .command('schedulers')
    .description('list the schedulers that need no learning')
    .action(() => {
      process.stdout.write(`${schedulerList}\n`);
    });
}

export function simulateCommand(program: Command): void {
  const command = program
    .command('simulate')
    .description('run a scheduler that needs no learning on the whole system and report the result')
    .action(runSimulate);
  addFlags(addSystemOptions(addFlags(command, flags)), traceFlags).addHelpText(
    'after',
    `
Schedulers:
${schedulerList}

A trajectory file has one row per iteration: slot, k (from 1 in each slot), server (index from 0), startsAt and seconds
(s), kvBytes, active (requests in the batch).

Examples:
  $ lyreo simulate                                                   40 users, 8 servers, 800 slots, seed 1
  $ lyreo simulate --scheduler drift-plus-penalty --users 60 --mix Het
  $ lyreo simulate --batching static --scheduler latency-greedy --json > static.json
  $ lyreo simulate --trace AzureLLMInferenceTrace_conv.csv --load thin:2 --from 900 --slots 600
  $ lyreo simulate --slots 50 --trace-kv kv.parquet`,
  );
}

async function runSimulate(options: Values<typeof flags> & SystemOptions): Promise<void> {
  const { scheduler, seed } = options;
  const { preset, config, workload, trace } = readSystem(options);
  const specs = serverSpecs(config);
  const trajectory = options.traceKv === undefined ? undefined : await trajectoryFile(options.traceKv);
  try {
    const metrics = await withProgress(config.slots, 'slots', options.progress, ({ tick }, signal) =>
      simulateAsync(config, schedulers[scheduler], seed, {
        workload: workload?.(seed),
        recorder: trajectory,
        signal,
        onSlot: ({ slot }) => {
          tick(slot + 1);
        },
      }),
    );
    const rows = trajectory?.commit();
    warnAboutRuns([metrics]);
    if (options.json === true) {
      const servers = specs.map(({ name }) => name);
      printJson({ ...origin(), scheduler, seed, preset, config, servers, trace, metrics });
      return;
    }
    const { lengths, lengthsFile } = config;
    const source = trace === undefined ? `lengths ${lengthsFile ?? lengths}` : traceText(trace);
    process.stdout.write(
      `${scheduler}, seed ${seed}: ${preset}, ${config.users} users, ${specs.length} servers, ${config.slots} slots of ${config.slotSeconds} s, ${config.batching}, ${source}\n\n${reportText(metrics, specs, config)}`,
    );
    if (rows !== undefined) process.stderr.write(`${options.traceKv ?? ''}: ${rows} iterations\n`);
  } finally {
    trajectory?.discard();
  }
}

function traceText({ name, load, from, requests, recordedPerSlot, skipped }: TraceSummary): string {
  const leftOut = skipped.reduce((sum, { count }) => sum + count, 0);
  return `trace ${name} (${load} from slot ${from}; recorded: ${requests} requests, ${short(recordedPerSlot)} per slot; rows left out: ${leftOut})`;
}
