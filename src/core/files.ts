import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UserError } from './errors';
import { parseJson } from './parse';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** Works with a file that the user named; a refusal of the system is a UserError with the reason in words. */
export function withFile<T>(path: string, purpose: 'read' | 'written', work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) throw error;
    const isRead = purpose === 'read';
    const missing = existsSync(dirname(path)) ? 'cannot be made in its folder' : 'lies in a folder that does not exist';
    const known: Readonly<Record<string, string>> = {
      ENOENT: isRead ? 'does not exist' : missing,
      ENOTDIR: 'lies in no folder',
      EISDIR: 'is a folder',
      EACCES: `may not be ${purpose}`,
      EPERM: `may not be ${purpose}`,
      EROFS: 'lies on a read-only disk',
      ENOSPC: 'does not fit on the disk',
      EDQUOT: "does not fit into the user's share of the disk",
      EFBIG: 'is larger than a file may be here',
    };
    const reason = known[codeOf(error)] ?? `cannot be ${purpose} (${codeOf(error)})`;
    throw new UserError(`${path} ${reason}; allowed: ${isRead ? 'a readable file' : 'a file that can be written'}`);
  }
}

export function readTextFile(path: string): string {
  return withFile(path, 'read', () => readFileSync(path, 'utf8'));
}

/** The text of a file in pieces of at most 1 MiB: the file may be larger than memory. */
export function* textChunks(path: string): Generator<string, void> {
  const buffer = new Uint8Array(1 << 20);
  const decoder = new TextDecoder();
  const descriptor = withFile(path, 'read', () => openSync(path, 'r'));
  try {
    let length: number;
    while ((length = withFile(path, 'read', () => readSync(descriptor, buffer))) > 0)
      yield decoder.decode(buffer.subarray(0, length), { stream: true });
    yield decoder.decode();
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Makes a folder with those above it; one that is there already is fine.
 *
 * Note: level by level, since Node 20's own `recursive` never ends where a file system takes no folders, as /proc.
 */
export function makeFolder(folder: string): void {
  const isThere = (): boolean => existsSync(folder) && statSync(folder).isDirectory();
  if (isThere()) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have been faster.
    if (isThere()) return;
    const code = codeOf(error);
    const reason = code === 'EEXIST' ? 'is a file' : `cannot be made (${code})`;
    throw new UserError(`${folder} ${reason}; allowed: a folder that can be written`);
  }
}

/** A file of the package itself; src/ and dist/ lie at the same depth, so the path holds for both. */
const packageFile = (...names: readonly string[]): string => join(__dirname, '..', '..', ...names);

export const dataFile = (name: string): string => packageFile('data', name);

const shipped: Map<string, unknown> = new Map();

/** A JSON file of the package's data/ folder, read once; tests check its content. */
export function dataJson(name: string): unknown {
  const file = dataFile(name);
  if (!shipped.has(file)) shipped.set(file, parseJson(readTextFile(file), file));
  return shipped.get(file);
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }).version;
}
