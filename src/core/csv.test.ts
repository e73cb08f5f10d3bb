import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UserError } from './errors';
import { type CsvFormat, decimalNumber, numberCell, readTable } from './csv';
import { positive } from './schema';

const pairs = (a: z.ZodType): CsvFormat<readonly unknown[]> => ({
  name: 'pairs',
  columns: [
    ['a', a],
    ['b', z.string()],
  ],
  othersAllowed: true,
});

/** [line, a, b] of every row, the text cut into chunks of some length. */
function rowsOf(text: string, length: number = text.length): unknown[] {
  const chunks = Array.from({ length: Math.ceil(text.length / length) }, (_, i) =>
    text.slice(i * length, (i + 1) * length),
  );
  return [...readTable(chunks, 'f.csv', [pairs(z.string())]).rows].map(({ line, values }) => [line, ...values]);
}

describe('readTable', () => {
  it.each([
    ['BOM, CRLF, blank lines and blanks', '\uFEFFa,b\r\n\r\n1, 2\r\n', [[3, '1', '2']]],
    ['quotes after a BOM', '\uFEFF"a","b"\r\n"0","50"\r\n', [[2, '0', '50']]],
    ['columns in another order, no last newline', 'b,c,a\n1,2,3', [[2, '3', '1']]],
    ['a comma and a quote in quotes', 'a,b\n"1,5","say ""x"""', [[2, '1,5', 'say "x"']]],
    ['a quote inside a field', 'a,b\n5" disk,2', [[2, '5" disk', '2']]],
    ['fields over several lines', 'a,b\n"x\r\ny\n\nz",1\n2,3\n', [[2, 'x\r\ny\n\nz', '1'], [6, '2', '3']]], // prettier-ignore
  ])('reads %s, wherever the chunks end', (_what, text, rows) => {
    for (let length = 1; length <= text.length; length++) expect(rowsOf(text, length)).toEqual(rows);
  });

  it.each([
    ['', 'f.csv is empty; allowed: a header and at least one row'],
    ['\uFEFF', 'f.csv is empty'],
    ['\r\n\r\n', 'f.csv is empty'],
    ['  \n', 'f.csv is empty'],
    ['\n\nx,y\n1,2', 'f.csv: line 3, the header is "x,y"; allowed: a,b (pairs)'],
    ['a,b,a\n1,2,3', 'f.csv: line 1, the header, column a is "there twice"; allowed: each column once'],
    ['a,b\n1\n', 'f.csv: line 2 has 1 fields; allowed: 2, as the header'],
    ['a,b\n"x\ny",1\n2,3,4', 'f.csv: line 4 has 3 fields'],
    ['a,b\n1,2\n3,"4\n5,6\n', 'f.csv: line 3 begins a row with malformed quotes (Quoted field unterminated)'],
    ['a,b\n"x\ny",1\n"2"3,4\n5,6', 'f.csv: line 4 begins a row with malformed quotes (Trailing quote on quoted'],
    ['a,"b\n1,2', 'f.csv: line 1 begins a row with malformed quotes'],
  ])('names the line in which %j is wrong', (text, message) => {
    for (let length = 1; length <= text.length + 1; length++) {
      expect(() => rowsOf(text, length)).toThrow(UserError);
      expect(() => rowsOf(text, length)).toThrow(message);
    }
  });

  it('gives up on a quoted field that does not end within 16 MiB', () => {
    const endless = function* (): Generator<string> {
      yield 'a,b\n1,2\n3,"';
      for (;;) yield '4,5\n'.repeat(1 << 20);
    };
    expect(() => [...readTable(endless(), 'f.csv', [pairs(z.string())]).rows]).toThrow('f.csv: line 3 begins a row');
  });

  it('names file, line, column, value and the allowed range of a number', () => {
    const read = (text: string): unknown =>
      [...readTable([`a,b\n\n${text},1`], 'f.csv', [pairs(numberCell(positive))]).rows][0].values[0];
    expect(read(' 2')).toBe(2);
    expect(() => read('-2')).toThrow(new UserError('f.csv: line 3, a is "-2"; allowed: a finite number > 0'));
    expect(() => read('1e999')).toThrow('f.csv: line 3, a is "1e999"');
    expect(() => read('')).toThrow('f.csv: line 3, a is ""');
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
