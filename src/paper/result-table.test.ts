import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resultTable, withBlocks } from './result-table';

describe('the table of results', () => {
  it('has a row for every figure and table of the paper', () => {
    const table = resultTable();
    const lines = table.split('\n').slice(3);
    expect(table).toMatch(/^- \*\*LYREO \(request credit\), ours: \d+ of \d+ independent claims hold \(/);
    const first = lines.map((line) => line.split('|')[1].trim());
    const figures = ['Fig. 1', 'Fig. 2', 'Fig. 3', 'Table II', 'Fig. 4', 'Fig. 5', 'Fig. 6', 'Fig. 7', 'Fig. 8'];
    expect(first.slice(2)).toEqual([...figures, 'all claims']);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    expect(lines[3]).toMatch(/\| LYREO 2\.4 s, Ly-PPO 3\.9 s, PPO 5\.2 s; .* \| LYREO \d/);
  });

  it.each(['README.md', 'docs/results.md'])(
    'stands in %s as the stored runs have it; if not: npx lyreo scoreboard --readme README.md docs/results.md',
    (file) => {
      const text = readFileSync(join(__dirname, '..', '..', file), 'utf8');
      expect(withBlocks(text, file)).toBe(text);
    },
  );

  it('replaces what was between its marks, and nothing else', () => {
    const text = 'before\n<!-- a: by x -->\nold\n<!-- /a -->\nbetween\n<!-- b: -->\nold\n<!-- /b -->\nafter\n';
    expect(withBlocks(text, 'x.md', { a: () => 'new $1', b: () => 'too', c: () => 'never' })).toBe(
      'before\n<!-- a: by x -->\n\nnew $1\n\n<!-- /a -->\nbetween\n<!-- b: -->\n\ntoo\n\n<!-- /b -->\nafter\n',
    );
    expect(() => withBlocks('nothing', 'x.md')).toThrow('x.md has no place for the results; allowed: a text with');
  });
});
