/** Rows as danfojs DataFrames, without the traps of its version 1.2. */
import { createRequire } from 'node:module';
import type * as Danfo from 'danfojs-node';
import type { DataFrame } from 'danfojs-node';
import { unparse } from 'papaparse';
import { type Row, type Rows, recordsOf } from '../plots/rows';

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
  // Loaded on use: it brings TensorFlow along.
  const { DataFrame } = createRequire(__filename)('danfojs-node') as typeof Danfo;
  const records = recordsOf(rows);
  if (records.length === 0) return new DataFrame([]);
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const types = columns.map((column) => typeOf(records, column));
  const values = records.map((record) => columns.map((column, c) => record[column] ?? MISSING[types[c]]));
  return new DataFrame(values, { columns, config: {}, dtypes: types });
}

const MISSING = { float32: Number.NaN, boolean: false, string: '' };

function typeOf(records: readonly Row[], column: string): keyof typeof MISSING {
  const values = records.map((record) => record[column]).filter((value) => value !== null && value !== undefined);
  const kinds = new Set(values.map((value) => typeof value));
  if (kinds.size > 1 && kinds.has('number'))
    throw new TypeError(`column "${column}" mixes ${[...kinds].join(' and ')}; allowed: one type`);
  if (kinds.has('number') || kinds.size === 0) return 'float32';
  return kinds.has('boolean') ? 'boolean' : 'string';
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
  const needed = [...by, ...Object.keys(statistics)];
  const frame = toDataFrame(recordsOf(rows).filter((row) => !needed.some((column) => isMissing(row[column]))));
  if (frame.shape[0] === 0) return frame;
  const lists = Object.entries(statistics).map(([column, of]): [string, string[]] => [column, [of].flat()]);
  return toDataFrame(frame.groupby([...by]).agg(Object.fromEntries(lists)));
}

/** A frame's rows as records. */
export function records<T extends object = Readonly<Record<string, number>>>(rows: Rows): T[] {
  return recordsOf(rows) as T[];
}

/**
 * The frame as CSV, with nothing where a number is missing.
 * Note: danfojs writes NaN, and reads a column with NaN back as texts.
 */
export function csvOf(frame: DataFrame): string {
  const data = (frame.values as unknown[][]).map((cells) => cells.map((value) => (isMissing(value) ? '' : value)));
  return `${unparse({ fields: frame.columns, data }, { newline: '\n' })}\n`;
}

const isMissing = (value: unknown): boolean => value === null || value === undefined || Number.isNaN(value);
