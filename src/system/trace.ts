import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { type CsvFormat, type CsvRow, decimalNumber, numberCell, readTable } from '../core/csv';
import { UserError } from '../core/errors';
import { dataFile, textChunks, withFile } from '../core/files';
import { integer } from '../core/schema';

/** A recorded stream of requests, in order of arrival. */
export interface Trace {
  /** Of the file. */
  readonly name: string;
  /** Arrival times [N], s, in order; the first is 0. */
  readonly arrivalSeconds: Float64Array;
  /** l_in [N], tokens. */
  readonly inputTokens: Int32Array;
  /** l_out [N], tokens. */
  readonly outputTokens: Int32Array;
  /** Rows that are no request, by reason. */
  readonly skipped: readonly { readonly reason: string; readonly count: number }[];
  /** Rows that stood before an earlier one in the file and were sorted into place. */
  readonly outOfOrder: number;
}

/** A point in time. Seconds and fraction stand apart: their sum, near 1.7e9, would lose the 100 ns digits of Azure's traces. */
interface Instant {
  readonly whole: number;
  readonly fraction: number;
  /** Its origin; all rows of a file must have the same. */
  readonly base: string;
}

type TraceRow = readonly [at: Instant, inputTokens: number, outputTokens: number];

const MOST_TOKENS = 2 ** 31 - 1;
const LATEST_SECONDS = 1e12;
/** The longest trace, 31 years. Times further apart count from different points, such as the file's start and 1970. */
const LONGEST_SECONDS = 1e9;
const MOST_OFFSET_MINUTES = 14 * 60;

/** The schema of a cell with a point in time; `read` gives undefined for text that is none. */
const timeCell = (read: (text: string) => Instant | undefined, allowed: string): z.ZodType<Instant> =>
  z.string().transform((text, context) => read(text) ?? (context.addIssue(allowed), z.NEVER));

const seconds = timeCell((text) => {
  const value = decimalNumber(text);
  if (!(value >= 0 && value <= LATEST_SECONDS)) return undefined;
  const [, whole, fraction] = /^(\d+)(\.\d+)$/.exec(text) ?? [text, Math.floor(value), value % 1];
  return { whole: Number(whole), fraction: Number(fraction), base: 'a number of seconds' };
}, `a number of seconds from 0 to ${LATEST_SECONDS}`);

const utc = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-](\d\d):?([0-5]\d))?$/;

