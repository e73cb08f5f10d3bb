import { cell, cellNumber, parseCsv } from '../core/csv';
import { UserError, invalid } from '../core/errors';
import type { DecodePoint } from './scenario';

/** What is known of a GPU: Section V prints memory and prefill rate, the decode curve is measured. */
export interface GpuProfile {
  readonly name: string;
  /** M, GB (decimal). */
  readonly memoryGB: number;
  /** v_pre, tokens/s. */
  readonly prefillTokensPerSecond: number;
  /** v_dec(m): increasing in kvBytes, non-increasing in speed. */
  readonly decodeProfile: readonly DecodePoint[];
}

const columns = ['gpu', 'memoryGB', 'prefillTokensPerSecond', 'kvBytes', 'iterationsPerSecond'] as const;

/** One row: a point of a GPU's curve beside what is the same on all its rows. */
interface ProfileRow extends DecodePoint {
  readonly gpu: string;
  readonly memoryGB: number;
  readonly prefillTokensPerSecond: number;
}

function readRow(fields: readonly string[], place: readonly number[], file: string, row: number): ProfileRow {
  if (fields.length !== columns.length)
    throw new UserError(`${file}: row ${row} has ${fields.length} fields; allowed: ${columns.length}, as the header`);
  const [gpu, ...numbers] = place.map((p) => fields[p]);
  if (gpu === '') throw invalid(cell(file, row, 'gpu'), gpu, 'a non-empty name');
  const positive = (i: number): number =>
    cellNumber(numbers[i], file, row, columns[i + 1], 'a finite number > 0', (x) => x > 0);
  return {
    gpu,
    memoryGB: positive(0),
    prefillTokensPerSecond: positive(1),
    kvBytes: cellNumber(numbers[2], file, row, 'kvBytes', 'a finite number >= 0', (x) => x >= 0),
    iterationsPerSecond: positive(3),
  };
}

/** A GPU's next point must agree with its first row and go up in kvBytes, not up in speed. */
function checkFollows(before: ProfileRow, next: ProfileRow, file: string, row: number): void {
  const { gpu } = next;
  for (const column of ['memoryGB', 'prefillTokensPerSecond'] as const)
    if (next[column] !== before[column])
      throw invalid(cell(file, row, column), next[column], `${before[column]}, as in the rows of ${gpu} before`);
  if (next.kvBytes <= before.kvBytes)
    throw invalid(cell(file, row, 'kvBytes'), next.kvBytes, `more than ${gpu}'s point before (${before.kvBytes})`);
  if (next.iterationsPerSecond > before.iterationsPerSecond)
    throw invalid(
      cell(file, row, 'iterationsPerSecond'),
      next.iterationsPerSecond,
      `at most ${gpu}'s point before (${before.iterationsPerSecond})`,
    );
}

/**
 * Reads measured GPU profiles: a header `gpu,memoryGB,prefillTokensPerSecond,kvBytes,iterationsPerSecond` in any order,
 * then one row per measured point, the points of one GPU in increasing kvBytes and non-increasing speed.
 *
 * @param file the name that errors begin with.
 * @throws UserError naming file, row, column, value and what is allowed.
 */
export function readGpuProfiles(csvText: string, file: string): GpuProfile[] {
  const [header, ...rows] = parseCsv(csvText, file);
  const place = columns.map((column) => header.fields.indexOf(column));
  if (place.includes(-1) || header.fields.length !== columns.length)
    throw invalid(`${file}: row ${header.row}, the header`, header.fields.join(','), columns.join(','));
  if (rows.length === 0) throw new UserError(`${file} has a header but no rows; allowed: at least one row`);
  const points = new Map<string, ProfileRow[]>();
  for (const { row, fields } of rows) {
    const next = readRow(fields, place, file, row);
    const before = points.get(next.gpu);
    if (before === undefined) points.set(next.gpu, [next]);
    else {
      checkFollows(before[before.length - 1], next, file, row);
      before.push(next);
    }
  }
  return [...points].map(([name, list]) => ({
    name,
    memoryGB: list[0].memoryGB,
    prefillTokensPerSecond: list[0].prefillTokensPerSecond,
    decodeProfile: list.map(({ kvBytes, iterationsPerSecond }) => ({ kvBytes, iterationsPerSecond })),
  }));
}
