import { type Command, Option } from 'commander';
import { z } from 'zod';
import { UserError, invalid } from '../core/errors';
import { makeFolder } from '../core/folder';
import { decimalNumber } from '../core/csv';
import { matrix, shardOf } from '../paper/matrix';
import { type ProfileName, profileNames, profiles } from '../paper/profiles';
import type { Cell } from '../paper/run-spec';
import { artefacts, readArtefacts } from '../paper/sweeps';
import { RunStore, runsFolder } from '../paper/run-store';
import { integer } from '../system/config-schema';
import { interruptible } from './interrupt';
import type { Status } from './experiments-pool';
import { addProgressOptions, option } from './options';
import { type Progress, createProgress } from './progress';
import { alignColumns } from './report';

interface ExperimentsFlags {
  readonly profile: ProfileName;
  readonly jobs: number;
  readonly shard?: Shard;
  readonly seeds?: readonly number[];
  readonly only?: string;
  readonly list?: boolean;
  readonly progress?: boolean;
  readonly worker?: boolean;
}

/** i of n, from 1. */
interface Shard {
  readonly index: number;
  readonly count: number;
}

/** `lyreo experiments`. */
export function experimentsCommand(program: Command): void {
  const command = program
    .command('experiments')
    .description('make the runs behind the figures and tables, those that are not stored yet')
    .argument('[artefacts...]', `${artefacts.join(', ')}, or all`)
    .addOption(
      option(
        '--profile <name>',
        'paper (5 seeds, 800 slots), quick (all within minutes) or smoke (a test that everything runs)',
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
        const { worker } = await import('./experiments-pool.js');
        await worker(flags.profile);
        return;
      }
      process.exitCode = await interruptible((signal) => experiments(names, flags, signal));
    });
}

function shardOption(text: string): Shard {
  const [index, count, ...others] = text.split('/').map(decimalNumber);
  const isShard =
    others.length === 0 && Number.isInteger(index) && Number.isInteger(count) && index >= 1 && index <= count;
  if (!isShard) throw invalid('--shard', text, 'i/n with whole numbers, 1 <= i <= n');
  return { index, count };
}

const allowedSeeds = 'different integers from 0 to 4294967295 between commas';
const seedLists: z.ZodType<readonly number[]> = z
  .array(
    z
      .int(allowedSeeds)
      .min(0, allowedSeeds)
      .max(2 ** 32 - 1, allowedSeeds),
  )
  .refine((list) => new Set(list).size === list.length, allowedSeeds);

/** Makes the missing runs; returns the exit code. */
async function experiments(names: readonly string[], flags: ExperimentsFlags, signal: AbortSignal): Promise<number> {
  const { shard, only } = flags;
  const profile = profiles[flags.profile];
  const store = new RunStore(runsFolder(profile.name));
  let cells = matrix(profile, readArtefacts(names), flags.seeds);
  if (only !== undefined) {
    cells = cells.filter(({ key }) => key.startsWith(only));
    if (cells.length === 0)
      throw new UserError(`--only is ${JSON.stringify(only)}; allowed: the beginning of a run's name, see --list`);
  }
  if (shard !== undefined) cells = shardOf(cells, shard.index, shard.count);
  const { done, missing } = store.sort(cells);
  if (flags.list === true) {
    process.stdout.write(listText(cells, new Set(done.map(({ key }) => key))));
    return 0;
  }
  const status = statusOf(cells, done, flags.progress);
  let failed: readonly string[] = [];
  try {
    if (missing.length > 0) {
      makeFolder(store.folder);
      const { makeAll } = await import('./experiments-pool.js');
      failed = await makeAll(missing, { ...flags, signal }, status);
    }
  } finally {
    status.end();
  }
  const made = store.sort(cells).done.length;
  const note = failed.length > 0 ? `; ${failed.length} failed` : '';
  process.stdout.write(`${profile.name}: ${made} of ${cells.length} runs stored in ${store.folder}${note}\n`);
  return failed.length > 0 ? 1 : 0;
}

/** A display by share of the work, since runs differ in cost. */
function statusOf(
  cells: readonly Cell[],
  done: readonly Cell[],
  wanted: boolean | undefined,
): Status & Pick<Progress, 'end'> {
  const before = secondsOf(done);
  const progress = createProgress(secondsOf(cells), 'core seconds', wanted, before);
  const running = new Map<Cell, number>();
  let [finished, count] = [before, done.length];
  const show = (): void => {
    const runs = [...running];
    const shares = runs.map(([cell, update]) => (cell.cost * update) / (profiles[cell.profile].updates + 1));
    const labels = runs.map(([{ name, seed }, update]) => `${name}-s${seed}${update > 0 ? `:${update}` : ''}`);
    const share = shares.reduce((sum, x) => sum + x, finished);
    progress.tick(share, `${count}/${cells.length} runs  ${labels.join(' ')}`);
  };
  return {
    update: (cell, update) => {
      running.set(cell, update);
      show();
    },
    finish: (cell) => {
      running.delete(cell);
      finished += cell.cost;
      count++;
      show();
    },
    say: progress.say,
    end: progress.end,
  };
}

/** Estimated seconds of one core. */
function secondsOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { cost }) => sum + cost, 0);
}

/** Every run with its state, by artefact the numbers of both. */
function listText(cells: readonly Cell[], done: ReadonlySet<string>): string {
  const rows = cells.map((cell) => [cell.key, done.has(cell.key) ? 'done' : 'missing', cell.artefacts.join(' ')]);
  const missing = cells.filter(({ key }) => !done.has(key));
  const minutes = Math.ceil(secondsOf(missing) / 60);
  const left = missing.length === 0 ? '' : `; the others take roughly ${minutes} minutes of one core`;
  return `${alignColumns([['run', 'state', 'shown by'], ...rows])}\n${cells.length - missing.length} of ${cells.length} runs are done${left}\n`;
}
