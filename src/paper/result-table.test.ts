import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TABLE_END, TABLE_START, resultTable, tableIn, withTable } from './result-table';

describe('the table of results', () => {
  it('has a row for every figure and table of the paper', () => {
    const lines = resultTable().split('\n').slice(3);
    expect(resultTable()).toMatch(/^- \*\*LYREO \(request credit\), ours: \d+ of \d+ independent claims hold \(/);
    const first = lines.map((line) => line.split('|')[1].trim());
    const figures = ['Fig. 1', 'Fig. 2', 'Fig. 3', 'Table II', 'Fig. 4', 'Fig. 5', 'Fig. 6', 'Fig. 7', 'Fig. 8'];
    expect(first.slice(2)).toEqual([...figures, 'all claims']);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines[3]).toMatch(/\| LYREO 2\.4 s, Ly-PPO 3\.9 s, PPO 5\.2 s; .* \| LYREO \d/);
  });

  it('stands in the README as the stored runs have it; if not: npx lyreo scoreboard --readme README.md', () => {
    const readme = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');
    expect(tableIn(readme)).toBe(resultTable());
  });

  it('replaces what was between its marks, and nothing else', () => {
    const text = `before\n${TABLE_START}\nold\n${TABLE_END}\nafter\n`;
    expect(withTable(text, 'new', 'x.md')).toBe(`before\n${TABLE_START}\n\nnew\n\n${TABLE_END}\nafter\n`);
    expect(() => withTable('nothing', 'new', 'x.md')).toThrow('x.md has no place for the table; allowed: a text with');
  });
});
