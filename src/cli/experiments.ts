import { Argument, type Command, Option } from 'commander';
import { z } from 'zod';
import { decimalNumber } from '../core/csv';
import { invalid } from '../core/errors';
import { makeFolder } from '../core/files';
import { integer } from '../core/schema';
import { profileNames, profiles } from '../paper/profiles';
import { type RunSpec, matrix, shardOf } from '../paper/run-spec';
import { RunStore, runsFolder } from '../paper/run-store';
import { type FigureId, figureIds } from '../paper/sweeps';
import { type Values, addFlags, progress, seeds, toggle, word } from './options';
import { withProgress } from './progress';
import { textTable } from './report';

const seedsAllowed = 'different integers from 0 to 4294967295 between commas';

const flags = {
  profile: z
    .enum(profileNames)
    .default('quick')
    .describe(
      'paper (5 seeds, 800 slots), quick (all within minutes), smoke (a test that everything runs), pilot or starts (comparisons of learners)',
    ),
  jobs: integer(1, 1024).default(1).describe('processes at once, of one thread each'),
  shard: z.string().transform(shard).optional().meta({
    title: 'i/n',
    description: 'only every n-th run, from the i-th on: for n machines',
  }),
  seeds: z
    .array(seeds, seedsAllowed)
    .refine((list) => new Set(list).size === list.length, seedsAllowed)
    .optional()
    .meta({ title: 'list', description: "seeds between commas (default: the profile's)" }),
  only: word('run', 'only runs whose names begin so'),
  list: toggle.describe('show the runs that are done and those that are missing, and make nothing'),
  progress,
};

type ExperimentsFlags = Values<typeof flags> & { readonly worker?: boolean };

function shard(text: string): readonly [index: number, count: number] {
  const [index, count, ...others] = text.split('/').map(decimalNumber);
  const isShard = others.length === 0 && [index, count].every(Number.isInteger) && index >= 1 && index <= count;
  if (!isShard) throw invalid('--shard', text, 'i/n with whole numbers, 1 <= i <= n');
  return [index, count];
}

export function experimentsCommand(program: Command): void {
  const command = program
    .command('experiments')
    .description('make the runs behind the figures and tables, those that are not stored yet')
    .addArgument(new Argument('[figures...]', 'figures and tables, default all').choices([...figureIds, 'all']))
    .addOption(new Option('--worker').hideHelp())
    .action(runExperiments);
  addFlags(command, flags).addHelpText(
    'after',
    `
Each run is one small JSON file in data/runs/<profile>/ (or $LYREO_RUNS/<profile>/), named after its method, the fields
that are not default, its seed and a hash of all that determines its result. Runs that are there are skipped; folders are
merged by copying. --jobs shares the runs out to processes, --shard to commands or machines; two commands without --shard
may make the same run twice, with the same result. Seed 1 of everything comes first. Ctrl-C ends it; the next call
continues, a training from its last checkpoint. Exit code 1: some runs failed, the others are stored.

Examples:
  $ lyreo experiments --jobs 2                                everything, quick
  $ lyreo experiments fig4 fig5 --profile paper --jobs 8
  $ lyreo experiments --profile paper --shard 3/16            on the third of sixteen machines
  $ lyreo experiments --profile paper --list`,
  );
}

async function runExperiments(names: readonly string[], options: ExperimentsFlags): Promise<void> {
  if (options.worker === true) {
    (await import('./experiments-pool.js')).worker();
    return;
  }
  const profile = profiles[options.profile];
  const store = new RunStore(runsFolder(profile.name));
  const specs = wantedRuns(names, options);
  const { done, missing } = store.sort(specs);
  if (options.list === true) {
    process.stdout.write(listText(specs, missing));
    return;
  }
  const finished = [...done];
  const running = new Map<RunSpec, number>();
  let failed: readonly string[] = [];
  await withProgress(secondsOf(specs), 'core seconds', options.progress, async ({ startAt, tick, say }, signal) => {
    if (missing.length === 0) return;
    startAt(secondsOf(done));
    makeFolder(store.folder);
    const { makeAll } = await import('./experiments-pool.js');
    failed = await makeAll(missing, options.jobs, signal, say, (spec, update) => {
      if (update !== undefined) running.set(spec, update);
      else if (running.delete(spec)) finished.push(spec);
      const runs = [...running];
      // By share of the work, since runs differ in cost.
      const share = runs.reduce((sum, [{ cost }, k]) => sum + (cost * k) / (profile.updates + 1), secondsOf(finished));
      const labels = runs.map(([{ name, seed }, k]) => `${name}-s${seed}${k > 0 ? `:${k}` : ''}`);
      tick(share, `${finished.length}/${specs.length} runs  ${labels.join(' ')}`);
    });
  });
  const made = store.sort(specs).done.length;
  const note = failed.length > 0 ? `; ${failed.length} failed` : '';
  process.stdout.write(`${profile.name}: ${made} of ${specs.length} runs stored in ${store.folder}${note}\n`);
  if (failed.length > 0) process.exitCode = 1;
}

function wantedRuns(names: readonly string[], { profile: name, seeds, only = '', shard }: ExperimentsFlags): RunSpec[] {
  const profile = profiles[name];
  const wanted = names.length === 0 || names.includes('all') ? figureIds : (names as FigureId[]);
  const all = matrix(profile, wanted, seeds);
  if (all.length === 0) {
    const has = new Set(matrix(profile).flatMap((spec) => spec.figureIds));
    throw invalid(`figures of the profile ${name}`, wanted.join(', '), [...has].join(', '));
  }
  const specs = all.filter(({ key }) => key.startsWith(only));
  if (specs.length === 0) throw invalid('--only', only, "the beginning of a run's name, see --list");
  return shard === undefined ? specs : shardOf(specs, ...shard);
}

function secondsOf(specs: readonly RunSpec[]): number {
  return specs.reduce((sum, { cost }) => sum + cost, 0);
}

function listText(specs: readonly RunSpec[], missing: readonly RunSpec[]): string {
  const rows = specs.map((spec) => [spec.key, missing.includes(spec) ? 'missing' : 'done', spec.figureIds.join(' ')]);
  const minutes = Math.ceil(secondsOf(missing) / 60);
  const left = missing.length === 0 ? '' : `; the others take roughly ${minutes} minutes of one core`;
  const done = `${specs.length - missing.length} of ${specs.length} runs are done${left}`;
  return `${textTable([['run', 'state', 'shown by'], ...rows])}\n${done}\n`;
}
