import { Command, CommanderError } from 'commander';
import { UserError } from '../core/errors';
import { packageVersion } from '../core/files';
import { calibrateCommand } from './calibrate';
import { evaluateCommand } from './evaluate';
import { experimentsCommand } from './experiments';
import { Interrupted } from './progress';
import { replayCommand } from './replay';
import { scoreboardCommand } from './scoreboard';
import { schedulersCommand, simulateCommand } from './simulate';
import { trainCommand } from './train';

/**
 * The subcommands in the order of the help. Each imports modules that are slow to load, TensorFlow above all, inside its
 * action, so that `lyreo --help` stays quick.
 */
const commands: readonly ((program: Command) => void)[] = [
  replayCommand,
  simulateCommand,
  trainCommand,
  evaluateCommand,
  experimentsCommand,
  scoreboardCommand,
  calibrateCommand,
  schedulersCommand,
];

/** Runs the command line and sets the exit code; never throws. */
export async function runCli(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes the pipe, such as `head`, is no fault; a full disk is one.
    if (error.code === 'EPIPE') process.exit();
    process.stderr.write(`the output cannot be written (${error.code ?? error.message}); allowed: a place with room\n`);
    process.exit(2);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
  const program = new Command('lyreo')
    .description('Request scheduling for edge LLM serving: an exact serving model, LYREO and its rivals.')
    .version(packageVersion())
    .showHelpAfterError('(--help shows the options)')
    .addHelpText(
      'after',
      `
Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 a fault of lyreo, 2 a fault of the input
(its message names place, value and allowed values), 130 interrupted. A file is written whole or not at all.

Examples:
  $ lyreo simulate --scheduler drift-plus-penalty
  $ lyreo simulate --trace requests.csv --load rescale:20 --json
  $ lyreo replay scenario.json > result.json
  $ lyreo simulate --help`,
    );
  // Set before the subcommands are added: they inherit it.
  program.exitOverride();
  for (const add of commands) add(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  // Commander has printed its message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isOfUser = error instanceof UserError;
  const message = error instanceof Error ? (isOfUser ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`${message}\n`);
  return isOfUser ? 2 : 1;
}
