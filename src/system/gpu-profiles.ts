import { type CsvFormat, type CsvRow, numberCell, readTable } from '../core/csv';
import { UserError } from '../core/errors';
import { nonNegative, positive, text } from '../core/schema';
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

/** A point of a GPU's curve beside the numbers that are the same on all its rows. */
type ProfileRow = readonly [gpu: string, memoryGB: number, prefill: number, kvBytes: number, speed: number];

const format: CsvFormat<ProfileRow> = {
  name: 'GPU profiles',
  columns: [
    ['gpu', text('a non-empty name')],
    ['memoryGB', numberCell(positive)],
    ['prefillTokensPerSecond', numberCell(positive)],
    ['kvBytes', numberCell(nonNegative)],
    ['iterationsPerSecond', numberCell(positive)],
  ],
  othersAllowed: false,
};

/** A row agrees with those before of its GPU, and its point goes up in kvBytes and not up in speed. */
function checkOrder(before: GpuProfile, { values, fault }: CsvRow<ProfileRow>): void {
  const { name, memoryGB, prefillTokensPerSecond, decodeProfile } = before;
  const last = decodeProfile[decodeProfile.length - 1];
  for (const [k, value] of [memoryGB, prefillTokensPerSecond].entries())
    if (values[k + 1] !== value) throw fault(k + 1, `${value}, as in the rows of ${name} before`);
  if (values[3] <= last.kvBytes) throw fault(3, `more than ${name}'s point before (${last.kvBytes})`);
  if (values[4] > last.iterationsPerSecond)
    throw fault(4, `at most ${name}'s point before (${last.iterationsPerSecond})`);
}

/**
 * Reads measured GPU profiles: a header `gpu,memoryGB,prefillTokensPerSecond,kvBytes,iterationsPerSecond` in any order,
 * then one row per measured point, the points of one GPU in increasing kvBytes and non-increasing speed.
 */
export function readGpuProfiles(csvText: string, file: string): GpuProfile[] {
  const profiles = new Map<string, GpuProfile>();
  for (const row of readTable([csvText], file, [format]).rows) {
    const [name, memoryGB, prefillTokensPerSecond, kvBytes, iterationsPerSecond] = row.values;
    const before = profiles.get(name);
    if (before !== undefined) checkOrder(before, row);
    const decodeProfile = [...(before?.decodeProfile ?? []), { kvBytes, iterationsPerSecond }];
    profiles.set(name, { name, memoryGB, prefillTokensPerSecond, decodeProfile });
  }
  if (profiles.size === 0) throw new UserError(`${file} has a header but no rows; allowed: at least one row`);
  return [...profiles.values()];
}
