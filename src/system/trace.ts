import { basename } from 'node:path';
import { type CsvLayout, type CsvRow, readTable } from '../core/csv';
import { UserError } from '../core/errors';
import { textChunks } from '../core/files';

/** A recorded stream of requests, in order of arrival. */
export interface Trace {
  /** The file it came from. */
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

/** A published or own layout; its columns are arrival, input and output. */
interface TraceFormat extends CsvLayout {
  /** Whether a row of 0 tokens is a failed request, to be skipped and counted, or a mistake. */
  readonly zeroIsFailure: boolean;
  readonly readTime: (row: CsvRow) => Instant;
}

/**
 * A point in time as whole seconds and a fraction. They are kept apart since their sum, near 1.7e9, would lose the
 * 100 ns digits that Azure's traces have.
 */
interface Instant {
  readonly whole: number;
  readonly fraction: number;
  /** Its origin; all rows of a file must have the same. */
  readonly base: string;
}

/** BurstGPT's older files lack Session ID and Elapsed time; neither is needed here. */
const formats: readonly TraceFormat[] = [
  {
    name: 'own',
    columns: ['arrivalSeconds', 'inputTokens', 'outputTokens'],
    othersAllowed: false,
    zeroIsFailure: false,
    readTime: readSeconds,
  },
  {
    name: 'Azure LLM inference',
    columns: ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'],
    othersAllowed: true,
    zeroIsFailure: true,
    readTime: readDate,
  },
  {
    name: 'BurstGPT',
    columns: ['Timestamp', 'Request tokens', 'Response tokens'],
    othersAllowed: true,
    zeroIsFailure: true,
    readTime: readSeconds,
  },
];

const MOST_TOKENS = 2 ** 31 - 1;
const LATEST_SECONDS = 1e12;
/** The longest trace, 31 years. Times further apart count from different points, such as the file's start and 1970. */
const LONGEST_SECONDS = 1e9;
const MOST_OFFSET_MINUTES = 14 * 60;

function readSeconds(row: CsvRow): Instant {
  const allowed = `a number of seconds from 0 to ${String(LATEST_SECONDS)}`;
  const seconds = row.number(0, allowed, (x) => x >= 0 && x <= LATEST_SECONDS);
  const [, whole, fraction] = /^(\d+)(\.\d+)$/.exec(row.text(0)) ?? ([] as undefined[]);
  return whole === undefined
    ? { whole: Math.floor(seconds), fraction: seconds - Math.floor(seconds), base: 'a number of seconds' }
    : { whole: Number(whole), fraction: Number(fraction), base: 'a number of seconds' };
}

const utc = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d{1,9})?(Z|([+-])(\d\d):?([0-5]\d))?$/;

function readDate(row: CsvRow): Instant {
  const text = row.text(0);
  const match: readonly string[] = utc.exec(text) ?? [];
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const [fraction, zone, sign, offsetHours, offsetMinutes] = match.slice(7) as (string | undefined)[];
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const offset = sign === undefined ? 0 : 60 * Number(offsetHours) + Number(offsetMinutes);
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!isDate || hour > 23 || minute > 59 || second > 59 || offset > MOST_OFFSET_MINUTES)
    throw row.fault(
      0,
      'a date and time such as 2023-11-16 18:15:46.6805900, with or without an offset from -14:00 to +14:00',
    );
  return {
    whole: date.getTime() / 1000 - (sign === '-' ? -60 : 60) * offset,
    fraction: Number(fraction ?? 0),
    base: `a date and time with${zone === undefined ? 'out' : ''} an offset`,
  };
}

/** Seconds since the first row's whole second. */
function secondsSince(first: Instant, firstLine: number, at: Instant, row: CsvRow): number {
  if (at.base !== first.base) throw row.fault(0, `${first.base}, as in line ${String(firstLine)}`);
  const seconds = at.whole - first.whole;
  if (Math.abs(seconds) > LONGEST_SECONDS)
    throw row.fault(
      0,
      `a time within ${String(LONGEST_SECONDS)} s of that in line ${String(firstLine)}: all times count from one point`,
    );
  return seconds + at.fraction;
}

