import { UserError } from '../core/errors';
import { formatNumber, withUnit } from './judgement';
import type { ProfileName } from './profiles';
import type { Section } from './claims';
import { Results, figureRuns, storedProfile } from './results';
import { count, countText, headlineText } from './headline';
import { verdictSentences } from './verdict';
import { type Scoreboard, type ScoreboardRow, notebookOf, scoreboard } from './scoreboard';

/** Quantities whose statements are quoted; statements on others, and percentages, are counted. */
const QUANTITIES = ['latency', 'deviation', 'mean virtual queue'] as const;

/** The kinds of claims of a figure, in the order in which they are counted. */
const KINDS: readonly ScoreboardRow['kind'][] = ['number', 'order', 'trend', 'shape', 'bound'];

/**
 * A row for each figure and table of the paper as Markdown: notebook, the command that makes its runs, the seconds that
 * the stored ones took, and what the paper states beside ours. Each from the profile that has most of its runs.
 */
export function resultTable(): string {
  const boards = new Map<ProfileName, Scoreboard & { readonly results: Results }>();
  const of = (profile: ProfileName): Scoreboard & { readonly results: Results } => {
    let board = boards.get(profile);
    if (board === undefined) {
      const results = Results.load(profile);
      board = { ...scoreboard(results), results };
      boards.set(profile, board);
    }
    return board;
  };
  const sections = Object.keys(notebookOf) as Section[];
  const rows = sections.map((section) => {
    const board = of(storedProfile(section, (profile) => of(profile).results));
    return resultRow(section, board, board.results);
  });
  const { headline: both, claims, profile } = of('paper');
  const all = claims.holds + claims.doesNotHold + claims.cannotBeTested;
  const table = alignedTable([
    ['Figure', 'Notebook', 'Command', 'Wall time of one process', 'Paper', 'Ours'],
    ['Fig. 1', '`00`', '`npm run notebooks -- 00`', '', 'the system model', 'the same, drawn from the model'],
    ...rows,
    ['all claims', '`19`', `\`npx lyreo scoreboard --profile ${profile}\``, '', `${all} claims`, countText(claims)],
  ]);
  return [
    `- **LYREO (request credit), ours: ${headlineText(both.requestCredit)}.**`,
    `- LYREO (printed), the text's form: ${headlineText(both.printed)}.\n`,
    table,
  ].join('\n');
}

function resultRow(section: Section, { rows, profile }: Scoreboard, results: Results): string[] {
  const own = rows.filter((row) => row.figureId === section);
  const values = (text: (row: ScoreboardRow) => string): string[] =>
    QUANTITIES.flatMap((quantity, k) => {
      const quoted = own.filter(
        ({ kind, claim, unit }) => kind === 'number' && claim.startsWith(`${quantity} `) && unit !== '%',
      );
      const list = quoted.map((row) => `${row.of.replace(/ at (.+)$/, ' ($1)')} ${text(row)}`).join(', ');
      return quoted.length === 0 ? [] : [`${k === 0 ? '' : `${quantity}: `}${list}`];
    });
  const kinds = KINDS.map((kind) => [kind, own.filter((row) => row.kind === kind).length] as const)
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => `${n} ${kind}${n === 1 ? '' : 's'}`);
  return [
    section === 'table2' ? 'Table II' : section.replace('fig', 'Fig. '),
    `\`${notebookOf[section].replace(/^notebooks\/(\d+)-.*$/, '$1')}\``,
    `\`npx lyreo experiments ${section} --profile ${profile}\``,
    wallText(section, results),
    [...values(({ paper }) => paper), kinds.join(', ')].join('; '),
    [...values(oursText), countText(count(own))].join('; '),
  ];
}

/** In the paper's unit, with three digits. */
function oursText({ ours, unit, verdict }: ScoreboardRow): string {
  if (ours === null) return verdict === 'cannot be tested' ? 'not decided' : 'overloaded';
  return withUnit(formatNumber(ours.mean), unit);
}

/** The wall time of the runs behind a figure, those included that it shares with others. */
function wallText(section: Section, results: Results): string {
  const { series, missing } = figureRuns(section, results);
  const runs = new Set(series.flatMap(({ points }) => points.flatMap((point) => point.runs)));
  const minutes = [...runs].reduce((sum, { wallSeconds }) => sum + wallSeconds, 0) / 60;
  const time = minutes < 90 ? `${Math.max(1, Math.round(minutes))} min` : `${(minutes / 60).toFixed(1)} h`;
  return missing.length === 0 ? time : `${time} for ${runs.size} of ${runs.size + missing.length} runs`;
}

/** A Markdown table with its columns aligned. */
function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, c) => cell.padEnd(widths[c])).join(' | ')} |`;
  return [line(rows[0]), line(widths.map((width) => '-'.repeat(width))), ...rows.slice(1).map(line)].join('\n');
}

/** The verdict as a list of sentences. */
function verdictText(): string {
  return verdictSentences(Results.load(storedProfile('fig2')))
    .map((sentence) => `- ${sentence}`)
    .join('\n');
}

/** The texts that a Markdown file may hold, each between two marks. */
const blocks: Readonly<Record<string, () => string>> = { verdict: verdictText, results: resultTable };

/**
 * A text whose blocks are written anew between their marks: three sentences after `<!-- verdict: … -->`, the table after
 * `<!-- results: … -->`.
 *
 * @param where the file, for the error.
 * @throws UserError when it has no marks.
 */
export function withBlocks(text: string, where: string, made: Readonly<Record<string, () => string>> = blocks): string {
  const names = Object.keys(made).filter((name) => patternOf(name).test(text));
  if (names.length === 0)
    throw new UserError(
      `${where} has no place for the results; allowed: a text with <!-- verdict: --> and <!-- /verdict -->, or <!-- results: --> and <!-- /results -->`,
    );
  return names.reduce(
    (done, name) => done.replace(patternOf(name), (_, start, end) => `${start}\n\n${made[name]()}\n\n${end}`),
    text,
  );
}

const patternOf = (name: string): RegExp => new RegExp(`(<!-- ${name}:[^>]*-->).*?(<!-- /${name} -->)`, 's');
