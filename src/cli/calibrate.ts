import { join } from 'node:path';
import type { Command } from 'commander';
import { invalid } from '../core/errors';
import type { ConstantName } from '../studies/calibration/constants';
import type { Candidate } from '../studies/calibration/search';
import { interruptible } from './interrupt';
import { integerOption, listOption, numberOption } from './options';
import { createProgress } from './progress';
import { alignColumns, short } from './report';

interface CalibrateFlags {
  readonly candidates: number;
  readonly seed: number;
  readonly slots?: number;
  readonly free?: readonly string[];
  readonly out?: string;
  readonly sensitivity?: boolean;
  readonly balanceUnits?: readonly string[];
  readonly updates: number;
  readonly apply?: boolean;
  readonly json?: boolean;
  readonly progress?: boolean;
}

/** `lyreo calibrate`. */
export function calibrateCommand(program: Command): void {
  const command = program
    .command('calibrate')
    .description('fit the constants that the paper does not print to the numbers that it does')
    .option('--candidates <n>', 'number of candidates in all', integerOption('--candidates', 1, 1_000_000), 200)
    .option('--seed <n>', 'of candidates and runs', integerOption('--seed', 0, 2 ** 32 - 1), 1)
    .option(
      '--slots <n>',
      'slots of each run (default: 250), or of a training episode (default: 800)',
      integerOption('--slots', 10, 100_000),
    )
    .option('--free <names>', 'constants to fit, between commas (default: all but balanceUnit)', listOption('--free'))
    .option('--out <file>', 'log, one JSON line per candidate (default: data/calibration/seed<n>.jsonl)')
    .option('--sensitivity', 'also change each constant by 20 % and print the objective')
    .option(
      '--balance-units <numbers>',
      'instead: short trainings of LYREO and Ly-PPO under each unit of Y and Z, to the deviation of Table II',
      listOption('--balance-units'),
    )
    .option('--updates <n>', 'of each short training', integerOption('--updates', 1, 10_000), 20)
    .option('--apply', 'write the best to data/calibrated.json')
    .option('--json', 'print one JSON object: targets, pilot, best, sensitivities')
    .option('--progress', 'show progress on stderr even when it is no terminal')
    .option('--no-progress', 'show no progress')
    .addHelpText(
      'after',
      `
Only schedulers that need no learning are run: the drift-plus-penalty greedy in the place of LYREO, the same without
balance in that of LYREO-NoLB; LL has to keep up with every load, Random with all but the greatest. The objective is the
weighted mean of the squared logarithm of ours over printed, each at most ln² 2, latency and P99 counting twice, plus
ln² 2 for each run that is overloaded. No GPU may decode faster than the next better one. Random search with refinement
of the best; the log makes it go on where it stopped.

Examples:
  $ lyreo calibrate --candidates 50
  $ lyreo calibrate --candidates 600 --sensitivity
  $ lyreo calibrate --candidates 600 --apply
  $ lyreo calibrate --balance-units 0.01,0.03,0.1,0.3 --apply`,
    );
  command.action(async (flags: CalibrateFlags) => {
    const args = command.parent?.args ?? [];
    await (flags.balanceUnits === undefined ? runCalibrate(flags, args) : runUnits(flags, flags.balanceUnits, args));
  });
}

