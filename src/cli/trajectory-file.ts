import { extname } from 'node:path';
import { type PendingFile, pendingFile } from '../core/atomic';
import { invalid } from '../core/errors';
import type { IterationRecorder } from '../system/trajectory';

/** The columns of the iteration-level KV trajectory m_s(k, t), one row per decode iteration, with their Parquet types. */
const columns = [
  { name: 'slot', type: 'INT32' },
  { name: 'k', type: 'INT32' },
  { name: 'server', type: 'INT32' },
  { name: 'startsAt', type: 'DOUBLE' },
  { name: 'seconds', type: 'DOUBLE' },
  { name: 'kvBytes', type: 'DOUBLE' },
  { name: 'active', type: 'INT32' },
] as const;

/** A row in the order of the columns. */
type Row = readonly number[];

/** Rows kept before they go to the file: memory stays flat however long the run is. */
const MOST_ROWS = 65_536;

/** Writes rows, again and again; called without rows it ends the file. */
type Sink = (rows?: readonly Row[]) => void;

function csvSink(file: PendingFile): Sink {
  file.write(`${columns.map(({ name }) => name).join()}\n`);
  return (rows = []) => {
    file.write(rows.map((row) => `${row.join()}\n`).join(''));
  };
}

/** An array, which can be read as a whole or line by line. */
function jsonSink(file: PendingFile): Sink {
  let before = '[\n';
  return (rows) => {
    const objects = rows?.map((row) =>
      JSON.stringify(Object.fromEntries(columns.map(({ name }, c) => [name, row[c]]))),
    );
    file.write(objects === undefined ? '\n]\n' : before + objects.join(',\n'));
    before = ',\n';
  };
}

async function parquetSink(file: PendingFile): Promise<Sink> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const types = columns.map((column) => ({ ...column, repetition_type: 'REQUIRED' as const }));
  const schema = [{ name: 'root', num_children: types.length }, ...types];
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'lyreo' });
  return (rows) => {
    const columnData = columns.map(({ name }, c) => ({ name, data: rows?.map((row) => row[c]) ?? [] }));
    void (rows === undefined ? writer.finish() : writer.write({ columnData, rowGroupSize: rows.length }));
    file.write(bytes.getBytes());
    bytes.index = 0;
  };
}

const sinks: Readonly<Partial<Record<string, (file: PendingFile) => Sink | Promise<Sink>>>> = {
  '.parquet': parquetSink,
  '.csv': csvSink,
  '.json': jsonSink,
};

/** Records every decode iteration into a file. */
export interface TrajectoryFile {
  readonly recorder: IterationRecorder;
  /** Puts the whole file into its place; returns the number of its rows. */
  commit(): number;
  /** Leaves no trace of an unfinished file; nothing after `commit`. */
  discard(): void;
}

/**
 * Begins a trajectory file; its name's ending tells the format: parquet, csv or json.
 *
 * @throws UserError when the ending is none of these or the file cannot be written.
 */
export async function trajectoryFile(path: string): Promise<TrajectoryFile> {
  const open = sinks[extname(path).toLowerCase()];
  if (open === undefined) throw invalid('--trace-kv', path, 'a file name that ends in .parquet, .csv or .json');
  const file = pendingFile(path);
  const sink = await open(file);
  let rows: Row[] = [];
  let written = 0;
  const flush = (): void => {
    if (rows.length > 0) sink(rows);
    written += rows.length;
    rows = [];
  };
  return {
    recorder: {
      record(iteration): void {
        rows.push(columns.map(({ name }) => iteration[name]));
        if (rows.length === MOST_ROWS) flush();
      },
    },
    commit(): number {
      flush();
      sink();
      file.commit();
      return written;
    },
    discard: () => {
      file.discard();
    },
  };
}
