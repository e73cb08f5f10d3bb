import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UserError } from './errors';
import { withFile } from './files';

/**
 * A file that is written beside its place and moved there when it is whole, so that nobody ever sees half of it. A
 * place or a disk that refuses is a UserError.
 *
 * Note: `write-file-atomic` (6.0 and 8.0) is not used, since it writes once and does not look how much was written: on
 * a full disk it puts a truncated file in the place of the good one and reports no error.
 */
export interface PendingFile {
  /** Appends. */
  write(data: string | Uint8Array): void;
  /** Moves the finished file to its place. */
  commit(): void;
  /** Takes back the part that has been written; nothing after `commit`. */
  discard(): void;
}

/** The end of a half-written file's name, which no other process on any host gives to its half. */
const half: RegExp = /\.[\da-f-]{36}\.part$/;

/** The place whose half-written file has this name; undefined for any other name. */
export function placeOfHalf(name: string): string | undefined {
  return half.test(name) ? name.replace(half, '') : undefined;
}

/** Begins a file. It takes its place with `commit`; if the process ends before, its beginnings are removed. */
export function pendingFile(path: string): PendingFile {
  const found = withFile(path, 'written', () => statSync(path, { throwIfNoEntry: false }));
  if (found?.isDirectory() === true) throw new UserError(`${path} is a folder; allowed: a file that can be written`);
  // Devices and pipes are no place for a rename; links stay.
  const isFile = found?.isFile() ?? true;
  const place = found !== undefined && isFile ? realpathSync(path) : path;
  const written = isFile ? `${place}.${randomUUID()}.part` : place;
  const descriptor = withFile(path, 'written', () => openSync(written, 'w'));
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  const discard = (): void => {
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
    write: (data) => {
      withFile(path, 'written', () => {
        writeFileSync(descriptor, data);
      });
    },
    commit: () => {
      withFile(path, 'written', () => {
        if (isFile) fsyncSync(descriptor);
        close();
        if (isFile) renameSync(written, place);
      });
      process.off('exit', discard);
    },
    discard,
  };
}

/** Writes a whole file, or leaves the earlier one and throws a UserError. */
export function writeFileAtomic(path: string, data: string | Uint8Array): void {
  const file = pendingFile(path);
  try {
    file.write(data);
    file.commit();
  } finally {
    file.discard();
  }
}
