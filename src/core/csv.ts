import Papa from 'papaparse';
import { UserError, invalid } from './errors';

/** The columns that a reader asks for. */
export interface CsvLayout {
  /** The format's name, for error messages. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Whether other columns may stand beside these. */
  readonly othersAllowed: boolean;
}

/** One row of a table; `k` is the place of a column in the layout, not in the file. */
export class CsvRow {
  constructor(
    private readonly file: string,
    /** The line of the file in which the row begins; the first line is 1. */
    readonly line: number,
    private readonly columns: readonly string[],
    private readonly places: readonly number[],
    private readonly fields: readonly string[],
  ) {}

  /** The cell without the blanks around it. */
  text(k: number): string {
    return this.fields[this.places[k]].trim();
  }

  /**
   * The number in a cell.
   *
   * @param accepts whether the number is in range; a number that is not finite never is.
   * @throws UserError naming file, line, column, value and the allowed range.
   */
  number(k: number, allowed: string, accepts: (x: number) => boolean): number {
    const x = decimalNumber(this.text(k));
    if (!Number.isFinite(x) || !accepts(x)) throw this.fault(k, allowed);
    return x;
  }

  /** The complaint about a cell. */
  fault(k: number, allowed: string): UserError {
    return invalid(`${this.file}: line ${String(this.line)}, ${this.columns[k]}`, this.text(k), allowed);
  }
}

/** A header and the rows below it. */
export interface CsvTable<L extends CsvLayout> {
  /** The first layout whose columns the header has. */
  readonly layout: L;
  /** All rows that are not blank; they can be read once. */
  readonly rows: Iterable<CsvRow>;
}

/** The most characters of one row: a longer one is a quoted field that lacks its end. */
const LONGEST_ROW = 2 ** 24;

/**
 * Reads a table with a header as a stream. A byte order mark, CRLF, quoted fields (over several lines, too) and blank
 * lines are understood.
 *
 * @param chunks the text, cut anywhere.
 * @param file the name that errors begin with.
 * @throws UserError naming file and line when the header fits no layout, a row has too few or too many fields, or the
 *   quotes of a row are malformed; also while the rows are read.
 */
export function readTable<L extends CsvLayout>(
  chunks: Iterable<string>,
  file: string,
  layouts: readonly L[],
): CsvTable<L> {
  const records = readRecords(chunks, file);
  const first = records.next();
  if (first.done === true) throw new UserError(`${file} is empty; allowed: a header and at least one row`);
  const names = first.value.fields.map((name) => name.trim());
  const where = `${file}: line ${String(first.value.line)}, the header`;
  const layout = layouts.find(({ columns }) => columns.every((column) => names.includes(column)));
  if (layout === undefined)
    throw invalid(
      where,
      names.join(','),
      layouts.map(({ name, columns }) => `${columns.join(',')} (${name})`).join('; '),
    );
  const { columns, othersAllowed } = layout;
  const repeated = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (repeated !== undefined) throw invalid(`${where}, column ${repeated}`, 'there twice', 'each column once');
  const unknown = names.find((name) => !columns.includes(name));
  if (!othersAllowed && unknown !== undefined) throw invalid(`${where}, column`, unknown, columns.join(','));
  const places = columns.map((column) => names.indexOf(column));
  return { layout, rows: tableRows() };

  function* tableRows(): Generator<CsvRow, void> {
    for (const { line, fields } of records) {
      if (fields.length !== names.length)
        throw new UserError(
          `${file}: line ${String(line)} has ${String(fields.length)} fields; allowed: ${String(names.length)}, as the header`,
        );
      yield new CsvRow(file, line, columns, places, fields);
    }
  }
}

/** The rows that are not blank, each with the line in which it begins. */
function* readRecords(
  chunks: Iterable<string>,
  file: string,
): Generator<{ line: number; fields: readonly string[] }, void> {
  const parser = new Papa.Parser({ delimiter: ',', newline: '\n' });
  let line = 1;
  let rest = '';
  for (const chunk of andEnd(chunks)) {
    const text = rest === '' && line === 1 ? (chunk ?? '').replace(/^\uFEFF/, '') : rest + (chunk ?? '');
    const result = parser.parse(text, 0, chunk !== undefined) as Papa.ParseResult<string[]>;
    for (const [i, fields] of result.data.entries()) {
      const fault = result.errors.find(({ row }) => row === i);
      if (fault !== undefined) throw quotesFault(fault.message);
      if (fields.length > 1 || fields[0].trim() !== '') yield { line, fields };
      line++;
      for (const field of fields) if (field.includes('\n')) line += field.split('\n').length - 1;
    }
    rest = text.slice(result.meta.cursor);
    if (rest.length > LONGEST_ROW) throw quotesFault(`a field of more than ${String(LONGEST_ROW)} characters`);
  }

  function quotesFault(message: string): UserError {
    return new UserError(
      `${file}: line ${String(line)} begins a row with malformed quotes (${message}); allowed: a field that begins with a quote also ends with one, and "" stands for a quote inside`,
    );
  }
}

/** The chunks, then undefined. */
function* andEnd(chunks: Iterable<string>): Generator<string | undefined, void> {
  yield* chunks;
  yield undefined;
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/**
 * A decimal number, or NaN for anything else. Number() alone takes '' for 0 and '0x10' for 16.
 */
export function decimalNumber(text: string): number {
  return decimal.test(text) ? Number(text) : Number.NaN;
}
