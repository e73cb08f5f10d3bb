import { describe, expect, it } from 'vitest';
import { dataFile, readTextFile } from './files';

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
