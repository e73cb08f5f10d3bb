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

type Row = readonly number[];

/** Rows kept before they go to the file: memory stays flat however long the run is. */
const MOST_ROWS = 65_536;

/** Formats rows, again and again; without rows it formats the end of the file. */
type Format = (rows?: readonly Row[]) => string | Uint8Array;

/** The formats by a file's ending; the JSON is an array, which can be read as a whole or line by line. */
const formats: Readonly<Partial<Record<string, () => Format | Promise<Format>>>> = {
  '.csv': () => {
    let head = `${columns.map(({ name }) => name).join()}\n`;
    return (rows = []) => {
      const text = head + rows.map((row) => `${row.join()}\n`).join('');
      head = '';
      return text;
    };
  },
  '.json': () => {
    let before = '[\n';
    return (rows) => {
      if (rows === undefined) return '\n]\n';
      const objects = rows.map((row) =>
        JSON.stringify(Object.fromEntries(columns.map(({ name }, c) => [name, row[c]]))),
      );
      const text = before + objects.join(',\n');
      before = ',\n';
      return text;
    };
  },
  '.parquet': async () => {
    const { ByteWriter, ParquetWriter } = await import('hyparquet-writer');
    const bytes = new ByteWriter();
    const types = columns.map((column) => ({ ...column, repetition_type: 'REQUIRED' as const }));
    const schema = [{ name: 'root', num_children: types.length }, ...types];
    const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'lyreo' });
    return (rows) => {
      const columnData = columns.map(({ name }, c) => ({ name, data: rows?.map((row) => row[c]) ?? [] }));
      void (rows === undefined ? writer.finish() : writer.write({ columnData, rowGroupSize: rows.length }));
      const written = bytes.getBytes();
      bytes.index = 0;
      return written;
    };
  },
};

export interface TrajectoryFile extends IterationRecorder, Pick<PendingFile, 'discard'> {
  /** Puts the whole file into its place; returns the number of its rows. */
  commit(): number;
}

/** Begins a file of every decode iteration; its name's ending tells the format. */
export async function trajectoryFile(path: string): Promise<TrajectoryFile> {
  const format = await formats[extname(path).toLowerCase()]?.();
  if (format === undefined) throw invalid('--trace-kv', path, 'a file name that ends in .parquet, .csv or .json');
  const file = pendingFile(path);
  let rows: Row[] = [];
  let written = 0;
  const flush = (): void => {
    if (rows.length > 0) file.write(format(rows));
    written += rows.length;
    rows = [];
  };
  return {
    discard: () => {
      file.discard();
    },
    record(iteration): void {
      rows.push(columns.map(({ name }) => iteration[name]));
      if (rows.length === MOST_ROWS) flush();
    },
    commit(): number {
      flush();
      file.write(format());
      file.commit();
      return written;
    },
  };
}
