import { describe, expect, it } from 'vitest';
import { UserError } from './errors';
import { cellNumber, decimalNumber, parseCsv } from './csv';

describe('parseCsv', () => {
  it('numbers rows as an editor does, through BOM, CRLF and blank lines', () => {
    expect(parseCsv('\uFEFFa,b\r\n\r\n1, 2\r\n', 'f.csv')).toEqual([
      { row: 1, fields: ['a', 'b'] },
      { row: 3, fields: ['1', '2'] },
    ]);
  });

  it.each(['', '\uFEFF', '\r\n\r\n', '  \n'])('says that %j is empty', (text) => {
    expect(() => parseCsv(text, 'f.csv')).toThrow('f.csv is empty; allowed: a header and at least one row');
  });
});

describe('decimalNumber', () => {
  it.each([
    ['12', 12],
    ['-0.5', -0.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1.6e7', 1.6e7],
  ])('reads %s', (text, value) => {
    expect(decimalNumber(text)).toBe(value);
  });

  it.each(['', ' ', '0x10', '1e', 'Infinity', 'NaN', '1,5', '1 2', 'null'])('is NaN for %j', (text) => {
    expect(decimalNumber(text)).toBeNaN();
  });
});

describe('cellNumber', () => {
  it('names file, row, column, value and what is allowed', () => {
    const read = (text: string | undefined): number =>
      cellNumber(text, 'f.csv', 7, 'size', 'a number > 0', (x) => x > 0);
    expect(read('2')).toBe(2);
    expect(() => read('-2')).toThrow(new UserError('f.csv: row 7, size is "-2"; allowed: a number > 0'));
    expect(() => read('1e999')).toThrow('f.csv: row 7, size is "1e999"');
    expect(() => read(undefined)).toThrow('f.csv: row 7, size is missing');
  });
});