/**
 * The trace of a CSV in pieces.
 *
 * @throws UserError as {@link parseTrace}.
 */
function traceOf(chunks: Iterable<string>, file: string): Trace {
  const { layout, rows } = readTable(chunks, file, formats);
  const { columns, zeroIsFailure } = layout;
  const least = zeroIsFailure ? 0 : 1;
  const allowed = `an integer from ${String(least)} to ${String(MOST_TOKENS)}`;
  const readTokens = (row: CsvRow, k: number): number =>
    row.number(k, allowed, (x) => Number.isInteger(x) && x >= least && x <= MOST_TOKENS);
  const [arrival, input, output]: number[][] = [[], [], []];
  const skips = new Map<string, number>();
  let first: { readonly at: Instant; readonly line: number } | undefined;
  for (const row of rows) {
    const at = layout.readTime(row);
    first ??= { at, line: row.line };
    const seconds = secondsSince(first.at, first.line, at, row);
    const [inputTokens, outputTokens] = [readTokens(row, 1), readTokens(row, 2)];
    if (inputTokens === 0 || outputTokens === 0) {
      const reason = outputTokens === 0 ? `failed: ${columns[2]} is 0` : `empty: ${columns[1]} is 0`;
      skips.set(reason, (skips.get(reason) ?? 0) + 1);
      continue;
    }
    arrival.push(seconds);
    input.push(inputTokens);
    output.push(outputTokens);
  }
  const skipped = [...skips].map(([reason, count]) => ({ reason, count }));
  if (arrival.length === 0)
    throw new UserError(
      `${file} has a header but no request${skipped.length === 0 ? '' : ` (${skipped.map((s) => `${String(s.count)} skipped, ${s.reason}`).join('; ')})`}; allowed: at least one`,
    );
  return inOrder(basename(file), arrival, input, output, skipped);
}

/** Sorts by arrival, ties as they stood, and shifts the first arrival to 0. */
function inOrder(
  name: string,
  arrival: readonly number[],
  input: readonly number[],
  output: readonly number[],
  skipped: Trace['skipped'],
): Trace {
  let outOfOrder = 0;
  for (let i = 1; i < arrival.length; i++) if (arrival[i] < arrival[i - 1]) outOfOrder++;
  const order = Uint32Array.from({ length: arrival.length }, (_, i) => i);
  if (outOfOrder > 0) order.sort((a, b) => arrival[a] - arrival[b] || a - b);
  const startAt = arrival[order[0]];
  return {
    name,
    // Nine decimals: the difference of two times with 100 ns digits is free of the rounding of its parts.
    arrivalSeconds: Float64Array.from(order, (i) => Math.round((arrival[i] - startAt) * 1e9) / 1e9),
    inputTokens: Int32Array.from(order, (i) => input[i]),
    outputTokens: Int32Array.from(order, (i) => output[i]),
    skipped,
    outOfOrder,
  };
}

/**
 * Reads a trace from CSV text. The header tells the format:
 * `arrivalSeconds,inputTokens,outputTokens` (own), `TIMESTAMP,ContextTokens,GeneratedTokens` (Azure 2023 and 2024) or
 * `Timestamp,…,Request tokens,Response tokens,…` (BurstGPT). Times are shifted so that the first is 0. In the published
 * formats a row of 0 tokens is a failed request: skipped and counted. Rows out of order are sorted and counted.
 *
 * @param file the name that errors begin with.
 * @throws UserError naming file, line, column, value and what is allowed.
 */
export function parseTrace(text: string, file: string): Trace {
  return traceOf([text], file);
}

/**
 * Reads a trace file as {@link parseTrace} does, as a stream: a file of hundreds of megabytes needs memory only for its
 * requests.
 */
export function readTrace(path: string): Trace {
  return traceOf(textChunks(path), path);
}