const date = timeCell((text) => {
  const [, day, time, fraction = 0, zone, hours = 0, minutes = 0] = (utc.exec(text) ?? []) as (string | undefined)[];
  const at = Date.parse(`${day}T${time}Z`);
  const offset = 60 * Number(hours) + Number(minutes);
  // 30 February is read as 2 March, 24:00 as the next day.
  const isDate = !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${day}T${time}`);
  if (!isDate || offset > MOST_OFFSET_MINUTES) return undefined;
  return {
    whole: at / 1000 + (zone?.startsWith('-') === true ? 60 : -60) * offset,
    fraction: Number(fraction),
    base: `a date and time with${zone === undefined ? 'out' : ''} an offset`,
  };
}, 'a date and time such as 2023-11-16 18:15:46.6805900, with or without an offset from -14:00 to +14:00');

/** @param isPublished rows of 0 tokens are failed requests, to be skipped and counted, and there are other columns. */
function layout(
  name: string,
  [at, input, output]: readonly string[],
  time: z.ZodType<Instant>,
  isPublished: boolean,
): CsvFormat<TraceRow> {
  const tokens = numberCell(integer(isPublished ? 0 : 1, MOST_TOKENS));
  const columns = [[at, time] as const, [input, tokens] as const, [output, tokens] as const] as const;
  return { name, columns, othersAllowed: isPublished };
}

/** BurstGPT's older files lack Session ID and Elapsed time; neither is needed here. */
const formats: readonly CsvFormat<TraceRow>[] = [
  layout('own', ['arrivalSeconds', 'inputTokens', 'outputTokens'], seconds, false),
  layout('Azure LLM inference', ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'], date, true),
  layout('BurstGPT', ['Timestamp', 'Request tokens', 'Response tokens'], seconds, true),
];

/** Seconds since the first row's whole second. */
function secondsSince(first: CsvRow<TraceRow>, { values: [at], fault }: CsvRow<TraceRow>): number {
  const [begin] = first.values;
  if (at.base !== begin.base) throw fault(0, `${begin.base}, as in line ${first.line}`);
  const seconds = at.whole - begin.whole;
  if (Math.abs(seconds) <= LONGEST_SECONDS) return seconds + at.fraction;
  throw fault(0, `a time within ${LONGEST_SECONDS} s of that in line ${first.line}: all times count from one point`);
}

/**
 * Reads a trace from CSV text. The header tells the format:
 * `arrivalSeconds,inputTokens,outputTokens` (own), `TIMESTAMP,ContextTokens,GeneratedTokens` (Azure 2023 and 2024) or
 * `Timestamp,…,Request tokens,Response tokens,…` (BurstGPT). Times are shifted so that the first is 0. In the published
 * formats a row of 0 tokens is a failed request: skipped and counted. Rows out of order are sorted and counted.
 *
 * @param text whole or in pieces.
 * @throws UserError naming file, line, column, value and the allowed values.
 */
export function parseTrace(text: string | Iterable<string>, file: string): Trace {
  const { format, rows } = readTable(typeof text === 'string' ? [text] : text, file, formats);
  const [, [inputName], [outputName]] = format.columns;
  const [arrival, input, output]: number[][] = [[], [], []];
  const skips = new Map<string, number>();
  let first: CsvRow<TraceRow> | undefined;
  for (const row of rows) {
    const [, inputTokens, outputTokens] = row.values;
    first ??= row;
    const at = secondsSince(first, row);
    if (inputTokens === 0 || outputTokens === 0) {
      const reason = outputTokens === 0 ? `failed: ${outputName} is 0` : `empty: ${inputName} is 0`;
      skips.set(reason, (skips.get(reason) ?? 0) + 1);
      continue;
    }
    arrival.push(at);
    input.push(inputTokens);
    output.push(outputTokens);
  }
  const skipped = [...skips].map(([reason, count]) => ({ reason, count }));
  if (arrival.length === 0) {
    const reasons = skipped.map(({ reason, count }) => `${count} skipped, ${reason}`).join('; ');
    const why = reasons === '' ? '' : ` (${reasons})`;
    throw new UserError(`${file} has a header but no request${why}; allowed: at least one`);
  }
  const outOfOrder = arrival.filter((at, i) => i > 0 && at < arrival[i - 1]).length;
  const order = Uint32Array.from(arrival.keys());
  if (outOfOrder > 0) order.sort((a, b) => arrival[a] - arrival[b] || a - b);
  const startAt = arrival[order[0]];
  return {
    name: basename(file),
    // Nine decimals: the difference of two times with 100 ns digits is free of the rounding of its parts.
    arrivalSeconds: Float64Array.from(order, (i) => Math.round((arrival[i] - startAt) * 1e9) / 1e9),
    inputTokens: Int32Array.from(order, (i) => input[i]),
    outputTokens: Int32Array.from(order, (i) => output[i]),
    skipped,
    outOfOrder,
  };
}

/** Reads a trace file as {@link parseTrace} does; a file of hundreds of megabytes needs memory only for its requests. */
export function readTrace(path: string): Trace {
  return parseTrace(textChunks(path), path);
}

/** The path of a `lengthsFile`: relative to the working folder or, if no file is there, to the package's data/. */
export function lengthsPath(path: string): string {
  const packaged = dataFile(path);
  return existsSync(path) || !existsSync(packaged) ? path : packaged;
}

/** Traces that were read, by path with the size and time that the file had. */
const known: Map<string, Trace> = new Map();

/** The trace that a `lengthsFile` names, read again when the file has changed. */
export function lengthPairs(lengthsFile: string): Trace {
  const path = lengthsPath(lengthsFile);
  const { size, mtimeMs } = withFile(path, 'read', () => statSync(path));
  const key = `${path} ${size} ${mtimeMs}`;
  const trace = known.get(key) ?? readTrace(path);
  known.set(key, trace);
  return trace;
}
