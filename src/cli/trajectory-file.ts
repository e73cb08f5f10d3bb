import { extname } from 'node:path';
import { type PendingFile, pendingFile } from '../core/atomic';
import { invalid } from '../core/errors';
import type { IterationRecorder } from '../system/trajectory';

/** The columns of the iteration-level KV trajectory m_s(k, t), one row per decode iteration. */
const columnNames = ['slot', 'k', 'server', 'startsAt', 'seconds', 'kvBytes', 'active'] as const;

/** Rows kept before they go to the file: memory stays flat however long the run is. */
const ROWS = 65_536;

/** The columns of up to ROWS iterations. */
interface Columns {
  readonly slot: Int32Array;
  readonly k: Int32Array;
  /** Index of the server, from 0. */
  readonly server: Int32Array;
  readonly startsAt: Float64Array;
  readonly seconds: Float64Array;
  readonly kvBytes: Float64Array;
  readonly active: Int32Array;
}

/** Writes rows 0..count−1 of the columns again and again, then the end of the file. */
interface Sink {
  write(columns: Columns, count: number): void;
  end(): void;
}

type Row = readonly number[];

function rowAt(columns: Columns, i: number): Row {
  return columnNames.map((name) => columns[name][i]);
}

function textSink(
  file: PendingFile,
  head: string,
  foot: string,
  separator: string,
  format: (row: Row) => string,
): Sink {
  let between = '';
  file.write(head);
  return {
    write(columns, count): void {
      if (count === 0) return;
      const rows = Array.from({ length: count }, (_, i) => format(rowAt(columns, i)));
      file.write(between + rows.join(separator));
      between = separator;
    },
    end(): void {
      file.write(foot);
    },
  };
}

function csvSink(file: PendingFile): Sink {
  return textSink(file, `${columnNames.join(',')}\n`, '\n', '\n', (row) => row.join(','));
}

/** An array of rows, one line each: the file can be read as a whole or line by line. */
function jsonSink(file: PendingFile): Sink {
  return textSink(file, '[\n', '\n]\n', ',\n', (row) =>
    JSON.stringify(Object.fromEntries(columnNames.map((name, i) => [name, row[i]]))),
  );
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
    type: name === 'startsAt' || name === 'seconds' || name === 'kvBytes' ? ('DOUBLE' as const) : ('INT32' as const),
    repetition_type: 'REQUIRED' as const,
  }));
  const schema = [{ name: 'root', num_children: types.length }, ...types];
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'lyreo' });
  return {
    write(columns, count): void {
      if (count === 0) return;
      const columnData = columnNames.map((name) => ({ name, data: columns[name].subarray(0, count) }));
      void writer.write({ columnData, rowGroupSize: count });
      flush();
    },
    end(): void {
      void writer.finish();
      flush();
    },
  };
}

type OpenSink = (file: PendingFile) => Sink | Promise<Sink>;

const sinks: ReadonlyMap<string, OpenSink> = new Map<string, OpenSink>([
  ['.parquet', parquetSink],
  ['.csv', csvSink],
  ['.json', jsonSink],
]);

/** Records every decode iteration into a file. */
export interface TrajectoryFile {
  readonly recorder: IterationRecorder;
  /** Rows so far. */
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
  const open = sinks.get(extname(path).toLowerCase());
  if (open === undefined) throw invalid('--trace-kv', path, 'a file name that ends in .parquet, .csv or .json');
  const file = pendingFile(path);
  const sink = await open(file);
  const columns: Columns = {
    slot: new Int32Array(ROWS),
    k: new Int32Array(ROWS),
    server: new Int32Array(ROWS),
    startsAt: new Float64Array(ROWS),
    seconds: new Float64Array(ROWS),
    kvBytes: new Float64Array(ROWS),
    active: new Int32Array(ROWS),
  };
  let count = 0;
  let written = 0;
  const flush = (): void => {
    sink.write(columns, count);
    written += count;
    count = 0;
  };
  return {
    recorder: {
      record(server, slot, k, startsAt, seconds, tokens, active): void {
        const i = count++;
        columns.slot[i] = slot;
        columns.k[i] = k;
        columns.server[i] = server;
        columns.startsAt[i] = startsAt;
        columns.seconds[i] = seconds;
        columns.kvBytes[i] = kvBytesPerToken * tokens;
        columns.active[i] = active;
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
    discard(): void {
      file.discard();
    },
  };
}
