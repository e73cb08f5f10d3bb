import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { writeFileAtomic } from '../core/atomic';
import { dataFile } from '../core/files';
import type { Candidate } from '../studies/calibration/search';
import { integer } from '../system/config-schema';
import { origin, printJson } from './console';
import { interruptible } from './interrupt';
import { addProgressOptions, names, option, reader, seeds } from './options';
import { createProgress } from './progress';
import { textTable, short } from './report';

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
    .addOption(option('--candidates <n>', 'number of candidates in all', integer(1, 1_000_000), 200))
    .addOption(option('--seed <n>', 'seed of candidates and runs', seeds, 1))
    .addOption(
      option(
        '--slots <n>',
        'slots of each run (default: 250), or of a training episode (default: 800)',
        integer(10, 100_000),
      ),
    )
    .addOption(option('--free <names>', 'constants to fit, between commas (default: all but balanceUnit)', names))
    .option('--out <file>', 'log, one JSON line per candidate (default: data/calibration/seed<n>.jsonl)')
    .option('--sensitivity', 'also change each constant by 20 % and print the objective')
    .addOption(
      option(
        '--balance-units <numbers>',
        'instead: short trainings of LYREO and Ly-PPO under each unit of Y and Z, to the deviation of Table II',
        names,
      ),
    )
    .addOption(option('--updates <n>', 'updates of each short training', integer(1, 10_000), 20))
    .option('--apply', 'write the best to data/calibrated.json')
    .option('--json', 'print one JSON object: targets, pilot, best, sensitivities');
  addProgressOptions(command).addHelpText(
    'after',
    `
Only schedulers that need no learning are run: the drift-plus-penalty greedy in the place of LYREO, the same without
balance in that of LYREO-NoLB; LL has to keep up with every load, Random with all but the greatest. The objective is the
weighted mean of the squared logarithm of ours over printed, each at most ln² 2, latency and P99 counting twice, plus
ln² 2 for each run that is overloaded. No GPU may decode faster than the next better one. Random search with refinement
of the best; a second call continues from the log.

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

/** Writes data/calibrated.json. */
function apply(shipped: object): void {
  writeFileAtomic(dataFile('calibrated.json'), `${JSON.stringify(shipped, null, 2)}\n`);
}

async function runUnits(flags: CalibrateFlags, words: readonly string[], args: readonly string[]): Promise<void> {
  const { bestUnit, deviationError, unitTrainings } = await import('../studies/calibration/balance-unit.js');
  const allowed = 'finite numbers > 0 between commas';
  const units = words.map(reader('--balance-units', z.number(allowed).positive(allowed)));
  const logFile = flags.out ?? join(dataFile('calibration'), 'balance-unit.jsonl');
  const progress = createProgress(2 * units.length, 'trainings', flags.progress);
  const { seed, updates, slots } = flags;
  const trainings = await interruptible((signal) =>
    unitTrainings({ units, seed, updates, slots, logFile, signal, onTraining: progress.tick }),
  ).finally(progress.end);
  const best = bestUnit(trainings);
  if (flags.apply === true) {
    const { calibrated } = await import('../system/calibrated.js');
    const { command, ...shipped } = calibrated();
    apply({ command: `${command} && ${origin(args).command}`, ...shipped, balanceUnit: best });
  }
  if (flags.json === true) {
    printJson({ trainings, best });
    return;
  }
  const rows = trainings.map(({ balanceUnit, method, queue, latency, deviation }) => [
    short(balanceUnit),
    method,
    ...[queue, latency, deviation, deviationError(trainings, balanceUnit)].map(short),
  ]);
  const table = textTable([['balanceUnit', 'method', 'mean Z', 'latency, s', 'deviation', 'error'], ...rows]);
  process.stdout.write(
    `${table}\n\nnearest to Table II: ${short(best)}; ${trainings.length} trainings in ${logFile}\n`,
  );
}

async function runCalibrate(flags: CalibrateFlags, args: readonly string[]): Promise<void> {
  const { constantNames, toCalibrated } = await import('../studies/calibration/constants.js');
  const { targetsOf } = await import('../studies/calibration/objective.js');
  const { bestOf, search } = await import('../studies/calibration/search.js');
  const { sensitive, sensitivity } = await import('../studies/calibration/sensitivity.js');
  const { candidates, seed, slots } = flags;
  const free = flags.free?.map(reader('--free', z.enum(constantNames)));
  const logFile = flags.out ?? join(dataFile('calibration'), `seed${seed}.jsonl`);
  const progress = createProgress(candidates, 'candidates', flags.progress);
  const onCandidate = ({ index }: Candidate, best: Candidate): void => {
    progress.tick(index + 1, `best ${short(best.objective)}`);
  };
  const found = await interruptible((signal) =>
    search({ candidates, seed, slots, free, logFile, signal, onCandidate }),
  ).finally(progress.end);
  const [pilot, best] = [found[0], bestOf(found)];
  const targets = targetsOf();
  const changed = flags.sensitivity === true ? sensitive : [];
  const answers = changed.map((name) => sensitivity(name, best.constants, seed, slots));
  if (flags.apply === true) apply(toCalibrated(best.constants, origin(args).command));
  if (flags.json === true) {
    printJson({ targets, pilot, best, sensitivities: answers });
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
  const tables = [numbers, constants, ...(answers.length > 0 ? [responses] : [])]
    .map((rows) => textTable(rows))
    .join('\n\n');
  process.stdout.write(`${tables}\n\n${found.length} candidates in ${logFile}\n`);
}
