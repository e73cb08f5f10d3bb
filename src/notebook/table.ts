import { alignColumns } from '../core/text-table';
import { type Rows, recordsOf } from '../plots/rows';
import { display, escapeHtml } from './kernel';

export interface TableOptions {
  /** Rows shown; default 50. The number of rows left out is stated. */
  readonly maxRows?: number;
  /** Significant digits of numbers that are not whole; default 5. */
  readonly digits?: number;
  readonly caption?: string;
}

/** Shows a danfojs DataFrame, or an array of records, as an HTML table (outside a notebook: text). */
export function table(source: Rows, options: TableOptions = {}): void {
  const { maxRows = 50, digits = 5, caption } = options;
  const records = recordsOf(source);
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = records.map((record) => columns.map((name) => record[name]));
  const shown = rows.slice(0, maxRows).map((row) => row.map((cell) => formatCell(cell, digits)));
  const numeric = columns.map((_, c) => rows.length > 0 && rows.every((row) => isNumeric(row[c])));
  const left = rows.length - shown.length;
  const notes = [caption, left > 0 ? `${String(left)} more rows` : undefined].filter((note) => note !== undefined);
  display({
    'text/html': toHtml(columns, shown, numeric, notes),
    'text/plain': [...alignColumns([columns, ...shown], (c) => numeric[c], '─'), ...notes].join('\n'),
  });
}

const isNumeric = (cell: unknown): boolean => cell === null || cell === undefined || typeof cell === 'number';

/** One cell as text: numbers rounded to significant digits, whole numbers in full. */
function formatCell(cell: unknown, digits: number): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'string') return cell;
  if (typeof cell !== 'number') return JSON.stringify(cell);
  return String(Number.isInteger(cell) || !Number.isFinite(cell) ? cell : Number(cell.toPrecision(digits)));
}

function toHtml(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly boolean[],
  notes: readonly string[],
): string {
  const cell = (tag: string, text: string, c: number): string =>
    `<${tag} style="text-align: ${numeric[c] ? 'right' : 'left'}">${escapeHtml(text)}</${tag}>`;
  const head = columns.map((name, c) => cell('th', name, c)).join('');
  const body = rows.map((row) => `<tr>${row.map((text, c) => cell('td', text, c)).join('')}</tr>`);
  const foot = notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>${foot}`;
}
