import { extname } from 'node:path';
import { type PendingFile, pendingFile } from '../core/atomic';
import { invalid } from '../core/errors';
import type { IterationRecorder } from '../system/trajectory';

/** The columns of the iteration-level KV trajectory m_s(k, t), one row per decode iteration, with their Parquet types. */
const columnTypes = {
  slot: 'INT32',
  k: 'INT32',
  server: 'INT32',
  startsAt: 'DOUBLE',
  seconds: 'DOUBLE',
  kvBytes: 'DOUBLE',
  active: 'INT32',
} as const;
const columnNames = Object.keys(columnTypes) as (keyof typeof columnTypes)[];

/** Rows kept before they go to the file: memory stays flat however long the run is. */
const ROWS = 65_536;

/** Values of up to ROWS iterations, in the order of `columnNames`. */
type Columns = readonly (Int32Array | Float64Array)[];

/** Writes rows 0..count−1 of the columns repeatedly, then the end of the file. */
interface Sink {
  write(columns: Columns, count: number): void;
  end(): void;
}

type RowText = (values: readonly number[]) => string;

/** A line per row, between a head and a foot. */
function textSink(file: PendingFile, head: string, separator: string, foot: string, rowText: RowText): Sink {
  let before = head;
  return {
    write(columns, count): void {
      const rows = Array.from({ length: count }, (_, i) => rowText(columns.map((column) => column[i])));
      file.write(before + rows.join(separator));
      before = separator;
    },
    end: () => {
      file.write(before === head ? head + foot : foot);
    },
  };
}

async function parquetSink(file: PendingFile): Promise<Sink> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const flush = (): void => {
    file.write(bytes.getBytes());
    bytes.index = 0;
  };
  const types = columnNames.map((name) => ({
    name,
    type: columnTypes[name],
    repetition_type: 'REQUIRED' as const,
  }));
  const schema = [{ name: 'root', num_children: types.length }, ...types];
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'lyreo' });
  return {
    write(columns, count): void {
      const columnData = columnNames.map((name, c) => ({ name, data: columns[c].subarray(0, count) }));
      void writer.write({ columnData, rowGroupSize: count });
      flush();
    },
    end(): void {
      void writer.finish();
      flush();
    },
  };
}

/** The formats by a file's ending; the JSON is an array, which can be read as a whole or line by line. */
const sinks: Readonly<Partial<Record<string, (file: PendingFile) => Sink | Promise<Sink>>>> = {
  '.parquet': parquetSink,
  '.csv': (file) => textSink(file, `${columnNames.join(',')}\n`, '\n', '\n', (row) => row.join(',')),
  '.json': (file) =>
    textSink(file, '[\n', ',\n', '\n]\n', (row) =>
      JSON.stringify(Object.fromEntries(columnNames.map((name, c) => [name, row[c]]))),
    ),
};

/** Records every decode iteration into a file. */
export interface TrajectoryFile {
  readonly recorder: IterationRecorder;
  readonly rows: number;
  /** Puts the whole file into its place. */
  commit(): void;
  /** Leaves no trace of an unfinished file; nothing after `commit`. */
  discard(): void;
}

/**
 * Begins a trajectory file; its name's ending tells the format: parquet, csv or json.
 *
 * @param kvBytesPerToken α.
 * @throws UserError when the ending is none of these or the file cannot be written.
 */
export async function trajectoryFile(path: string, kvBytesPerToken: number): Promise<TrajectoryFile> {
  const open = sinks[extname(path).toLowerCase()];
  if (open === undefined) throw invalid('--trace-kv', path, 'a file name that ends in .parquet, .csv or .json');
  const file = pendingFile(path);
  const sink = await open(file);
  const columns = columnNames.map((name) =>
    columnTypes[name] === 'INT32' ? new Int32Array(ROWS) : new Float64Array(ROWS),
  );
  let count = 0;
  let written = 0;
  const flush = (): void => {
    if (count > 0) sink.write(columns, count);
    written += count;
    count = 0;
  };
  return {
    recorder: {
      record(server, slot, k, startsAt, seconds, tokens, active): void {
        const row = [slot, k, server, startsAt, seconds, kvBytesPerToken * tokens, active];
        for (let c = 0; c < row.length; c++) columns[c][count] = row[c];
        count++;
        if (count === ROWS) flush();
      },
    },
    get rows(): number {
      return written + count;
    },
    commit(): void {
      flush();
      sink.end();
      file.commit();
    },
    discard: () => {
      file.discard();
    },
  };
}
