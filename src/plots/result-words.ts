/** Sentences and tables about stored runs, beside their figures. */
import { type Judgement, formatNumber, intervalText, withUnit } from '../paper/judgement';
import type { FigureId } from '../paper/sweeps';
import type { FigureRuns } from '../paper/results';
import type { Scoreboard, ScoreboardRow } from '../paper/scoreboard';
import { meanInterval } from '../paper/statistics';

/** "1 seed", "3 to 5 seeds": how many runs stand behind each point. */
export function seedsText(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  if (counts.length === 0 || most === 0) return 'no seeds';
  return `${least === most ? '' : `${least} to `}${most} ${most === 1 ? 'seed' : 'seeds'}`;
}

/** The most names of missing runs in a sentence. */
const NAMED = 6;

/** In one line: how many runs stand behind a figure, which are missing, and what makes them. */
export function runsNote({ series, missing, command, figureId, profile }: FigureRuns): string {
  const counts = series.flatMap(({ points }) => points.map(({ runs }) => runs.length));
  const stored = counts.reduce((a, b) => a + b, 0);
  const notes = new Map<string, number>();
  for (const { note } of series.flatMap(({ points }) => points.flatMap(({ runs }) => runs)))
    if (note !== undefined) notes.set(note, (notes.get(note) ?? 0) + 1);
  const have = [
    `${figureId}: ${stored} of ${stored + missing.length} runs of the profile "${profile}" are stored, ${seedsText(counts)} per point.`,
    ...[...notes].map(([note, count]) => `${count} of them: ${note}.`),
  ].join(' ');
  if (missing.length === 0) return have;
  const byName = new Map<string, number>();
  for (const key of missing) {
    const name = key.replace(/-s\d+-[0-9a-f]+$/, '');
    byName.set(name, (byName.get(name) ?? 0) + 1);
  }
  const names = [...byName].slice(0, NAMED).map(([name, count]) => `${count} × ${name}`);
  const more = byName.size > NAMED ? ` and ${byName.size - NAMED} other points` : '';
  return `${have} Missing: ${names.join(', ')}${more}. They are made by: ${command}`;
}

/** "2.47 [2.45, 2.49] s": the mean of values, one per seed, with its 95 % interval. */
export function intervalOf(values: readonly number[], unit = ''): string {
  const interval = meanInterval(values);
  if (interval.n === 0) return '(no runs yet)';
  if (interval.n > 1) return intervalText(interval, unit);
  return `${withUnit(formatNumber(interval.mean), unit)} (one seed)`;
}

/** A row of the table ours | paper | holds. */
export interface ClaimRow {
  readonly claim: string;
  readonly paper: string;
  /** Mean with its 95 % interval over seeds: of the claim's number, or of its least favourable part. */
  readonly ours: string;
  readonly holds: string;
  /** The verdict with LYREO (printed) in the place of LYREO (request credit). */
  readonly printed: string;
  readonly why: string;
}

/** A verdict with its sign; a claim that does not hold is contradicted by the runs or only not shown by them. */
export function verdictText({ verdict, isContradicted }: Pick<Judgement, 'verdict' | 'isContradicted'>): string {
  if (verdict === 'holds') return '✓ holds';
  if (verdict === 'cannot be tested') return '? cannot be tested yet';
  return isContradicted ? '✗ contradicted' : '✗ not shown';
}

/** Ours with its interval, and with the unit that a printed number has. */
function oursText({ ours, unit }: ScoreboardRow): string {
  return ours === null ? '' : intervalText(ours, unit);
}

/** The scoreboard's rows of one figure: what the paper says, what the stored runs say, whether it holds and why. */
export function claimRows(board: Scoreboard, figureId: FigureId | 'settings'): ClaimRow[] {
  return board.rows
    .filter((row) => row.figureId === figureId)
    .map((row) => ({
      claim: row.claim,
      paper: row.paper,
      ours: oursText(row),
      holds: verdictText(row),
      printed: row.lyreoPrinted === null ? '' : verdictText(row.lyreoPrinted),
      why: row.cause === null ? row.reason : `${row.reason}. ${row.cause.text}`,
    }));
}

/** The stored runs' decision on a figure's claims, in one sentence. */
export function answerText(claims: readonly ClaimRow[]): string {
  const count = (sign: string): number => claims.filter(({ holds }) => holds.startsWith(sign)).length;
  const [holds, contradicted, open] = [count('✓'), count('✗ contradicted'), count('?')];
  const parts = [
    `${holds} ${holds === 1 ? 'holds' : 'hold'} in the stored runs`,
    `${contradicted} ${contradicted === 1 ? 'is' : 'are'} contradicted`,
    `${count('✗ not shown')} not shown`,
    ...(open > 0 ? [`${open} cannot be tested yet`] : []),
  ];
  return `Of the paper’s **${claims.length} claims** on this figure ${parts.join(', ')}.`;
}

/** The few claims that answer a figure's question: those with printed numbers, otherwise the first six. */
export function answerRows(
  claims: readonly ClaimRow[],
): { claim: string; paper: string; ours: string; verdict: string }[] {
  const printed = claims.filter(({ paper }) => paper !== '');
  const chosen = printed.length > 1 ? printed.slice(0, 8) : claims.slice(0, 6);
  return chosen.map(({ claim, paper, ours, holds }) => ({ claim, paper, ours, verdict: holds }));
}

/** Rows of the scoreboard as a Markdown table with links from `notebooks/`. */
export function scoreboardTable(rows: readonly ScoreboardRow[]): string {
  const cells = rows.map((row) => [
    `\`${row.id}\``,
    row.claim,
    row.paper,
    oursText(row),
    verdictText(row),
    row.lyreoPrinted === null ? '' : verdictText(row.lyreoPrinted),
    row.mark ?? (row.repeats.length > 0 ? 'repeats others' : ''),
    `${row.reason}${causeText(row)}`,
    row.tolerance,
    evidenceText(row.evidence),
  ]);
  const head = [
    'id',
    'the paper',
    'value',
    'ours',
    'request credit',
    'printed',
    'counted',
    'reason',
    'rule',
    'evidence',
  ];
  const line = (texts: readonly string[]): string => `| ${texts.map(escapeCell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...cells.map(line)].join('\n');
}

/** The cause of a contradiction with a link to the cell that shows it. */
function causeText({ cause }: ScoreboardRow): string {
  return cause === null
    ? ''
    : `. **Why:** ${cause.text} [${cause.notebook.slice(0, 2)}](${cause.notebook}#${cause.heading.replaceAll(' ', '-')})`;
}

function evidenceText({ runs, notebook }: ScoreboardRow['evidence']): string {
  const count = runs.length === 0 ? '' : `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`;
  if (notebook === null) return count;
  const file = notebook.replace(/^notebooks\//, '');
  return `[${file.slice(0, 2)}](${file})${count === '' ? '' : `, ${count}`}`;
}

/** Text that a cell of a Markdown table shows literally; backticks and links stay. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('$', '\\$');
}
