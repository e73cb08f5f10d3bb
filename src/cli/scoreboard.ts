import type { Command } from 'commander';
import { z } from 'zod';
import { writeFileAtomic } from '../core/atomic';
import { UserError } from '../core/errors';
import { readTextFile } from '../core/files';
import { withUnit } from '../paper/judgement';
import { profileNames } from '../paper/profiles';
import type { Scoreboard, ScoreboardRow } from '../paper/scoreboard';
import { printJson } from './console';
import { type Values, addFlags, toggle } from './options';
import { short } from './report';

const flags = {
  profile: z
    .enum(profileNames)
    .default('paper')
    .describe(`profile of the runs: ${profileNames.join(', ')}`),
  json: toggle.describe('print one JSON object: profile, summary, headline, claims, settings, rows'),
};

export function scoreboardCommand(program: Command): void {
  const command = program
    .command('scoreboard')
    .description(
      'every number and claim of the paper against the stored runs: holds, contradicted, not shown, cannot be tested',
    );
  addFlags(command, flags)
    .option(
      '--readme <files...>',
      "write the verdict and the table of results, ours beside the paper's, between their marks in Markdown files",
    )
    .addHelpText(
      'after',
      `
The verdicts are computed, none is set by hand; notebooks/19-scoreboard.ipynb has the rules. Each row names its rule and
the runs that decide it. An overloaded run counts as the worst. Verdicts are those of LYREO (request credit); "printed:"
has those of LYREO (printed) where they differ. The first two lines of the summary count claims once: claims that follow
from others, that have a grid of our choice or that only describe a drawing are counted apart.

Examples:
  $ lyreo scoreboard --profile quick
  $ lyreo scoreboard --json | jq '.rows[] | select(.verdict == "contradicted") | .id'
  $ lyreo scoreboard --readme README.md docs/results.md`,
    )
    .action(runScoreboard);
}

async function runScoreboard(
  { profile, json, readme }: Values<typeof flags> & { readonly readme?: readonly string[] },
  command: Command,
): Promise<void> {
  if (readme !== undefined) {
    // Its rows are each from the profile that has most of its runs.
    if (command.getOptionValueSource('profile') === 'cli' || json === true)
      throw new UserError('--readme is given with --profile or --json; allowed: --readme alone');
    const { withBlocks } = await import('../paper/result-table.js');
    for (const file of readme) writeFileAtomic(file, withBlocks(readTextFile(file), file));
    return;
  }
  const { scoreboard } = await import('../paper/scoreboard.js');
  const { Results } = await import('../paper/results.js');
  const board = scoreboard(Results.load(profile));
  if (json === true) printJson(board);
  else process.stdout.write(scoreboardText(board));
}

function scoreboardText({ rows, summary, profile }: Scoreboard): string {
  const blocks = [...new Set(rows.map(({ figureId }) => figureId))].map((figureId) => {
    const lines = rows.filter((row) => row.figureId === figureId).map(rowText);
    return `${figureId}\n${lines.join('\n')}\n`;
  });
  return `${blocks.join('\n')}\n${profile}:\n${summary}\n`;
}

function rowText(row: ScoreboardRow): string {
  const { claim, paper, unit, ours, of, reason, id, kind, mark, repeats, verdict, lyreoPrinted, cause } = row;
  const notes = [id];
  if (mark !== null) notes.push(mark);
  if (repeats.length > 0) notes.push(`repeats ${repeats.join(', ')}`);
  if (lyreoPrinted !== null && lyreoPrinted.verdict !== verdict) notes.push(`printed: ${lyreoPrinted.verdict}`);
  const numbers =
    kind === 'number' && ours !== null ? `; ours ${withUnit(short(ours.mean), unit)}, ${ours.n} seeds` : '';
  const lines = [
    `${verdict.padEnd(16)}  ${claim}${paper === '' ? '' : `  paper ${paper}${numbers}`}`,
    `${' '.repeat(18)}${reason === '' ? of : reason}  (${notes.join('; ')})`,
  ];
  if (cause !== null) lines.push(`${' '.repeat(18)}Why: ${cause.text} notebooks/${cause.notebook}, "${cause.heading}"`);
  return lines.map((line) => `  ${line}`).join('\n');
}
