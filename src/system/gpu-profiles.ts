import { type CsvRow, readTable } from '../core/csv';
import { UserError } from '../core/errors';
import type { DecodePoint } from './scenario';

/** The data of a GPU: Section V prints memory and prefill rate, the decode curve is measured. */
export interface GpuProfile {
  readonly name: string;
  /** M, GB (decimal). */
  readonly memoryGB: number;
  /** v_pre, tokens/s. */
  readonly prefillTokensPerSecond: number;
  /** v_dec(m): increasing in kvBytes, non-increasing in speed. */
  readonly decodeProfile: readonly DecodePoint[];
}

const layout = {
  name: 'GPU profiles',
  columns: ['gpu', 'memoryGB', 'prefillTokensPerSecond', 'kvBytes', 'iterationsPerSecond'],
  othersAllowed: false,
};

/** One row: a point of a GPU's curve beside what is the same on all its rows. */
function readProfile(row: CsvRow): GpuProfile {
  const name = row.text(0);
  if (name === '') throw row.fault(0, 'a non-empty name');
  const positive = (k: number): number => row.number(k, 'a finite number > 0', (x) => x > 0);
  return {
    name,
    memoryGB: positive(1),
    prefillTokensPerSecond: positive(2),
    decodeProfile: [
      { kvBytes: row.number(3, 'a finite number >= 0', (x) => x >= 0), iterationsPerSecond: positive(4) },
    ],
  };
}

/** A GPU with one more point, which must agree with those before and go up in kvBytes, not up in speed. */
function joined(before: GpuProfile, next: GpuProfile, row: CsvRow): GpuProfile {
  const { name, memoryGB, prefillTokensPerSecond, decodeProfile } = before;
  const asBefore = (value: number): string => `${String(value)}, as in the rows of ${name} before`;
  if (next.memoryGB !== memoryGB) throw row.fault(1, asBefore(memoryGB));
  if (next.prefillTokensPerSecond !== prefillTokensPerSecond) throw row.fault(2, asBefore(prefillTokensPerSecond));
  const [last, point] = [decodeProfile[decodeProfile.length - 1], next.decodeProfile[0]];
  if (point.kvBytes <= last.kvBytes) throw row.fault(3, `more than ${name}'s point before (${String(last.kvBytes)})`);
  if (point.iterationsPerSecond > last.iterationsPerSecond)
    throw row.fault(4, `at most ${name}'s point before (${String(last.iterationsPerSecond)})`);
  return { ...before, decodeProfile: [...decodeProfile, point] };
}

/**
 * Reads measured GPU profiles: a header `gpu,memoryGB,prefillTokensPerSecond,kvBytes,iterationsPerSecond` in any order,
 * then one row per measured point, the points of one GPU in increasing kvBytes and non-increasing speed.
 *
 * @param file the name that errors begin with.
 * @throws UserError naming file, line, column, value and what is allowed.
 */
export function readGpuProfiles(csvText: string, file: string): GpuProfile[] {
  const profiles = new Map<string, GpuProfile>();
  for (const row of readTable([csvText], file, [layout]).rows) {
    const next = readProfile(row);
    const before = profiles.get(next.name);
    profiles.set(next.name, before === undefined ? next : joined(before, next, row));
  }
  if (profiles.size === 0) throw new UserError(`${file} has a header but no rows; allowed: at least one row`);
  return [...profiles.values()];
}
