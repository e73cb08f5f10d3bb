import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './errors';

/** The error for a path that could not be read, in words; the system's own code when it is none of the usual ones. */
export function fileFault(path: string, error: unknown): UserError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Record<string, string> = {
    ENOENT: 'does not exist',
    EISDIR: 'is a folder',
    EACCES: 'may not be read',
    ENOTDIR: 'lies in no folder',
  };
  return new UserError(
    `${path} ${reasons[code] ?? `cannot be read (${code === '' ? String(error) : code})`}; allowed: a readable file`,
  );
}

/**
 * Reads a whole text file that the user named.
 *
 * @throws UserError when it cannot be read.
 */
export function readTextFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw fileFault(path, error);
  }
}

/**
 * The text of a file that the user named, in pieces of at most 1 MiB: the file may be larger than memory.
 *
 * @throws UserError when it cannot be read.
 */
export function* textChunks(path: string): Generator<string, void> {
  const buffer = new Uint8Array(1 << 20);
  const decoder = new TextDecoder();
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw fileFault(path, error);
    }
  };
  const descriptor = attempt(() => openSync(path, 'r'));
  try {
    let length: number;
    while ((length = attempt(() => readSync(descriptor, buffer))) > 0)
      yield decoder.decode(buffer.subarray(0, length), { stream: true });
    yield decoder.decode();
  } finally {
    closeSync(descriptor);
  }
}

/** A file of the package's own data/ folder; src/ and dist/ lie at the same depth, so the path holds for both. */
export function dataFile(name: string): string {
  return join(__dirname, '..', '..', 'data', name);
}
