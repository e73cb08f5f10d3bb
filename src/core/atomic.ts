import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UserError } from './errors';
import { withFile } from './files';

/**
 * A file that is written beside its place and moved there when it is whole, so that nobody ever sees half of it.
 *
 * Note: `write-file-atomic` (6.0 and 8.0) is not used, since it writes once and does not look how much was written: on
 * a full disk it puts a truncated file in the place of the good one and reports no error.
 */
export interface PendingFile {
  /**
   * Appends.
   *
   * @throws UserError when it cannot be written, as on a full disk.
   */
  write(data: string | Uint8Array): void;
  /**
   * Moves the finished file to its place.
   *
   * @throws UserError when it cannot be moved.
   */
  commit(): void;
  /** Takes back what has been written; nothing after `commit`. */
  discard(): void;
}

/** A name that no other process on any host gives to its half of the same file. */
const half: RegExp = /\.[\da-f-]{36}\.part$/;

/** The place whose half-written file has this name; undefined for any other name. */
export function placeOfHalf(name: string): string | undefined {
  return half.test(name) ? name.replace(half, '') : undefined;
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
  const { place, isFile } = withFile(path, 'written', () => destination(path));
  const written = isFile ? `${place}.${randomUUID()}.part` : place;
  const descriptor = withFile(path, 'written', () => openSync(written, 'w'));
  let isOpen = true;
  let isPending = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    closeSync(descriptor);
  };
  const discard = (): void => {
    if (!isPending) return;
    isPending = false;
    process.off('exit', discard);
    // A file that cannot be closed is removed all the same.
    try {
      close();
    } finally {
      if (isFile) rmSync(written, { force: true });
    }
  };
  process.on('exit', discard);
  return {
    write(data): void {
      withFile(path, 'written', () => {
        writeFileSync(descriptor, data);
      });
    },
    commit(): void {
      if (!isPending) return;
      withFile(path, 'written', () => {
        if (isFile) fsyncSync(descriptor);
        close();
        if (isFile) renameSync(written, place);
      });
      isPending = false;
      process.off('exit', discard);
    },
    discard,
  };
}

/**
 * Writes a whole file, or leaves what was there.
 *
 * @throws UserError when it cannot be written.
 */
export function writeFileAtomic(path: string, data: string | Uint8Array): void {
  const file = pendingFile(path);
  try {
    file.write(data);
    file.commit();
  } finally {
    file.discard();
  }
}
