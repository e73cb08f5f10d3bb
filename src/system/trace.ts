import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import Papa from 'papaparse';
import { cell, csvFormat, decimalNumber, isBlankRow, trimFields } from '../core/csv';
import { UserError, invalid } from '../core/errors';
import { fileFault } from '../core/files';

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

/** A published or own column layout. */
interface TraceFormat {
  readonly name: string;
  readonly columns: readonly [arrival: string, input: string, output: string];
  /** Whether other columns may stand beside these; in our own format one is a slip of the pen. */
  readonly othersAllowed: boolean;
  /** Whether a row of 0 tokens is a failed request, to be skipped and counted, or a mistake. */
  readonly zeroIsFailure: boolean;
  readonly timestamps: 'seconds' | 'utc';
}

/** BurstGPT's older files lack Session ID and Elapsed time; neither is needed here. */
const formats: readonly TraceFormat[] = [
  {
    name: 'own',
    columns: ['arrivalSeconds', 'inputTokens', 'outputTokens'],
    othersAllowed: false,
    zeroIsFailure: false,
    timestamps: 'seconds',
  },
  {
    name: 'Azure LLM inference',
    columns: ['TIMESTAMP', 'ContextTokens', 'GeneratedTokens'],
    othersAllowed: true,
    zeroIsFailure: true,
    timestamps: 'utc',
  },
  {
    name: 'BurstGPT',
    columns: ['Timestamp', 'Request tokens', 'Response tokens'],
    othersAllowed: true,
    zeroIsFailure: true,
    timestamps: 'seconds',
  },
];

const MOST_TOKENS = 2 ** 31 - 1;
const LATEST_SECONDS = 1e12;

const utc = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(\.\d{1,9})?(?:Z|([+-])(\d\d):?(\d\d))?$/;

/**
 * A date and time as whole seconds since 1970 and a fraction. They are kept apart since their sum, near 1.7e9, would
 * lose the 100 ns digits that Azure's traces have.
 */
