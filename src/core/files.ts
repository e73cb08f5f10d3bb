import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from './errors';

/** Why a path could not be read, in words; the system's own code when it is none of the usual ones. */
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

/** A file of the package's own data/ folder; src/ and dist/ lie at the same depth, so the path holds for both. */
export function dataFile(name: string): string {
  return join(__dirname, '..', '..', 'data', name);
}