async function runUnits(flags: CalibrateFlags, words: readonly string[], args: readonly string[]): Promise<void> {
  const { bestUnit, deviationError, unitTrainings } = await import('../studies/calibration/balance-unit.js');
  const { dataFile } = await import('../core/files.js');
  const { seed, updates, slots } = flags;
  const units = words.map(numberOption('--balance-units', 'finite numbers > 0 between commas', (x) => x > 0));
  const logFile = flags.out ?? join(dataFile('calibration'), 'balance-unit.jsonl');
  const progress = createProgress(2 * units.length, 'trainings', flags.progress);
  let trainings: Awaited<ReturnType<typeof unitTrainings>>;
  try {
    trainings = await interruptible((signal) =>
      unitTrainings({
        units,
        seed,
        updates,
        slots,
        logFile,
        signal,
        onTraining: (done) => {
          progress.tick(done);
        },
      }),
    );
  } finally {
    progress.end();
  }
  const best = bestUnit(trainings);
  if (flags.apply === true) {
    const { calibrated } = await import('../system/calibrated.js');
    const { writeFileAtomic } = await import('../core/atomic.js');
    const { command, ...shipped } = calibrated();
    const after = { command: `${command} && ${['lyreo', ...args].join(' ')}`, ...shipped, balanceUnit: best };
    writeFileAtomic(dataFile('calibrated.json'), `${JSON.stringify(after, null, 2)}\n`);
  }
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ trainings, best })}\n`);
    return;
  }
  const rows = trainings.map(({ balanceUnit, method, queue, latency, deviation }) => [
    short(balanceUnit),
    method,
    short(queue),
    short(latency),
    short(deviation),
    short(deviationError(trainings, balanceUnit)),
  ]);
  const table = alignColumns([['balanceUnit', 'method', 'mean Z', 'latency, s', 'deviation', 'error'], ...rows]);
  process.stdout.write(
    `${table}\n\nnearest to Table II: ${short(best)}; ${trainings.length} trainings in ${logFile}\n`,
  );
}

async function runCalibrate(flags: CalibrateFlags, args: readonly string[]): Promise<void> {
  const { constantNames, toCalibrated } = await import('../studies/calibration/constants.js');
  const { targetsOf } = await import('../studies/calibration/objective.js');
  const { bestOf, search } = await import('../studies/calibration/search.js');
  const { sensitive, sensitivity } = await import('../studies/calibration/sensitivity.js');
  const { dataFile } = await import('../core/files.js');
  const { candidates, seed, slots } = flags;
  const free = flags.free?.map((word): ConstantName => {
    const name = constantNames.find((known) => known === word);
    if (name === undefined) throw invalid('--free', word, constantNames.join(', '));
    return name;
  });
  const logFile = flags.out ?? join(dataFile('calibration'), `seed${seed}.jsonl`);
  const progress = createProgress(candidates, 'candidates', flags.progress);
  let found: Candidate[];
  try {
    found = await interruptible((signal) =>
      search({
        candidates,
        seed,
        slots,
        free,
        logFile,
        signal,
        onCandidate: ({ index }, best) => {
          progress.tick(index + 1, `best ${short(best.objective)}`);
        },
      }),
    );
  } finally {
    progress.end();
  }
  const [pilot, best] = [found[0], bestOf(found)];
  const targets = targetsOf();
  const changed = flags.sensitivity === true ? sensitive : [];
  const answers = changed.map((name) => sensitivity(name, best.constants, seed, slots));
  if (flags.apply === true) {
    const { writeFileAtomic } = await import('../core/atomic.js');
    const shipped = toCalibrated(best.constants, ['lyreo', ...args].join(' '));
    writeFileAtomic(dataFile('calibrated.json'), `${JSON.stringify(shipped, null, 2)}\n`);
  }
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ targets, pilot, best, sensitivities: answers })}\n`);
    return;
  }
  const numbers = [
    ['target', 'printed', 'pilot', 'best'],
    ...targets.map(({ name, printed, isBound }, i) => [
      name,
      `${isBound ? '< ' : ''}${short(printed)}`,
      short(pilot.values[i]),
      short(best.values[i]),
    ]),
    ['overloaded runs', '0', String(pilot.overloaded.length), String(best.overloaded.length)],
    ['objective', '0', short(pilot.objective), short(best.objective)],
  ];
  const constants = [
    ['constant', 'pilot', 'best'],
    ...constantNames.map((name) => [name, short(pilot.constants[name]), short(best.constants[name])]),
  ];
  const responses = [
    ['sensitivity of the objective', 'change', 'less', 'more'],
    ...answers.map(({ name, change, less, more }) => [name, change, short(less.objective), short(more.objective)]),
  ];
  process.stdout.write(
    `${[numbers, constants, ...(answers.length > 0 ? [responses] : [])].map(alignColumns).join('\n\n')}\n\n${found.length} candidates in ${logFile}\n`,
  );
}
