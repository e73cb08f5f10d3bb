import { UserError } from '../core/errors';
import { formatNumber, withUnit } from './judgement';
import { type FigureRuns, Results, figureRuns, storedProfile } from './results';
import { type ScoreboardRow, count, countText, headlineText, notebookOf, scoreboard, total } from './scoreboard';
import type { Section } from './sweeps';
import { verdictSentences } from './verdict';

/** Quantities whose statements are quoted; statements on others, and percentages, are counted. */
const QUANTITIES = ['latency', 'deviation', 'mean virtual queue'] as const;

/** The kinds of claims of a figure, in the order in which they are counted. */
const KINDS: readonly ScoreboardRow['kind'][] = ['number', 'order', 'trend', 'shape', 'bound'];

/**
 * A row for each figure and table of the paper as Markdown: notebook, the command that makes its runs, the seconds that
 * the stored ones took, and the paper's numbers beside ours. Each from the profile that has most of its runs.
 */
export function resultTable(): string {
  const results = { paper: Results.load('paper'), quick: Results.load('quick') };
  const boards = { paper: scoreboard(results.paper), quick: scoreboard(results.quick) };
  const rows = (Object.keys(notebookOf) as Section[]).map((section) => {
    const profile = storedProfile(section, results);
    const own = boards[profile].rows.filter(({ figureId }) => figureId === section);
    return resultRow(section, own, figureRuns(section, results[profile]));
  });
  const { headline: both, claims } = boards.paper;
  const command = '`npx lyreo scoreboard --profile paper`';
  const table = alignedTable([
    ['Figure', 'Notebook', 'Command', 'Wall time of one process', 'Paper', 'Ours'],
    ['Fig. 1', '`00`', '`npm run notebooks -- 00`', '', 'the system model', 'the same, drawn from the model'],
    ...rows,
    ['all claims', '`19`', command, '', `${total(claims)} claims`, countText(claims)],
  ]);
  return [
    `- **LYREO (request credit), ours: ${headlineText(both.requestCredit)}.**`,
    `- LYREO (printed), the text's form: ${headlineText(both.printed)}.\n`,
    table,
  ].join('\n');
}

function resultRow(section: Section, rows: readonly ScoreboardRow[], runs: FigureRuns): string[] {
  const values = (text: (row: ScoreboardRow) => string): string[] =>
    QUANTITIES.flatMap((quantity, k) => {
      const quoted = rows.filter(
        ({ kind, claim, unit }) => kind === 'number' && claim.startsWith(`${quantity} `) && unit !== '%',
      );
      const list = quoted.map((row) => `${row.of.replace(/ at (.+)$/, ' ($1)')} ${text(row)}`).join(', ');
      return quoted.length === 0 ? [] : [`${k === 0 ? '' : `${quantity}: `}${list}`];
    });
  const kinds = KINDS.map((kind) => [kind, rows.filter((row) => row.kind === kind).length] as const)
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => `${n} ${kind}${n === 1 ? '' : 's'}`);
  return [
    section === 'table2' ? 'Table II' : section.replace('fig', 'Fig. '),
    `\`${notebookOf[section].replace(/^notebooks\/(\d+)-.*$/, '$1')}\``,
    `\`npx ${runs.command}\``,
    wallText(runs),
    [...values(({ paper }) => paper), kinds.join(', ')].join('; '),
    [...values(oursText), countText(count(rows))].join('; '),
  ];
}

/** In the paper's unit, with three digits. */
function oursText({ ours, unit, verdict }: ScoreboardRow): string {
  if (ours === null) return verdict === 'cannot be tested' ? 'not decided' : 'overloaded';
  return withUnit(formatNumber(ours.mean), unit);
}

/** The wall time of the runs behind a figure, those included that it shares with others. */
function wallText({ series, missing }: FigureRuns): string {
  const runs = new Set(series.flatMap(({ points }) => points.flatMap((point) => point.runs)));
  const minutes = [...runs].reduce((sum, { wallSeconds }) => sum + wallSeconds, 0) / 60;
  const time = minutes < 90 ? `${Math.max(1, Math.round(minutes))} min` : `${(minutes / 60).toFixed(1)} h`;
  return missing.length === 0 ? time : `${time} for ${runs.size} of ${runs.size + missing.length} runs`;
}

function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, c) => cell.padEnd(widths[c])).join(' | ')} |`;
  return [line(rows[0]), line(widths.map((width) => '-'.repeat(width))), ...rows.slice(1).map(line)].join('\n');
}

/** The texts that a Markdown file may hold, after `<!-- verdict: … -->` and `<!-- results: … -->`. */
const blocks: Readonly<Record<string, () => string>> = {
  verdict: () =>
    verdictSentences(Results.load(storedProfile('fig2')))
      .map((sentence) => `- ${sentence}`)
      .join('\n'),
  results: resultTable,
};

/**
 * A text whose blocks are written anew, each between two marks.
 *
 * @param where the file, for the error.
 * @throws UserError when it has no marks.
 */
export function withBlocks(text: string, where: string, made: Readonly<Record<string, () => string>> = blocks): string {
  const patternOf = (name: string): RegExp => new RegExp(`(<!-- ${name}:[^>]*-->).*?(<!-- /${name} -->)`, 's');
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
