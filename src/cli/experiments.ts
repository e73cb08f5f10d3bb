import { type Command, Option } from 'commander';
import { invalid } from '../core/errors';
import { decimalNumber } from '../core/csv';
import { type ProfileName, artefacts, profileNames } from '../paper/matrix';
import { interruptible } from './interrupt';
import { integerOption, wordOption } from './options';

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
  program
    .command('experiments')
    .description('make the runs behind the figures and tables, those that are not stored yet')
    .argument('[artefacts...]', `${artefacts.join(', ')}, or all`)
    .option(
      '--profile <name>',
      'paper (5 seeds, 800 slots), quick (all within minutes) or smoke (whether it runs at all)',
      wordOption('--profile', profileNames),
      'quick',
    )
    .option('--jobs <n>', 'processes at once, of one thread each', integerOption('--jobs', 1, 1024), 1)
    .option('--shard <i/n>', 'only every n-th run, from the i-th on: for n machines', shardOption)
    .option('--seeds <list>', "seeds between commas (default: the profile's)", seedsOption)
    .option('--only <run>', 'only runs whose names begin so')
    .option('--list', 'show what is done and what is missing, and make nothing')
    .option('--progress', 'show progress on stderr even when it is no terminal')
    .option('--no-progress', 'show no progress')
    .addOption(new Option('--worker').hideHelp())
    .addHelpText(
      'after',
      `
Each run is one small JSON file in data/runs/<profile>/ (or $LYREO_RUNS/<profile>/), named after its method, what is not
default, its seed and a hash of all that determines its result. Runs that are there are skipped; folders are merged by
copying. There are no lock files: --jobs shares the runs out to the processes of one command, --shard to several commands
or machines. Two commands without --shard may make the same run twice; both write the same result, and no file is ever
half a run. Seed 1 of everything comes first. Ctrl-C ends it; the next call goes on, a training from its last
checkpoint. Exit code 1: some runs failed, the others are stored.

Examples:
  $ lyreo experiments --jobs 2                                everything, quick
  $ lyreo experiments fig4 fig5 --profile paper --jobs 8
  $ lyreo experiments --profile paper --shard 3/16            on the third of sixteen machines
  $ lyreo experiments --profile paper --list`,
    )
    .action(async (names: readonly string[], flags: ExperimentsFlags) => {
      const { experiments, worker } = await import('./experiments-pool.js');
      if (flags.worker === true) {
        await worker(flags.profile);
        return;
      }
      process.exitCode = await interruptible((signal) => experiments({ ...flags, names, signal }));
    });
}

function shardOption(text: string): Shard {
  const [index, count, ...others] = text.split('/').map(decimalNumber);
  const isShard =
    others.length === 0 && Number.isInteger(index) && Number.isInteger(count) && index >= 1 && index <= count;
  if (!isShard) throw invalid('--shard', text, 'i/n with whole numbers, 1 <= i <= n');
  return { index, count };
}

function seedsOption(text: string): readonly number[] {
  const seeds = text.split(',').map((word) => decimalNumber(word.trim()));
  if (
    !seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32) ||
    new Set(seeds).size < seeds.length
  )
    throw invalid('--seeds', text, 'different integers from 0 to 4294967295 between commas');
  return seeds;
}
