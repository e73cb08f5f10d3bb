import { existsSync, statSync } from 'node:fs';
import { dataFile, fileFault } from '../core/files';
import { type Trace, readTrace } from './trace';

/** Traces that were read, by path; read again when size or time of the file has changed. */
const read: Map<string, { readonly stamp: string; readonly trace: Trace }> = new Map();

/**
 * The trace that `lengthsFile` names, each file read once.
 *
 * @param path relative to where the command runs or, where there is none, to the package's data/.
 * @throws UserError when it cannot be read, or naming file, line, column, value and what is allowed.
 */
export function lengthPairs(path: string): Trace {
  const file = lengthsPath(path);
  const stamp = stampOf(file);
  const known = read.get(file);
  if (known?.stamp === stamp) return known.trace;
  const trace = readTrace(file);
  read.set(file, { stamp, trace });
  return trace;
}

/** The path of a `lengthsFile`: relative to the working folder or, if no file is there, to the package's data/. */
export function lengthsPath(path: string): string {
  const packaged = dataFile(path);
  return existsSync(path) || !existsSync(packaged) ? path : packaged;
}

function stampOf(file: string): string {
  try {
    const { size, mtimeMs } = statSync(file);
    return `${String(size)} ${String(mtimeMs)}`;
  } catch (error) {
    throw fileFault(file, error);
  }
}
