import { join } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { writeFileAtomic } from '../core/atomic';
import { dataFile } from '../core/files';
import { integer } from '../core/schema';
import { constantNames, toCalibrated } from '../studies/calibration/constants';
import type { Candidate } from '../studies/calibration/search';
import { origin, printJson } from './console';
import { type Values, addFlags, progress, seeds, toggle, word } from './options';
import { withProgress } from './progress';
import { short, textTable } from './report';

const flags = {
  candidates: integer(1, 1_000_000).default(300).describe('number of candidates in all'),
  seed: seeds.default(1).describe('seed of candidates and runs'),
  slots: integer(10, 100_000).optional().describe('slots of each run (default: 200)'),
  free: z
    .array(z.enum(constantNames), constantNames.join(', '))
    .optional()
    .meta({ title: 'names', description: 'constants to fit, between commas (default: all but balanceUnit)' }),
  out: word('file', 'log, one JSON line per candidate (default: data/calibration/seed<n>.jsonl)'),
  finals: z.array(z.string().min(1), 'names between commas').optional().meta({
    title: 'logs',
    description: 'instead: longer runs of the best of these searches, 3 seeds, 800 slots each',
  }),
  sensitivity: toggle.describe('also change each constant of the best by 20 % and print the objective'),
  apply: toggle.describe('write the best to data/calibrated.json'),
  json: toggle.describe('print one JSON object: targets, pilot, best, sensitivities'),
  progress,
};

export function calibrateCommand(program: Command): void {
  const command = program
    .command('calibrate')
    .description('fit the constants that the paper does not print to the numbers that it does')
    .action(runCalibrate);
  addFlags(command, flags).addHelpText(
    'after',
    `
Only schedulers that need no learning are run: the drift-plus-penalty greedy in the place of LYREO, the same without
balance in that of LYREO-NoLB, and Static, LL and Random. The search is random with refinement of the best; a second call
continues from the log. notebooks/18-calibration.ipynb has the objective, the targets and the readings of the loads.

Examples:
  $ lyreo calibrate --candidates 300 --seed 2 --sensitivity
  $ lyreo calibrate --finals data/calibration/seed1.jsonl,data/calibration/seed2.jsonl --apply`,
  );
}

async function runCalibrate(options: Values<typeof flags>): Promise<void> {
  const { score, sensitive, sensitivity, targetsOf } = await import('../studies/calibration/objective.js');
  const { bestOf, calibration, finals, search } = await import('../studies/calibration/search.js');
  const { readJsonLog, writeJsonLog } = await import('../core/json-log.js');
  const { candidates, seed, slots, free } = options;
  const logFile =
    options.out ?? join(dataFile('calibration'), options.finals === undefined ? `seed${seed}.jsonl` : 'finals.jsonl');
  let found: Candidate[];
  if (options.finals === undefined) {
    found = await withProgress(candidates, 'candidates', options.progress, ({ tick }, signal) => {
      const onCandidate = ({ index }: Candidate, { objective }: Candidate): void => {
        tick(index + 1, `best ${short(objective)}`);
      };
      return search({ candidates, seed, slots, free, logFile, signal, onCandidate });
    });
  } else {
    found = finals(options.finals.flatMap((log) => readJsonLog<Candidate>(log).lines));
    writeJsonLog(logFile, { header: JSON.stringify({ searches: options.finals }), lines: found });
  }
  const [first, best] = [found[0], options.finals === undefined ? bestOf(found) : calibration(found)];
  const targets = targetsOf(best.reading);
  const sensitivities = (options.sensitivity === true ? sensitive : []).map((name) =>
    sensitivity(name, best.constants, best.reading, seed, slots),
  );
  if (options.apply === true) {
    const values = toCalibrated(best.constants, origin().command);
    writeFileAtomic(dataFile('calibrated.json'), `${JSON.stringify(values, null, 2)}\n`);
  }
  if (options.json === true) {
    printJson({ targets, first, best, sensitivities });
    return;
  }
  const [ofFirst, ofBest] = [first, best].map(({ runs }) => score(runs, targets));
  const tables = [
    [
      ['target', 'printed', 'first', 'best'],
      ...targets.map(({ name, printed, side }, i) => [
        name,
        `${side === undefined ? '' : `${side} `}${short(printed)}`,
        ...[ofFirst, ofBest].map(({ values }) => short(values[i])),
      ]),
      ['objective', '0', short(ofFirst.objective), short(ofBest.objective)],
    ],
    [
      ['constant', 'first', 'best'],
      ...constantNames.map((name) => [name, ...[first, best].map(({ constants }) => short(constants[name]))]),
    ],
    [
      ['sensitivity of the objective', 'change', 'less', 'more'],
      ...sensitivities.map(({ name, change, less, more }) => [name, change, short(less), short(more)]),
    ],
  ].filter(({ length }) => length > 1);
  const { fig2, table2 } = best.reading;
  process.stdout.write(
    `${tables.map((rows) => textTable(rows)).join('\n\n')}\n\nU = ${fig2} in Fig. 2, ${table2} in Table II; ${found.length} candidates in ${logFile}\n`,
  );
}
