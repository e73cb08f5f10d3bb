import type { Command } from 'commander';

/** `lyreo scoreboard`. */
export function scoreboardCommand(program: Command): void {
  program.command('scoreboard').description('every claim of the paper and whether it holds');
}
