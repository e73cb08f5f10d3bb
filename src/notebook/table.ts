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
export function table(source: Rows, { maxRows = 50, digits = 5, caption }: TableOptions = {}): void {
  const records = recordsOf(source);
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const numeric = columns.map((name) => records.length > 0 && records.every((record) => isNumeric(record[name])));
  const rows = records.slice(0, maxRows).map((record) => columns.map((name) => formatCell(record[name], digits)));
  const left = records.length - rows.length;
  const notes = [caption, left > 0 ? `${left} more rows` : undefined].filter((note) => note !== undefined);
  const cell = (tag: string, text: string, c: number): string =>
    `<${tag} style="text-align: ${numeric[c] ? 'right' : 'left'}">${escapeHtml(text)}</${tag}>`;
  const line = (tag: string, texts: readonly string[]): string =>
    `<tr>${texts.map((text, c) => cell(tag, text, c)).join('')}</tr>`;
  const head = `<thead>${line('th', columns)}</thead>`;
  const body = `<tbody>${rows.map((texts) => line('td', texts)).join('')}</tbody>`;
  display({
    'text/html': `<table>${head}${body}</table>${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('')}`,
    'text/plain': [...alignColumns([columns, ...rows], (c) => numeric[c], '─'), ...notes].join('\n'),
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
