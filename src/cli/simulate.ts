import type { Command } from 'commander';
import { kilobytesToBytes } from '../core/units';
import { simulateAsync } from '../env/simulate';
import type { RunMetrics } from '../env/metrics';
import { type SchedulerName, schedulerNames, schedulers } from '../schedulers/index';
import { serverSpecs } from '../system/gpus';
import { warn } from './console';
import { warnAboutRejected } from './rejections';
import { interruptible } from './interrupt';
import { integerOption, wordOption } from './options';
import { createProgress } from './progress';
import { reportText, short } from './report';
import { schedulerList } from './schedulers';
import { type SystemOptions, addSystemOptions, readSystem } from './system-options';
import { trajectoryFile } from './trajectory-file';
import { packageVersion } from './version';

interface SimulateFlags extends SystemOptions {
  readonly scheduler: SchedulerName;
  readonly seed: number;
  readonly json?: boolean;
  readonly progress?: boolean;
  readonly traceKv?: string;
}

/** `lyreo simulate`. */
export function simulateCommand(program: Command): void {
  const command = program
    .command('simulate')
    .description('run a scheduler that needs no learning on the whole system and report what it did')
    .option('--scheduler <name>', 'one of the list below', wordOption('--scheduler', schedulerNames), 'll-in-slot')
    .option('--seed <n>', 'of users, links, lengths and draws', integerOption('--seed', 0, 2 ** 32 - 1), 1);
  addSystemOptions(command)
    .option(
      '--json',
      'print one JSON object: version, command, scheduler, seed, preset, config, servers, trace, metrics',
    )
    .option('--trace-kv <file>', 'write every decode iteration to a .parquet, .csv or .json file')
    .option('--progress', 'show progress on stderr even when it is no terminal')
    .option('--no-progress', 'show no progress')
    .addHelpText(
      'after',
      `
Schedulers:
${schedulerList()}

A trajectory file has one row per iteration: slot, k (from 1 in each slot), server (index from 0), startsAt and seconds
(s), kvBytes, active (requests in the batch).

Examples:
  $ lyreo simulate                                                   40 users, 8 servers, 800 slots, seed 1
  $ lyreo simulate --scheduler drift-plus-penalty --users 60 --mix Het
  $ lyreo simulate --batching static --scheduler latency-greedy --json > static.json
  $ lyreo simulate --trace AzureLLMInferenceTrace_conv.csv --preset literal
  $ lyreo simulate --trace AzureLLMInferenceTrace_conv.csv --load thin:2 --from 900 --slots 600
  $ lyreo simulate --slots 50 --trace-kv kv.parquet`,
    )
    .action(async (flags: SimulateFlags) => {
      await runSimulate(flags, command.parent?.args ?? []);
    });
}

async function runSimulate(flags: SimulateFlags, args: readonly string[]): Promise<void> {
  const { scheduler, seed } = flags;
  const { preset, config, workload, trace } = readSystem(flags);
  const specs = serverSpecs(config);
  const servers = specs.map((spec) => spec.name);
  const alpha = kilobytesToBytes(config.kvKilobytesPerToken);
  const trajectory = flags.traceKv === undefined ? undefined : await trajectoryFile(flags.traceKv, alpha);
  const progress = createProgress(config.slots, 'slots', flags.progress);
  let metrics: RunMetrics;
  try {
    metrics = await interruptible((signal) =>
      simulateAsync(config, schedulers[scheduler], seed, {
        workload: workload?.(seed),
        recorder: trajectory?.recorder,
        onSlot: (slots) => {
          progress.tick(slots);
        },
        signal,
      }),
    );
    trajectory?.commit();
  } finally {
    trajectory?.discard();
    progress.end();
  }
  warnAbout(metrics);
  if (flags.json === true) {
    const command = ['lyreo', ...args].join(' ');
    const result = { version: packageVersion(), command, scheduler, seed, preset, config, servers, trace, metrics };
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const source =
    trace === undefined
      ? `lengths ${config.lengths}`
      : `trace ${trace.name} (${trace.load} from slot ${String(trace.from)}; recorded: ${String(trace.requests)} requests, ${short(trace.recordedPerSlot)} per slot; rows left out: ${String(trace.skipped.reduce((sum, { count }) => sum + count, 0))})`;
  process.stdout.write(
    `${scheduler}, seed ${String(seed)}: ${preset}, ${String(config.users)} users, ${String(servers.length)} servers, ${String(config.slots)} slots of ${String(config.slotSeconds)} s, ${config.batching}, ${source}\n\n` +
      reportText(
        metrics,
        specs.map(({ name, kvCapacityBytes }) => ({
          name,
          poolBytes: kvCapacityBytes,
          memoryBytes: kvCapacityBytes / config.kvPoolFraction,
        })),
        config.balanceTolerance,
      ),
  );
  if (trajectory !== undefined && flags.traceKv !== undefined)
    process.stderr.write(`${flags.traceKv}: ${String(trajectory.rows)} iterations\n`);
}

/** What a reader of the figures must know. */
function warnAbout(metrics: RunMetrics): void {
  const { arrived, stability } = metrics;
  warnAboutRejected(metrics);
  if (arrived === 0) warn('no request arrived; allowed, but there is nothing to report');
  if (stability.verdict === 'OVERLOADED')
    warn(`OVERLOADED: ${stability.reason}; latencies grow with the number of slots and describe no steady state`);
}
