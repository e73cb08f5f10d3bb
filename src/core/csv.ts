import Papa from 'papaparse';
import { z } from 'zod';
import { UserError, invalid } from './errors';

/** A layout of a table with the columns that a reader asks for and the schema of the text in each. */
export interface CsvFormat<Row extends readonly unknown[]> {
  /** For error messages. */
  readonly name: string;
  readonly columns: { readonly [K in keyof Row]: readonly [name: string, schema: z.ZodType<Row[K]>] };
  /** Whether other columns may stand beside these. */
  readonly othersAllowed: boolean;
}

export interface CsvRow<Row extends readonly unknown[]> {
  /** The line of the file in which the row begins; the first line is 1. */
  readonly line: number;
  /** Checked, in the order of the format's columns. */
  readonly values: Row;
  /** The complaint about the k-th value, for a check that needs more than the cell. */
  readonly fault: (k: number, allowed: string) => UserError;
}

/** The most characters of one row: a longer one is a quoted field that lacks its end. */
const LONGEST_ROW = 2 ** 24;

/**
 * Reads a table with a header as a stream. A byte order mark, CRLF, quoted fields (over several lines, too) and blank
 * lines are understood.
 *
 * @param chunks the text, cut anywhere.
 * @returns the first format whose columns the header has, and all rows that are not blank; they can be read once.
 * @throws UserError naming file and line when the header fits no format, a row has too few or too many fields or
 *   malformed quotes, and column, value and the allowed values when a cell is refused; also while the rows are read.
 */
export function readTable<Row extends readonly unknown[], Format extends CsvFormat<Row>>(
  chunks: Iterable<string>,
  file: string,
  formats: readonly (CsvFormat<Row> & Format)[],
): { format: Format; rows: Iterable<CsvRow<Row>> } {
  const records = readRecords(chunks, file);
  const first = records.next();
  if (first.done === true) throw new UserError(`${file} is empty; allowed: a header and at least one row`);
  const names = first.value.fields.map((name) => name.trim());
  const where = `${file}: line ${first.value.line}, the header`;
  const namesOf = ({ columns }: CsvFormat<Row>): string[] => columns.map(([name]) => name);
  const format = formats.find((candidate) => namesOf(candidate).every((name) => names.includes(name)));
  if (format === undefined)
    throw invalid(where, names.join(','), formats.map((one) => `${namesOf(one).join(',')} (${one.name})`).join('; '));
  const repeated = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (repeated !== undefined) throw invalid(`${where}, column ${repeated}`, 'there twice', 'each column once');
  const unknown = names.find((name) => !namesOf(format).includes(name));
  if (!format.othersAllowed && unknown !== undefined)
    throw invalid(`${where}, column`, unknown, namesOf(format).join(','));
  const places = namesOf(format).map((name) => names.indexOf(name));
  return { format, rows: tableRows(format) };

  function* tableRows({ columns }: CsvFormat<Row>): Generator<CsvRow<Row>, void> {
    for (const { line, fields } of records) {
      if (fields.length !== names.length)
        throw new UserError(
          `${file}: line ${line} has ${fields.length} fields; allowed: ${names.length}, as the header`,
        );
      const fault = (k: number, allowed: string): UserError =>
        invalid(`${file}: line ${line}, ${columns[k][0]}`, fields[places[k]].trim(), allowed);
      const values = columns.map(([, schema], k) => {
        const { data, error } = schema.safeParse(fields[places[k]].trim());
        if (error !== undefined) throw fault(k, error.issues[0].message);
        return data;
      }) as unknown as Row;
      yield { line, values, fault };
    }
  }
}

type Fields = Generator<{ line: number; fields: readonly string[] }, void>;

/** The rows that are not blank, each with the line in which it begins. */
function* readRecords(chunks: Iterable<string>, file: string): Fields {
  const parser = new Papa.Parser({ delimiter: ',', newline: '\n' });
  let line = 1;
  let rest = '';
  for (const chunk of chunks) {
    rest += line === 1 && rest === '' ? chunk.replace(/^\uFEFF/, '') : chunk;
    yield* records(true);
    if (rest.length > LONGEST_ROW) throw quotesFault(`a field of more than ${LONGEST_ROW} characters`);
  }
  yield* records(false);

  function* records(hasMore: boolean): Fields {
    const { data, errors, meta } = parser.parse(rest, 0, hasMore) as Papa.ParseResult<string[]>;
    for (const [i, fields] of data.entries()) {
      const fault = errors.find(({ row }) => row === i);
      if (fault !== undefined) throw quotesFault(fault.message);
      if (fields.length > 1 || fields[0].trim() !== '') yield { line, fields };
      line++;
      for (const field of fields) if (field.includes('\n')) line += field.split('\n').length - 1;
    }
    rest = rest.slice(meta.cursor);
  }

  function quotesFault(message: string): UserError {
    return new UserError(
      `${file}: line ${line} begins a row with malformed quotes (${message}); allowed: a field that begins with a quote also ends with one, and "" stands for a quote inside`,
    );
  }
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

/** A decimal number, or NaN for anything else. Number() alone takes '' for 0 and '0x10' for 16. */
export function decimalNumber(text: string): number {
  return decimal.test(text) ? Number(text) : Number.NaN;
}

/** The schema of a cell with a decimal number that `range` accepts. */
export function numberCell(range: z.ZodType<number>): z.ZodType<number> {
  const decimals = z.string().transform(decimalNumber);
  return decimals.pipe(range as z.ZodType<number, number>);
}
