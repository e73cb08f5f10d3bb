import type { Command } from 'commander';
import { writeFileAtomic } from '../core/atomic';
import { UserError } from '../core/errors';
import { readTextFile } from '../core/files';
import { withUnit } from '../paper/judgement';
import { type ProfileName, profileNames } from '../paper/matrix';
import type { Scoreboard, ScoreboardRow } from '../paper/scoreboard';
import { wordOption } from './options';
import { short } from './report';

interface ScoreboardFlags {
  readonly profile: ProfileName;
  readonly json?: boolean;
  readonly readme?: string;
}

/** `lyreo scoreboard`. */
export function scoreboardCommand(program: Command): void {
  program
    .command('scoreboard')
    .description('every number and claim of the paper against the stored runs: holds, does not, cannot be tested')
    .option(
      '--profile <name>',
      `whose runs: ${profileNames.join(', ')}`,
      wordOption('--profile', profileNames),
      'paper',
    )
    .option('--json', 'print one JSON object: profile, summary, claims, settings, rows')
    .option(
      '--readme <file>',
      "write the table of results, ours beside the paper's, between its marks in a Markdown file",
    )
    .addHelpText(
      'after',
      `
The verdicts are computed, none is set by hand. A printed number holds if the 95 % interval of our mean over seeds meets
±10 % of it; one that meets it but is wider than ±25 % of it decides nothing. An order holds if the paired 95 % interval
of the difference over seeds lies on its side of 0, so that "no significant difference" does not hold. What does not
hold is contradicted, our interval on the other side, or only not shown. Each row names its rule and the runs that
decide it.

Examples:
  $ lyreo scoreboard
  $ lyreo scoreboard --json | jq '.rows[] | select(.isContradicted) | .id'
  $ lyreo scoreboard --profile quick
  $ lyreo scoreboard --readme README.md`,
    )
    .action(async ({ profile, json, readme }: ScoreboardFlags, command: Command) => {
      if (readme !== undefined) {
        // Its rows are each from the profile that has most of its runs.
        if (command.getOptionValueSource('profile') === 'cli' || json === true)
          throw new UserError('--readme is given with --profile or --json; allowed: --readme alone');
        const { resultTable, withTable } = await import('../paper/result-table.js');
        writeFileAtomic(readme, withTable(readTextFile(readme), resultTable(), readme));
        return;
      }
      const { scoreboard } = await import('../paper/scoreboard.js');
      const { Results } = await import('../paper/results.js');
      const board = scoreboard(Results.load(profile));
      process.stdout.write(json === true ? `${JSON.stringify(board)}\n` : scoreboardText(board));
    });
}

/** All rows by artefact, and the summary last. */
function scoreboardText({ rows, summary, profile }: Scoreboard): string {
  const artefacts = [...new Set(rows.map(({ artefact }) => artefact))];
  const blocks = artefacts.map((artefact) => {
    const lines = rows.filter((row) => row.artefact === artefact).map(rowText);
    return `${artefact}\n${lines.join('\n')}\n`;
  });
  return `${blocks.join('\n')}\n${profile}: ${summary}\n`;
}

function rowText(row: ScoreboardRow): string {
  const { verdict, isContradicted, claim, paper, unit, ours, of, reason, id, kind } = row;
  const numbers =
    kind === 'number' && ours !== null ? `; ours ${withUnit(short(ours.mean), unit)}, ${ours.n} seeds` : '';
  const printed = paper === '' ? '' : `  paper ${paper}${numbers}`;
  const about = reason === '' ? of : reason;
  const decision = verdict === 'does not hold' ? (isContradicted ? 'contradicted' : 'not shown') : verdict;
  return `  ${decision.padEnd(16)}  ${claim}${printed}\n  ${' '.repeat(16)}  ${about}  (${id})`;
}
