import { toDataFrame, csvOf } from './data-frame';
import { display, escapeHtml, inKernel, isStatic } from './kernel';
import type { Rows } from '../plots/rows';

/**
 * Shows two links under which the reader's browser saves rows: a CSV and a Parquet file. Where notebooks are written
 * headless, and outside of them, it only says how many rows there are.
 *
 * @param name of the files, without ending.
 */
export async function download(name: string, rows: Rows): Promise<void> {
  const frame = toDataFrame(rows);
  const count = `${name}: ${frame.shape[0]} rows, ${frame.columns.length} columns`;
  if (!inKernel() || isStatic()) {
    display({ 'text/plain': `${count}; run the cell to download them as CSV or Parquet` });
    return;
  }
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const types = { float32: 'DOUBLE', boolean: 'BOOLEAN', string: 'STRING' } as const;
  const columnData = frame.columns.map((column, c) => ({
    name: column,
    data: (frame.values as unknown[][]).map((row) => row[c]),
    type: types[frame.dtypes[c] as keyof typeof types],
  }));
  const link = (ending: string, type: string, bytes: Buffer): string =>
    `<a download="${escapeHtml(name)}.${ending}" href="data:${type};base64,${bytes.toString('base64')}">${ending}</a>`;
  const links = [
    link('csv', 'text/csv', Buffer.from(csvOf(frame))),
    link('parquet', 'application/vnd.apache.parquet', Buffer.from(parquetWriteBuffer({ columnData }))),
  ];
  display({ 'text/html': `${escapeHtml(count)}: ${links.join(' · ')}`, 'text/plain': count });
}
