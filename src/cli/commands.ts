import type { Command } from 'commander';
import { calibrateCommand } from './calibrate';
import { evaluateCommand } from './evaluate';
import { experimentsCommand } from './experiments';
import { replayCommand } from './replay';
import { schedulersCommand } from './schedulers';
import { scoreboardCommand } from './scoreboard';
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
  experimentsCommand,
  scoreboardCommand,
  calibrateCommand,
  schedulersCommand,
];
