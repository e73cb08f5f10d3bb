import type { Command } from 'commander';

/** `lyreo calibrate`. */
export function calibrateCommand(program: Command): void {
  program.command('calibrate').description('fit the free constants');
}
