import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UserError } from './errors';

/**
 * Makes a folder with those above it; one that is there already is fine.
 *
 * Note: level by level, since Node 20's own `recursive` never ends where a file system takes no folders, as /proc.
 *
 * @throws UserError when it cannot be made.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been faster.
    if (isFolder(folder)) return;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const reason = code === 'EEXIST' ? 'is a file' : `cannot be made (${code})`;
    throw new UserError(`${folder} ${reason}; allowed: a folder that can be written`);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
