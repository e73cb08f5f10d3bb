import type { Command } from 'commander';
import { evaluateCommand } from './evaluate';
import { replayCommand } from './replay';
import { schedulersCommand } from './schedulers';
import { simulateCommand } from './simulate';
import { trainCommand } from './train';

/**
 * A subcommand: adds itself to the program. One file each, `src/cli/<name>.ts` with `<name>Command`; it imports what is
 * slow to load, TensorFlow above all, inside its action, so that `lyreo --help` stays quick.
 */
export type AddCommand = (program: Command) => void;

/** The subcommands, in the order of the help. A new one is one line here. */
export const commands: readonly AddCommand[] = [
  replayCommand,
  simulateCommand,
  trainCommand,
  evaluateCommand,
  schedulersCommand,
];
