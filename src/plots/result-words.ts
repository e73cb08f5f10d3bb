/** Sentences and tables about stored runs, beside their figures. */
import { type Judgement, formatNumber, intervalText, withUnit } from '../paper/judgement';
import type { FigureId } from '../paper/sweeps';
import type { FigureRuns } from '../paper/results';
import type { Scoreboard, ScoreboardRow } from '../paper/scoreboard';
import { meanInterval } from '../core/statistics';

/** In one line: the runs behind a figure, "3 to 5 seeds per point", the missing ones and the command that makes them. */
export function runsNote({ series, missing, command, figureId, profile }: FigureRuns): string {
  const points = series.flatMap((one) => one.points.map(({ runs }) => runs));
  const counts = points.map((runs) => runs.length);
  const stored = points.flat();
  const most = Math.max(0, ...counts);
  const seeds = most === 0 ? 'no' : [...new Set([Math.min(...counts), most])].join(' to ');
  const all = stored.length + missing.length;
  const have = [
    `${figureId}: ${stored.length} of ${all} runs of the profile "${profile}" are stored, ${seeds} ${most === 1 ? 'seed' : 'seeds'} per point.`,
    ...countsOf(stored.flatMap(({ note }) => note ?? [])).map(([note, count]) => `${count} of them: ${note}.`),
  ].join(' ');
  if (missing.length === 0) return have;
  const names = countsOf(missing.map((key) => key.replace(/-s\d+-[0-9a-f]+$/, ''))).map(
    ([name, count]) => `${count} × ${name}`,
  );
  const more = names.length > 6 ? ` and ${names.length - 6} other points` : '';
  return `${have} Missing: ${names.slice(0, 6).join(', ')}${more}. They are made by: ${command}`;
}

function countsOf(names: readonly string[]): [name: string, count: number][] {
  return [...new Set(names)].map((name) => [name, names.filter((other) => other === name).length]);
}

/** "2.47 [2.45, 2.49] s": the mean of values, one per seed, with its 95 % interval. */
export function intervalOf(values: readonly number[], unit = ''): string {
  const interval = meanInterval(values);
  if (interval.n === 0) return '(no runs yet)';
  if (interval.n > 1) return intervalText(interval, unit);
  return `${withUnit(formatNumber(interval.mean), unit)} (one seed)`;
}

/**
 * A row of the table of claims. Ours is the mean with its 95 % interval over seeds, of the claim's number or of its least
 * favourable part; `printed` is the verdict with LYREO (printed) in the place of LYREO (request credit).
 */
export type ClaimRow = Readonly<Record<'claim' | 'paper' | 'ours' | 'holds' | 'printed' | 'why', string>>;

const verdictTexts: Readonly<Record<Judgement['verdict'], string>> = {
  holds: '✓ holds',
  contradicted: '✗ contradicted',
  'not shown': '✗ not shown',
  'cannot be tested': '? cannot be tested yet',
};

/** A verdict with its sign; "" without one. */
export function verdictText(judgement: Pick<Judgement, 'verdict'> | null): string {
  return judgement === null ? '' : verdictTexts[judgement.verdict];
}

/** Ours with its interval, and with the unit that a printed number has. */
function oursText({ ours, unit }: ScoreboardRow): string {
  return ours === null ? '' : intervalText(ours, unit);
}

/** The scoreboard's rows of one figure: the paper's words, the stored runs' numbers, the verdict and its reason. */
export function claimRows(board: Scoreboard, figureId: FigureId | 'settings'): ClaimRow[] {
  return board.rows
    .filter((row) => row.figureId === figureId)
    .map((row) => ({
      claim: row.claim,
      paper: row.paper,
      ours: oursText(row),
      holds: verdictText(row),
      printed: verdictText(row.lyreoPrinted),
      why: row.cause === null ? row.reason : `${row.reason}. ${row.cause.text}`,
    }));
}

/** The stored runs' decision on a figure's claims, in one sentence. */
export function answerText(claims: readonly ClaimRow[]): string {
  const count = (verdict: Judgement['verdict']): number =>
    claims.filter(({ holds }) => holds === verdictTexts[verdict]).length;
  const [hold, contradicted, open] = [count('holds'), count('contradicted'), count('cannot be tested')];
  return [
    `Of the paper’s **${claims.length} claims** on this figure ${hold} ${hold === 1 ? 'holds' : 'hold'} in the stored runs`,
    `${contradicted} ${contradicted === 1 ? 'is' : 'are'} contradicted`,
    `${count('not shown')} not shown${open === 0 ? '' : `, ${open} cannot be tested yet`}.`,
  ].join(', ');
}

/** The few claims that answer a figure's question: those with printed numbers, otherwise the first six. */
export function answerRows(claims: readonly ClaimRow[]): Record<'claim' | 'paper' | 'ours' | 'verdict', string>[] {
  const printed = claims.filter(({ paper }) => paper !== '');
  const chosen = printed.length > 1 ? printed.slice(0, 8) : claims.slice(0, 6);
  return chosen.map(({ claim, paper, ours, holds }) => ({ claim, paper, ours, verdict: holds }));
}

/** The columns of {@link scoreboardTable}, in Markdown. */
const COLUMNS: Readonly<Record<string, (row: ScoreboardRow) => string>> = {
  id: ({ id }) => `\`${id}\``,
  'the paper': ({ claim }) => claim,
  value: ({ paper }) => paper,
  ours: oursText,
  'request credit': verdictText,
  printed: ({ lyreoPrinted }) => verdictText(lyreoPrinted),
  counted: ({ mark, repeats }) => mark ?? (repeats.length > 0 ? 'repeats others' : ''),
  reason: ({ reason, cause }) => {
    if (cause === null) return reason;
    const link = `[${cause.notebook.slice(0, 2)}](${cause.notebook}#${cause.heading.replaceAll(' ', '-')})`;
    return `${reason}. **Why:** ${cause.text} ${link}`;
  },
  rule: ({ tolerance }) => tolerance,
  evidence: ({ evidence: { runs, notebook } }) => {
    const count = runs.length === 0 ? [] : [`${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`];
    const file = notebook?.replace(/^notebooks\//, '');
    return [...(file === undefined ? [] : [`[${file.slice(0, 2)}](${file})`]), ...count].join(', ');
  },
};

/** Rows of the scoreboard as a Markdown table with links from `notebooks/`. */
export function scoreboardTable(rows: readonly ScoreboardRow[]): string {
  // A cell shows its text literally, but for backticks and links.
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('$', '\\$')).join(' | ')} |`;
  const cells = rows.map((row) => line(Object.values(COLUMNS).map((textOf) => textOf(row))));
  const names = Object.keys(COLUMNS);
  return [line(names), line(names.map(() => '---')), ...cells].join('\n');
}
