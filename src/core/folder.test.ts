import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from './errors';
import { makeFolder } from './folder';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-folder-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('makeFolder', () => {
  it('makes all levels, twice', () => {
    makeFolder(join(folder, 'a', 'b', 'c'));
    makeFolder(join(folder, 'a', 'b', 'c'));
    expect(existsSync(join(folder, 'a', 'b', 'c'))).toBe(true);
  });

  it('says what stands in the way', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const path of [file, join(file, 'x')])
      expect(() => {
        makeFolder(path);
      }).toThrow(new UserError(`${file} is a file; allowed: a folder that can be written`));
  });

  it.skipIf(!existsSync('/proc/self'))('ends where there can be no folder', () => {
    expect(() => {
      makeFolder('/proc/x/y');
    }).toThrow('/proc/x cannot be made (ENOENT); allowed: a folder that can be written');
  });
});
