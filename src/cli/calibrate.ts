import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { writeFileAtomic } from '../core/atomic';
import { dataFile } from '../core/files';
import type { Candidate } from '../studies/calibration/search';
import { integer } from '../core/schema';
import { origin, printJson } from './console';
import { addProgressOptions, names, option, reader, seeds } from './options';
import { withProgress } from './progress';
import { textTable, short } from './report';

interface CalibrateFlags {
  readonly candidates: number;
  readonly seed: number;
  readonly slots?: number;
  readonly free?: readonly string[];
  readonly out?: string;
  readonly finals?: readonly string[];
  readonly sensitivity?: boolean;
  readonly apply?: boolean;
  readonly json?: boolean;
  readonly progress?: boolean;
}

/** `lyreo calibrate`. */
export function calibrateCommand(program: Command): void {
  const command = program
    .command('calibrate')
    .description('fit the constants that the paper does not print to the numbers that it does')
    .addOption(option('--candidates <n>', 'number of candidates in all', integer(1, 1_000_000), 300))
    .addOption(option('--seed <n>', 'seed of candidates and runs', seeds, 1))
    .addOption(option('--slots <n>', 'slots of each run (default: 200)', integer(10, 100_000)))
    .addOption(option('--free <names>', 'constants to fit, between commas (default: all but balanceUnit)', names))
    .option('--out <file>', 'log, one JSON line per candidate (default: data/calibration/seed<n>.jsonl)')
    .addOption(
      option('--finals <logs>', 'instead: longer runs of the best of these searches, 3 seeds, 800 slots each', names),
    )
    .option('--sensitivity', 'also change each constant of the best by 20 % and print the objective')
    .option('--apply', 'write the best to data/calibrated.json')
    .option('--json', 'print one JSON object: targets, pilot, best, sensitivities');
  addProgressOptions(command).addHelpText(
    'after',
    `
Only schedulers that need no learning are run: the drift-plus-penalty greedy in the place of LYREO, the same without
balance in that of LYREO-NoLB, and Static, LL and Random, which may be overloaded. The objective is the weighted mean of
ln(1 + (ln(ours/printed)/0.2)²); latency and P99 count twice. The numbers of users of Fig. 2 and Table II, which the paper
does not print, are those under which the objective is least. No GPU may decode faster than the next better one. The units
1, 0.3 and 0.1 of Y and Z take turns. Random search with refinement of the best; a second call continues from the log.

Examples:
  $ lyreo calibrate --candidates 50
  $ lyreo calibrate --candidates 300 --seed 2 --sensitivity
  $ lyreo calibrate --finals data/calibration/seed1.jsonl,data/calibration/seed2.jsonl --apply`,
  );
  command.action(runCalibrate);
}

async function runCalibrate(flags: CalibrateFlags): Promise<void> {
  const { constantNames, toCalibrated } = await import('../studies/calibration/constants.js');
  const { score, targetsOf } = await import('../studies/calibration/objective.js');
  const { bestOf, calibration, finals, search } = await import('../studies/calibration/search.js');
  const { sensitive, sensitivity } = await import('../studies/calibration/sensitivity.js');
  const { readJsonLog, writeJsonLog } = await import('../core/json-log.js');
  const { candidates, seed, slots } = flags;
  const free = flags.free?.map(reader('--free', z.enum(constantNames)));
  const folder = dataFile('calibration');
  const logFile = flags.out ?? join(folder, flags.finals === undefined ? `seed${seed}.jsonl` : 'finals.jsonl');
  let found: Candidate[];
  if (flags.finals === undefined) {
    found = await withProgress(candidates, 'candidates', flags.progress, ({ tick }, signal) => {
      const onCandidate = ({ index }: Candidate, { objective }: Candidate): void => {
        tick(index + 1, `best ${short(objective)}`);
      };
      return search({ candidates, seed, slots, free, logFile, signal, onCandidate });
    });
  } else {
    found = finals(flags.finals.flatMap((log) => readJsonLog<Candidate>(log).lines));
    writeJsonLog(logFile, { header: JSON.stringify({ searches: flags.finals }), lines: found });
  }
  const [first, best] = [found[0], flags.finals === undefined ? bestOf(found) : calibration(found)];
  const targets = targetsOf(best.reading);
  const [ofFirst, ofBest] = [first, best].map(({ runs }) => score(runs, targets));
  const changed = flags.sensitivity === true ? sensitive : [];
  const answers = changed.map((name) => sensitivity(name, best.constants, best.reading, seed, slots));
  if (flags.apply === true)
    writeFileAtomic(
      dataFile('calibrated.json'),
      `${JSON.stringify(toCalibrated(best.constants, origin().command), null, 2)}\n`,
    );
  if (flags.json === true) {
    printJson({ targets, first, best, sensitivities: answers });
    return;
  }
  const numbers = [
    ['target', 'printed', 'first', 'best'],
    ...targets.map(({ name, printed, side }, i) => [
      name,
      `${side === undefined ? '' : `${side} `}${short(printed)}`,
      short(ofFirst.values[i]),
      short(ofBest.values[i]),
    ]),
    ['objective', '0', short(ofFirst.objective), short(ofBest.objective)],
  ];
  const constants = [
    ['constant', 'first', 'best'],
    ...constantNames.map((name) => [name, short(first.constants[name]), short(best.constants[name])]),
  ];
  const responses = [
    ['sensitivity of the objective', 'change', 'less', 'more'],
    ...answers.map(({ name, change, less, more }) => [name, change, short(less), short(more)]),
  ];
  const tables = [numbers, constants, ...(answers.length > 0 ? [responses] : [])]
    .map((rows) => textTable(rows))
    .join('\n\n');
  const { fig2, table2 } = best.reading;
  process.stdout.write(
    `${tables}\n\nU = ${fig2} in Fig. 2, ${table2} in Table II; ${found.length} candidates in ${logFile}\n`,
  );
}
