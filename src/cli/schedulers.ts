import type { Command } from 'commander';
import { descriptions, schedulerNames } from '../schedulers/index';

/** One line per scheduler. */
export function schedulerList(): string {
  const width = Math.max(...schedulerNames.map((name) => name.length));
  return schedulerNames.map((name) => `  ${name.padEnd(width)}  ${descriptions[name]}`).join('\n');
}

/** `lyreo schedulers`. */
export function schedulersCommand(program: Command): void {
  program
    .command('schedulers')
    .description('list the schedulers that need no learning')
    .action(() => {
      process.stdout.write(`${schedulerList()}\n`);
    });
}
