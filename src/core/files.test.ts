import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from './errors';
import { dataFile, makeFolder, readTextFile } from './files';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-files-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('readTextFile', () => {
  it('reads a file of the data folder', () => {
    expect(readTextFile(dataFile('calibrated.json'))).toContain('kvPoolFraction');
  });

  it('says in words why it cannot', () => {
    expect(() => readTextFile(dataFile('no-such-file'))).toThrow(
      /no-such-file does not exist; allowed: a readable file/,
    );
    expect(() => readTextFile(dataFile('samples'))).toThrow(/samples is a folder/);
  });
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
