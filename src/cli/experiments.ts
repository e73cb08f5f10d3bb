import { Argument, type Command, Option } from 'commander';
import { z } from 'zod';
import { UserError, invalid } from '../core/errors';
import { makeFolder } from '../core/files';
import { decimalNumber } from '../core/csv';
import { type ProfileName, profileNames, profiles } from '../paper/profiles';
import { type RunSpec, matrix, shardOf } from '../paper/run-spec';
import { type FigureId, figureIds } from '../paper/sweeps';
import { RunStore, runsFolder } from '../paper/run-store';
import { integer } from '../core/schema';
import { interruptible } from './interrupt';
import { addProgressOptions, option } from './options';
import { createProgress } from './progress';
import { textTable } from './report';

interface ExperimentsFlags {
  readonly profile: ProfileName;
  readonly jobs: number;
  readonly shard?: readonly [index: number, count: number];
  readonly seeds?: readonly number[];
  readonly only?: string;
  readonly list?: boolean;
  readonly progress?: boolean;
  readonly worker?: boolean;
}

export function experimentsCommand(program: Command): void {
  const command = program
    .command('experiments')
    .description('make the runs behind the figures and tables, those that are not stored yet')
    .addArgument(new Argument('[figures...]', 'figures and tables, default all').choices([...figureIds, 'all']))
    .addOption(
      option(
        '--profile <name>',
        'paper (5 seeds, 800 slots), quick (all within minutes), smoke (a test that everything runs), pilot or starts (comparisons of learners)',
        z.enum(profileNames),
        'quick',
      ),
    )
    .addOption(option('--jobs <n>', 'processes at once, of one thread each', integer(1, 1024), 1))
    .option('--shard <i/n>', 'only every n-th run, from the i-th on: for n machines', shardOption)
    .addOption(option('--seeds <list>', "seeds between commas (default: the profile's)", seedLists))
    .option('--only <run>', 'only runs whose names begin so')
    .option('--list', 'show what is done and what is missing, and make nothing')
    .addOption(new Option('--worker').hideHelp());
  addProgressOptions(command)
    .addHelpText(
      'after',
      `
Each run is one small JSON file in data/runs/<profile>/ (or $LYREO_RUNS/<profile>/), named after its method, what is not
default, its seed and a hash of all that determines its result. Runs that are there are skipped; folders are merged by
copying. There are no lock files: --jobs shares the runs out to the processes of one command, --shard to several commands
or machines. Two commands without --shard may make the same run twice; both write the same result, and no file is ever
half a run. Seed 1 of everything comes first. Ctrl-C ends it; the next call continues, a training from its last
checkpoint. Exit code 1: some runs failed, the others are stored.

Examples:
  $ lyreo experiments --jobs 2                                everything, quick
  $ lyreo experiments fig4 fig5 --profile paper --jobs 8
  $ lyreo experiments --profile paper --shard 3/16            on the third of sixteen machines
  $ lyreo experiments --profile paper --list`,
    )
    .action(async (names: readonly string[], flags: ExperimentsFlags) => {
      if (flags.worker === true) {
        (await import('./experiments-pool.js')).worker();
        return;
      }
      process.exitCode = await interruptible((signal) => experiments(names, flags, signal));
    });
}

function shardOption(text: string): readonly [number, number] {
  const [index, count, ...others] = text.split('/').map(decimalNumber);
  const isShard = others.length === 0 && [index, count].every(Number.isInteger) && index >= 1 && index <= count;
  if (!isShard) throw invalid('--shard', text, 'i/n with whole numbers, 1 <= i <= n');
  return [index, count];
}

const allowedSeeds = 'different integers from 0 to 4294967295 between commas';
const seedLists: z.ZodType<readonly number[]> = z
  .array(
    z
      .int(allowedSeeds)
      .min(0, allowedSeeds)
      .max(2 ** 32 - 1, allowedSeeds),
    allowedSeeds,
  )
  .refine((list) => new Set(list).size === list.length, allowedSeeds);

/** Makes the missing runs; returns the exit code. */
async function experiments(names: readonly string[], flags: ExperimentsFlags, signal: AbortSignal): Promise<number> {
  const { shard, only = '' } = flags;
  const profile = profiles[flags.profile];
  const store = new RunStore(runsFolder(profile.name));
  const wanted = names.length === 0 || names.includes('all') ? figureIds : (names as FigureId[]);
  const all = matrix(profile, wanted, flags.seeds);
  if (all.length === 0) {
    const has = new Set(matrix(profile).flatMap((spec) => spec.figureIds));
    throw invalid(`figures of the profile ${profile.name}`, wanted.join(', '), [...has].join(', '));
  }
  let specs = all.filter(({ key }) => key.startsWith(only));
  if (only !== '' && specs.length === 0)
    throw new UserError(`--only is ${JSON.stringify(only)}; allowed: the beginning of a run's name, see --list`);
  if (shard !== undefined) specs = shardOf(specs, ...shard);
  const { done, missing } = store.sort(specs);
  if (flags.list === true) {
    process.stdout.write(listText(specs, new Set(done)));
    return 0;
  }
  const progress = createProgress(secondsOf(specs), 'core seconds', flags.progress, secondsOf(done));
  const finished = [...done];
  const running = new Map<RunSpec, number>();
  // By share of the work, since runs differ in cost.
  const change = (spec: RunSpec, update?: number): void => {
    if (update !== undefined) running.set(spec, update);
    else if (running.delete(spec)) finished.push(spec);
    const runs = [...running];
    const share = runs.reduce((sum, [{ cost }, k]) => sum + (cost * k) / (profile.updates + 1), secondsOf(finished));
    const labels = runs.map(([{ name, seed }, k]) => `${name}-s${seed}${k > 0 ? `:${k}` : ''}`);
    progress.tick(share, `${finished.length}/${specs.length} runs  ${labels.join(' ')}`);
  };
  let failed: readonly string[] = [];
  try {
    if (missing.length > 0) {
      makeFolder(store.folder);
      const { makeAll } = await import('./experiments-pool.js');
      failed = await makeAll(missing, { ...flags, signal }, { change, say: progress.say });
    }
  } finally {
    progress.end();
  }
  const made = store.sort(specs).done.length;
  const note = failed.length > 0 ? `; ${failed.length} failed` : '';
  process.stdout.write(`${profile.name}: ${made} of ${specs.length} runs stored in ${store.folder}${note}\n`);
  return failed.length > 0 ? 1 : 0;
}

function secondsOf(specs: readonly RunSpec[]): number {
  return specs.reduce((sum, { cost }) => sum + cost, 0);
}

/** Every run with its state, by figure the numbers of both. */
function listText(specs: readonly RunSpec[], done: ReadonlySet<RunSpec>): string {
  const rows = specs.map((spec) => [spec.key, done.has(spec) ? 'done' : 'missing', spec.figureIds.join(' ')]);
  const missing = specs.filter((spec) => !done.has(spec));
  const minutes = Math.ceil(secondsOf(missing) / 60);
  const left = missing.length === 0 ? '' : `; the others take roughly ${minutes} minutes of one core`;
  return `${textTable([['run', 'state', 'shown by'], ...rows])}\n${done.size} of ${specs.length} runs are done${left}\n`;
}
