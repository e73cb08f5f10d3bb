import { describe, expect, it } from 'vitest';
import { UserError } from '../core/errors';
import { dataFile, readTextFile } from '../core/files';
import { readGpuProfiles } from './gpu-profiles';

const header = 'gpu,memoryGB,prefillTokensPerSecond,kvBytes,iterationsPerSecond';

describe('readGpuProfiles', () => {
  it('reads several points per GPU, in any order of GPUs and columns, with BOM and CRLF', () => {
    const text =
      '\uFEFFkvBytes,gpu,memoryGB,prefillTokensPerSecond,iterationsPerSecond\r\n0,a,10,2500,80\r\n0,b,24,8000,140\r\n1e8,a,10,2500,50\r\n';
    expect(readGpuProfiles(text, 'mine.csv')).toEqual([
      {
        name: 'a',
        memoryGB: 10,
        prefillTokensPerSecond: 2500,
        decodeProfile: [
          { kvBytes: 0, iterationsPerSecond: 80 },
          { kvBytes: 100_000_000, iterationsPerSecond: 50 },
        ],
      },
      {
        name: 'b',
        memoryGB: 24,
        prefillTokensPerSecond: 8000,
        decodeProfile: [{ kvBytes: 0, iterationsPerSecond: 140 }],
      },
    ]);
  });

  it('reads the template in data/', () => {
    const profiles = readGpuProfiles(readTextFile(dataFile('gpu-profiles.csv')), 'gpu-profiles.csv');
    expect(profiles.map((p) => [p.name, p.memoryGB, p.prefillTokensPerSecond])).toEqual([
      ['rtx3080', 10, 2500],
      ['rtx3090', 20, 4000],
      ['rtx4090', 24, 8000],
    ]);
  });

  it.each([
    ['a header alone', `${header}\n`, 'p.csv has a header but no rows; allowed: at least one row'],
    ['an empty name', `${header}\n,10,2500,0,80`, 'p.csv: line 2, gpu is ""; allowed: a non-empty name'],
    ['no number', `${header}\na,ten,2500,0,80`, 'p.csv: line 2, memoryGB is "ten"; allowed: a finite number > 0'],
    ['a negative', `${header}\na,10,2500,-1,80`, 'p.csv: line 2, kvBytes is "-1"; allowed: a finite number >= 0'],
    [
      'zero speed',
      `${header}\na,10,2500,0,0`,
      'p.csv: line 2, iterationsPerSecond is "0"; allowed: a finite number > 0',
    ],
    [
      'points out of order',
      `${header}\na,10,2500,5,80\na,10,2500,5,70`,
      `p.csv: line 3, kvBytes is "5"; allowed: more than a's point before (5)`,
    ],
    [
      'a speed that rises',
      `${header}\na,10,2500,0,80\n\na,10,2500,5,81`,
      `p.csv: line 4, iterationsPerSecond is "81"; allowed: at most a's point before (80)`,
    ],
    [
      'two memories',
      `${header}\na,10,2500,0,80\na,12,2500,5,80`,
      'p.csv: line 3, memoryGB is "12"; allowed: 10, as in the rows of a before',
    ],
  ])('refuses %s by name', (_what, text, message) => {
    const read = (): unknown => readGpuProfiles(text, 'p.csv');
    expect(read).toThrow(UserError);
    expect(read).toThrow(message);
  });
});