function utcSeconds(text: string): { whole: number; fraction: number } | undefined {
  const match = utc.exec(text);
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [fraction, sign] = match.slice(7, 9) as [string | undefined, string | undefined];
  const whole = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  const date = new Date(whole * 1000);
  if (hour > 23 || minute > 59 || second > 59 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    return undefined;
  const offset = sign === undefined ? 0 : (sign === '-' ? -60 : 60) * (Number(match[9]) * 60 + Number(match[10]));
  return { whole: whole - offset, fraction: Number(fraction ?? 0) };
}

/** Takes rows one by one and keeps 16 bytes of each: arrays that double when full. */
class TraceBuilder {
  private format: TraceFormat | undefined;
  private place: readonly [number, number, number] = [0, 0, 0];
  private width = 0;
  private row = 0;
  private count = 0;
  private arrival = new Float64Array(1024);
  private input = new Int32Array(1024);
  private output = new Int32Array(1024);
  /** Whole seconds of the first time stamp. */
  private epoch: number | undefined;
  private readonly skips = new Map<string, number>();

  constructor(private readonly file: string) {}

  /** The next row of the file, blank ones included. */
  add(fields: readonly string[]): void {
    this.row++;
    if (isBlankRow(fields)) return;
    if (this.format === undefined) this.readHeader(trimFields(fields));
    else this.readRow(this.format, fields);
  }

  private readHeader(names: readonly string[]): void {
    const format = formats.find(({ columns }) => columns.every((column) => names.includes(column)));
    const where = `${this.file}: row ${String(this.row)}, the header`;
    if (format === undefined)
      throw invalid(
        where,
        names.join(','),
        formats.map(({ name, columns }) => `${columns.join(',')} (${name})`).join('; '),
      );
    const repeated = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
    if (repeated !== undefined) throw invalid(`${where}, column ${repeated}`, 'there twice', 'each column once');
    const unknown = names.find((name) => !format.columns.includes(name));
    if (!format.othersAllowed && unknown !== undefined)
      throw invalid(`${where}, column`, unknown, format.columns.join(','));
    this.format = format;
    this.width = names.length;
    const [a, i, o] = format.columns;
    this.place = [names.indexOf(a), names.indexOf(i), names.indexOf(o)];
  }

  private readRow(format: TraceFormat, fields: readonly string[]): void {
    if (fields.length !== this.width)
      throw new UserError(
        `${this.file}: row ${String(this.row)} has ${String(fields.length)} fields; allowed: ${String(this.width)}, as the header`,
      );
    const [arrivalColumn, inputColumn, outputColumn] = format.columns;
    const arrival = this.readTime(format, fields[this.place[0]].trim(), arrivalColumn);
    const input = this.readTokens(format, fields[this.place[1]].trim(), inputColumn);
    const output = this.readTokens(format, fields[this.place[2]].trim(), outputColumn);
    if (input === 0 || output === 0) {
      const reason = output === 0 ? `failed: ${outputColumn} is 0` : `empty: ${inputColumn} is 0`;
      this.skips.set(reason, (this.skips.get(reason) ?? 0) + 1);
      return;
    }
    if (this.count === this.arrival.length) this.grow();
    this.arrival[this.count] = arrival;
    this.input[this.count] = input;
    this.output[this.count] = output;
    this.count++;
  }

  /** Seconds; of a date, those since the first row's whole second. */
  private readTime(format: TraceFormat, text: string, column: string): number {
    if (format.timestamps === 'utc') {
      const time = utcSeconds(text);
      if (time === undefined)
        throw invalid(cell(this.file, this.row, column), text, 'a date and time such as 2023-11-16 18:15:46.6805900');
      this.epoch ??= time.whole;
      return time.whole - this.epoch + time.fraction;
    }
    const seconds = decimalNumber(text);
    if (!(seconds >= 0 && seconds <= LATEST_SECONDS))
      throw invalid(cell(this.file, this.row, column), text, `a number of seconds from 0 to ${String(LATEST_SECONDS)}`);
    return seconds;
  }

  private readTokens(format: TraceFormat, text: string, column: string): number {
    const tokens = decimalNumber(text);
    const least = format.zeroIsFailure ? 0 : 1;
    if (!Number.isInteger(tokens) || tokens < least || tokens > MOST_TOKENS)
      throw invalid(
        cell(this.file, this.row, column),
        text,
        `an integer from ${String(least)} to ${String(MOST_TOKENS)}`,
      );
    return tokens;
  }

  private grow(): void {
    const arrival = new Float64Array(2 * this.count);
    const input = new Int32Array(2 * this.count);
    const output = new Int32Array(2 * this.count);
    arrival.set(this.arrival);
    input.set(this.input);
    output.set(this.output);
    this.arrival = arrival;
    this.input = input;
    this.output = output;
  }

  finish(name: string): Trace {
    const { file, count } = this;
    if (this.format === undefined) throw new UserError(`${file} is empty; allowed: a header and at least one request`);
    const skipped = [...this.skips].map(([reason, n]) => ({ reason, count: n }));
    if (count === 0)
      throw new UserError(
        `${file} has a header but no request${skipped.length === 0 ? '' : ` (${skipped.map((s) => `${String(s.count)} skipped, ${s.reason}`).join('; ')})`}; allowed: at least one`,
      );
    const arrival = this.arrival.subarray(0, count);
    let outOfOrder = 0;
    for (let i = 1; i < count; i++) if (arrival[i] < arrival[i - 1]) outOfOrder++;
    const order =
      outOfOrder === 0
        ? undefined
        : Uint32Array.from(arrival, (_, i) => i).sort((a, b) => arrival[a] - arrival[b] || a - b);
    const at = (i: number): number => (order === undefined ? i : order[i]);
    const first = arrival[at(0)];
    return {
      name,
      // Nine decimals: the difference of two times with 100 ns digits is free of the rounding of its parts.
      arrivalSeconds: Float64Array.from({ length: count }, (_, i) => Math.round((arrival[at(i)] - first) * 1e9) / 1e9),
      inputTokens: Int32Array.from({ length: count }, (_, i) => this.input[at(i)]),
      outputTokens: Int32Array.from({ length: count }, (_, i) => this.output[at(i)]),
      skipped,
      outOfOrder,
    };
  }
}

/**
 * Reads a trace from CSV text. The header tells the format:
 * `arrivalSeconds,inputTokens,outputTokens` (own), `TIMESTAMP,ContextTokens,GeneratedTokens` (Azure 2023 and 2024) or
 * `Timestamp,…,Request tokens,Response tokens,…` (BurstGPT). Times are shifted so that the first is 0. In the published
 * formats a row of 0 tokens is a failed request: skipped and counted. Rows out of order are sorted and counted.
 *
 * @param file the name that errors begin with.
 * @throws UserError naming file, row, column, value and what is allowed.
 */
export function parseTrace(text: string, file: string): Trace {
  const builder = new TraceBuilder(file);
  Papa.parse<string[]>(text, {
    ...csvFormat,
    step: ({ data }) => {
      builder.add(data);
    },
  });
  return builder.finish(basename(file));
}

/**
 * Reads a trace file as a stream, so that a file of hundreds of megabytes needs memory only for its requests (16 bytes
 * each, twice that while it grows). The same checks as {@link parseTrace}.
 */
export function readTrace(path: string): Promise<Trace> {
  return new Promise((resolve, reject) => {
    const builder = new TraceBuilder(path);
    const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 });
    const fail = (error: unknown): void => {
      stream.destroy();
      reject(error instanceof UserError ? error : fileFault(path, error));
    };
    Papa.parse<string[]>(stream, {
      ...csvFormat,
      chunk: ({ data }, parser) => {
        try {
          for (const fields of data) builder.add(fields);
        } catch (error) {
          fail(error); // first, since abort() calls complete()
          parser.abort();
        }
      },
      complete: () => {
        try {
          resolve(builder.finish(basename(path)));
        } catch (error) {
          fail(error);
        }
      },
      error: fail,
    });
  });
}
