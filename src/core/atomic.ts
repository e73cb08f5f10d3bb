import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UserError } from './errors';

/** A file that is written beside its place and moved there when it is whole, so that nobody ever sees half of it. */
export interface PendingFile {
  /** Where to write meanwhile. */
  readonly path: string;
  /** Moves the finished file to its place. */
  commit(): void;
  /** Takes back what has been written; nothing after `commit`. */
  discard(): void;
}

/** What is still half-written, to be taken back when the process ends. */
const pending = new Set<PendingFile>();

function discardAll(): void {
  for (const file of [...pending]) file.discard();
}

/** Why a path could not be written, in words. */
function writeFault(path: string, error: unknown): UserError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  const reasons: Record<string, string> = {
    ENOENT: 'lies in a folder that does not exist',
    ENOTDIR: 'lies in no folder',
    EISDIR: 'is a folder',
    EACCES: 'may not be written',
    EPERM: 'may not be written',
    EROFS: 'lies on a read-only disk',
    ENOSPC: 'does not fit on the disk',
  };
  return new UserError(
    `${path} ${reasons[code] ?? `cannot be written (${code})`}; allowed: a file that can be written`,
  );
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof UserError ? error : writeFault(path, error);
  }
}

/** The place itself behind links; devices and pipes are no place for a rename. */
function destination(path: string): { readonly place: string; readonly isFile: boolean } {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return { place: path, isFile: true };
  if (found.isDirectory()) throw new UserError(`${path} is a folder; allowed: a file that can be written`);
  return found.isFile() ? { place: realpathSync(path), isFile: true } : { place: path, isFile: false };
}

/**
 * Begins a file. It takes its place with `commit`; if the process ends before, its beginnings are removed.
 *
 * @throws UserError when the place cannot be written.
 */
export function pendingFile(path: string): PendingFile {
  const { place, isFile } = attempt(path, () => destination(path));
  if (!isFile) return { path: place, commit: () => undefined, discard: () => undefined };
  const half = `${place}.${String(process.pid)}.part`;
  attempt(path, () => {
    closeSync(openSync(half, 'w'));
  });
  const file: PendingFile = {
    path: half,
    commit(): void {
      if (!pending.has(file)) return;
      attempt(path, () => {
        const descriptor = openSync(half, 'r+');
        fsyncSync(descriptor);
        closeSync(descriptor);
        renameSync(half, place);
      });
      // Not before: what could not take its place is still to be removed.
      pending.delete(file);
    },
    discard(): void {
      if (pending.delete(file)) rmSync(half, { force: true });
    },
  };
  if (pending.size === 0) {
    process.off('exit', discardAll);
    process.on('exit', discardAll);
  }
  pending.add(file);
  return file;
}

/**
 * Writes a whole file, or leaves what was there.
 *
 * @throws UserError when it cannot be written.
 */
export function writeFileAtomic(path: string, data: string | Uint8Array): void {
  const file = pendingFile(path);
  try {
    attempt(path, () => {
      writeFileSync(file.path, data);
    });
    file.commit();
  } finally {
    file.discard();
  }
}
