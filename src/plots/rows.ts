/** Data as figures and tables take it: records, or a DataFrame. */

/** The parts of a danfojs DataFrame that figures and tables read. */
export interface DataFrameLike {
  readonly columns: readonly string[];
  readonly values: readonly unknown[];
}

/** Rows of named values: an array of records or a danfojs DataFrame. */
export type Rows = DataFrameLike | readonly object[];

export type Row = Readonly<Record<string, unknown>>;

export function recordsOf(rows: Rows): Row[] {
  if (!('columns' in rows)) return rows as Row[];
  const { columns, values } = rows;
  return (values as readonly (readonly unknown[])[]).map((cells) =>
    Object.fromEntries(columns.map((name, c) => [name, cells[c]])),
  );
}

/**
 * A column as numbers; what is missing is NaN.
 *
 * @throws RangeError when no row has the column.
 */
export function numbersOf(rows: readonly Row[], column: string): number[] {
  checkColumn(rows, column);
  return rows.map((row) => (row[column] === null || row[column] === undefined ? Number.NaN : Number(row[column])));
}

/**
 * A column as places on an axis: numbers where all are numbers, otherwise texts.
 *
 * @throws RangeError when no row has the column.
 */
export function placesOf(rows: readonly Row[], column: string): (number | string)[] {
  checkColumn(rows, column);
  const isNumeric = rows.every((row) => typeof row[column] === 'number');
  return rows.map((row) => (isNumeric ? Number(row[column]) : String(row[column])));
}

/** A column as texts. */
export function textsOf(rows: readonly Row[], column: string): string[] {
  return rows.map((row) => String(row[column]));
}

/** Rows by the value of a column, in order of appearance; without a column one group with the empty name. */
export function groupsOf(rows: readonly Row[], column: string | undefined): [name: string, rows: Row[]][] {
  if (column === undefined) return [['', [...rows]]];
  checkColumn(rows, column);
  const names = [...new Set(textsOf(rows, column))];
  return names.map((name) => [name, rows.filter((row) => String(row[column]) === name)]);
}

function checkColumn(rows: readonly Row[], column: string): void {
  if (rows.length === 0 || rows.some((row) => column in row)) return;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  throw new RangeError(`column is "${column}"; allowed: ${columns.join(', ')}`);
}
