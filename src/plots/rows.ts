/** Rows of named values: an array of records or a danfojs DataFrame. */
export type Rows = { readonly columns: readonly string[]; readonly values: readonly unknown[] } | readonly object[];

export type Row = Readonly<Record<string, unknown>>;

export function recordsOf(rows: Rows): Row[] {
  if (!('columns' in rows)) return rows as Row[];
  const { columns, values } = rows;
  return (values as readonly (readonly unknown[])[]).map((cells) =>
    Object.fromEntries(columns.map((name, c) => [name, cells[c]])),
  );
}

/** A column as numbers; a missing one is NaN. */
export function numbersOf(rows: readonly Row[], column: string): number[] {
  return valuesOf(rows, column).map((value) => Number(value ?? Number.NaN));
}

export function textsOf(rows: readonly Row[], column: string): string[] {
  return valuesOf(rows, column).map(String);
}

/** A column as places on an axis: numbers where all are numbers, otherwise texts. */
export function placesOf(rows: readonly Row[], column: string): (number | string)[] {
  const values = valuesOf(rows, column);
  const isNumeric = values.every((value) => typeof value === 'number');
  return isNumeric ? values : values.map(String);
}

/** Rows by the value of a column, in order of appearance; without a column one group with the empty name. */
export function groupsOf(rows: readonly Row[], column: string | undefined): [name: string, rows: readonly Row[]][] {
  if (column === undefined) return [['', rows]];
  const names = textsOf(rows, column);
  return [...new Set(names)].map((name) => [name, rows.filter((_, k) => names[k] === name)]);
}

/** @throws RangeError when no row has the column. */
function valuesOf(rows: readonly Row[], column: string): unknown[] {
  if (rows.length === 0 || rows.some((row) => column in row)) return rows.map((row) => row[column]);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  throw new RangeError(`column is "${column}"; allowed: ${columns.join(', ')}`);
}
