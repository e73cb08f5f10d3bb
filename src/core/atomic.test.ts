import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  lstatSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { pendingFile, writeFileAtomic } from './atomic';
import { UserError } from './errors';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-atomic-'));
const at = (name: string): string => join(folder, name);
const halves = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.part'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('writeFileAtomic', () => {
  it('writes, and writes over', () => {
    writeFileAtomic(at('a.txt'), 'one');
    writeFileAtomic(at('a.txt'), Uint8Array.of(0x32));
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('2');
    expect(halves()).toEqual([]);
  });

  it('follows a link instead of replacing it', () => {
    writeFileSync(at('target.txt'), 'old');
    symlinkSync(at('target.txt'), at('link.txt'));
    writeFileAtomic(at('link.txt'), 'new');
    expect(lstatSync(at('link.txt')).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('target.txt'), 'utf8')).toBe('new');
  });

  it('writes to a device', () => {
    writeFileAtomic('/dev/null', 'gone');
    expect(lstatSync('/dev/null').isFile()).toBe(false);
  });

  it.skipIf(!existsSync('/dev/full'))('says that a disk is full', () => {
    expect(() => {
      writeFileAtomic('/dev/full', 'x');
    }).toThrow(new UserError('/dev/full does not fit on the disk; allowed: a file that can be written'));
  });

  it.each([
    ['a folder', '', /is a folder/],
    ['no folder', 'none/a.txt', /lies in a folder that does not exist/],
    ['below a file', 'a.txt/b.txt', /lies in no folder/],
  ])('refuses %s with a message', (_name, path, message) => {
    writeFileAtomic(at('a.txt'), 'kept');
    const write = (): void => {
      writeFileAtomic(at(path), 'x');
    };
    expect(write).toThrow(message);
    expect(write).toThrow(UserError);
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('kept');
    expect(halves()).toEqual([]);
  });
});

describe('pendingFile', () => {
  it('leaves what was there until it is committed', () => {
    writeFileSync(at('b.txt'), 'old');
    const file = pendingFile(at('b.txt'));
    file.write('n');
    file.write(Buffer.from('ew'));
    expect(readFileSync(at('b.txt'), 'utf8')).toBe('old');
    file.commit();
    file.discard();
    expect(readFileSync(at('b.txt'), 'utf8')).toBe('new');
    expect(halves()).toEqual([]);
  });

  it('can still be discarded where it could not take its place', () => {
    const file = pendingFile(at('d.txt'));
    mkdirSync(at('d.txt'));
    expect(() => {
      file.commit();
    }).toThrow(UserError);
    file.discard();
    expect(halves()).toEqual([]);
  });
});
