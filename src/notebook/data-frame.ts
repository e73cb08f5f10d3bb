/** Rows as danfojs DataFrames, without the traps of its version 1.2. */
import { createRequire } from 'node:module';
import type * as Danfo from 'danfojs-node';
import type { DataFrame } from 'danfojs-node';
import { type Row, type Rows, recordsOf } from '../plots/rows';

/** The class itself, loaded on use: it brings TensorFlow along. */
function danfo(): typeof Danfo {
  return createRequire(__filename)('danfojs-node') as typeof Danfo;
}

/**
 * A DataFrame of records. A column has numbers, booleans or texts; a number that is missing (null, undefined) becomes
 * NaN, a missing text the empty one.
 *
 * Note: danfojs reads the type of a column from its first 20 rows and would cut a later 2.5 down to 2 in a tensor; the
 * types are passed. `mean` of a column with null adds 0 for it, so there is no null. A grouped mean of a group with NaN
 * is NaN: {@link aggregate} leaves such rows out.
 *
 * @throws TypeError when a column mixes numbers and texts.
 */
export function toDataFrame(rows: Rows): DataFrame {
  const records = recordsOf(rows);
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const types = columns.map((column) => typeOf(records, column));
  const values = records.map((record) => columns.map((column, c) => cell(record[column], types[c])));
  if (values.length === 0) return new (danfo().DataFrame)([]);
  return new (danfo().DataFrame)(values, { columns, config: {}, dtypes: types });
}

type ColumnType = 'float32' | 'boolean' | 'string';

function typeOf(records: readonly Row[], column: string): ColumnType {
  const kinds = new Set(
    records
      .map((record) => record[column])
      .filter((value) => value !== null && value !== undefined)
      .map((value) => typeof value),
  );
  if (kinds.size > 1 && kinds.has('number'))
    throw new TypeError(`column "${column}" mixes ${[...kinds].join(' and ')}; allowed: one type`);
  return kinds.has('number') ? 'float32' : kinds.has('boolean') ? 'boolean' : kinds.size === 0 ? 'float32' : 'string';
}

function cell(value: unknown, type: ColumnType): unknown {
  if (value !== null && value !== undefined) return value;
  return type === 'float32' ? Number.NaN : type === 'boolean' ? false : '';
}

/** The rows that have all of the columns; default: all columns of the frame. */
export function complete(frame: DataFrame, columns: readonly string[] = frame.columns): DataFrame {
  const kept = recordsOf(frame).filter((row) => columns.every((column) => !isMissing(row[column])));
  return toDataFrame(kept);
}

/** A statistic that danfojs computes of a group. */
export type Statistic = 'mean' | 'min' | 'max' | 'count' | 'sum' | 'std';

/**
 * Groups rows and computes statistics of columns, by danfojs's `groupby` and `agg`: column `latency` with `mean` becomes
 * `latency_mean`. Rows that lack one of the columns are left out; without rows the frame is empty.
 * Note: danfojs gives NaN for the mean of a group with one missing number, and throws for a frame without rows.
 */
export function aggregate(
  rows: Rows,
  by: readonly string[],
  statistics: Readonly<Record<string, Statistic | readonly Statistic[]>>,
): DataFrame {
  const frame = complete(toDataFrame(rows), [...by, ...Object.keys(statistics)]);
  if (frame.shape[0] === 0) return frame;
  const lists = Object.entries(statistics).map(([column, of]): [string, string[]] => [column, [of].flat()]);
  return toDataFrame(frame.groupby([...by]).agg(Object.fromEntries(lists)));
}

/** A frame's rows as records. */
export function records<T extends object = Readonly<Record<string, number>>>(rows: Rows): T[] {
  return recordsOf(rows) as T[];
}

/**
 * Count, mean, deviation, least, median and greatest of each column of numbers, without what is missing.
 * Note: danfojs's own `describe` gives NaN for a column with one missing number.
 */
export function describeFrame(frame: DataFrame): DataFrame {
  const columns = frame.columns.filter((_, c) => frame.dtypes[c] === 'float32' || frame.dtypes[c] === 'int32');
  return toDataFrame(
    columns.map((column) => {
      const numbers = complete(frame, [column])[column] as {
        count(): number;
        mean(): number;
        std(): number;
        min(): number;
        median(): number;
        max(): number;
      };
      const has = numbers.count() > 0;
      return {
        column,
        count: numbers.count(),
        mean: has ? numbers.mean() : Number.NaN,
        std: numbers.count() > 1 ? numbers.std() : Number.NaN,
        min: has ? numbers.min() : Number.NaN,
        median: has ? numbers.median() : Number.NaN,
        max: has ? numbers.max() : Number.NaN,
      };
    }),
  );
}

/**
 * The frame as CSV, with nothing where a number is missing.
 * Note: danfojs writes NaN, and reads a column with NaN back as texts.
 */
export function csvOf(frame: DataFrame): string {
  const text = (value: unknown): string => {
    if (isMissing(value)) return '';
    const plain = String(value);
    return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  const lines = [frame.columns, ...(frame.values as unknown[][])];
  return `${lines.map((cells) => cells.map(text).join(',')).join('\n')}\n`;
}

const isMissing = (value: unknown): boolean => value === null || value === undefined || Number.isNaN(value);
