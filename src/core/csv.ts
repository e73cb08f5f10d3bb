import Papa from 'papaparse';
import { UserError, invalid } from './errors';

/** One row as it stood in the file. */
export interface CsvRow {
  /** Row number as a text editor counts lines: the header is row 1. */
  readonly row: number;
  readonly fields: readonly string[];
}

/** Every reader splits at commas and line feeds; the carriage return of CRLF goes with the blanks around a field. */
export const csvFormat: { readonly delimiter: ','; readonly newline: '\n' } = { delimiter: ',', newline: '\n' };

/** The fields without the blanks, byte order mark and carriage return around them. */
export function trimFields(fields: readonly string[]): string[] {
  return fields.map((field) => field.trim());
}

/** A row with nothing in it, such as the one after a file's last line feed. */
export function isBlankRow(fields: readonly string[]): boolean {
  return fields.length === 1 && fields[0].trim() === '';
}

/** All rows that are not blank, with their numbers. Fit for small files; a trace is streamed. */
export function parseCsv(text: string, file: string): CsvRow[] {
  const { data } = Papa.parse<string[]>(text, csvFormat);
  const rows = data.map((fields, i) => ({ row: i + 1, fields })).filter(({ fields }) => !isBlankRow(fields));
  if (rows.length === 0) throw new UserError(`${file} is empty; allowed: a header and at least one row`);
  return rows.map(({ row, fields }) => ({ row, fields: trimFields(fields) }));
}

/** Where a complaint about one cell points. */
export function cell(file: string, row: number, column: string): string {
  return `${file}: row ${String(row)}, ${column}`;
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * A decimal number, or NaN for anything else. Number() alone takes '' for 0 and '0x10' for 16.
 */
export function decimalNumber(text: string): number {
  return decimal.test(text) ? Number(text) : Number.NaN;
}

/**
 * The number in a cell.
 *
 * @param accepts whether the number is in range; what is not finite never is.
 * @throws UserError naming file, row, column, value and what is allowed.
 */
export function cellNumber(
  text: string | undefined,
  file: string,
  row: number,
  column: string,
  allowed: string,
  accepts: (x: number) => boolean,
): number {
  const x = decimalNumber(text ?? '');
  if (!Number.isFinite(x) || !accepts(x)) throw invalid(cell(file, row, column), text, allowed);
  return x;
}
