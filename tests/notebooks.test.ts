/** The notebooks as files: links, the width of code, and words that belong into text cells. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

interface Cell {
  readonly cell_type: 'code' | 'markdown';
  readonly id: string;
  readonly source: string | readonly string[];
  readonly outputs?: readonly { readonly text?: readonly string[] }[];
}

const folder = join(__dirname, '..', 'notebooks');
const names = readdirSync(folder).filter((name) => /^(?!e2e-).*\.ipynb$/.test(name));
/** In the order of reading. */
const files = ['index.ipynb', ...names.filter((name) => name !== 'index.ipynb').sort()];

function cells(file: string): Cell[] {
  return (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { cells: Cell[] }).cells;
}
const text = ({ source }: Cell): string => [source].flat().join('');
const code = (file: string): Cell[] => cells(file).filter((cell) => cell.cell_type === 'code');
const targets = (markdown: string): string[] => [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);

/** Longest line of a code cell, in characters. */
const WIDEST = 100;

/** Most words of a text in code; a caption, which stands for a picture, may have more. */
const MOST_WORDS = 16;

describe.each(files)('%s', (file) => {
  it('links to its neighbours at the top and at the end', () => {
    const at = files.indexOf(file);
    const neighbours = [files[at - 1], file === 'index.ipynb' ? undefined : 'index.ipynb', files[at + 1]];
    const expected = [...neighbours].filter((name) => name !== undefined);
    const all = cells(file);
    expect(targets(text(all[0]).split('\n\n')[1])).toEqual(expected);
    expect(targets(text(all[all.length - 1]))).toEqual(expected);
  });

  it('links to files and headings that are there', () => {
    const markdown = cells(file).filter((cell) => cell.cell_type === 'markdown');
    for (const target of markdown.flatMap((cell) => targets(text(cell)))) {
      if (/^https:/.test(target)) continue;
      const [name, place] = target.split('#');
      expect(existsSync(join(folder, name)), target).toBe(true);
      if (!target.includes('#')) continue;
      const headings = cells(name).flatMap((cell) => text(cell).match(/^#+ .*$/gm) ?? []);
      const places = headings.map((heading) => heading.replace(/^#+ /, '').replaceAll(' ', '-'));
      expect(places, target).toContain(place);
    }
  });

  it(`has code lines of at most ${WIDEST} columns`, () => {
    const wide = code(file).flatMap((cell) =>
      text(cell)
        .split('\n')
        .filter((line) => line.length > WIDEST)
        .map((line) => `${cell.id}: ${line}`),
    );
    expect(wide).toEqual([]);
  });

  it('prints no panel or figure as an object', () => {
    const printed = code(file).filter(({ outputs = [] }) =>
      outputs.some((one) => one.text?.join('').includes('legendgroup')),
    );
    expect(printed.map(({ id }) => id)).toEqual([]);
  });

  it(`has no text of more than ${MOST_WORDS} words in code`, () => {
    const long = code(file).flatMap((cell) => texts(text(cell)).filter((words) => countWords(words) > MOST_WORDS));
    expect(long).toEqual([]);
  });
});

describe('the text beside the results', () => {
  const published = readFileSync(join(__dirname, '..', 'data', 'published.json'), 'utf8');
  const printed = (published.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  const isPrinted = (value: string): boolean =>
    printed.some((number) => number === Number(value) || String(Math.round(number)) === value);

  it.each(files.filter((file) => /^1[0-7]-/.test(file)))('states no number of ours in %s', (file) => {
    const from = cells(file).findIndex((cell) => text(cell).startsWith('## 6.'));
    const prose = cells(file)
      .slice(from)
      .filter((cell) => cell.cell_type === 'markdown')
      .map((cell) =>
        text(cell).replaceAll(/\[[^\]]*\]\([^)]*\)|\$[^$]*\$|sections? \d|Fig\. \d|^#.*$|^\* Set .*$/gm, ' '),
      );
    const stated = prose.join(' ').match(/(?<![\w.])\d+(?:\.\d+)?/g) ?? [];
    // A number of a run is computed in a cell, so that it changes with the runs.
    expect(stated.filter((value) => !isPrinted(value))).toEqual([]);
  });
});

const countWords = (words: string): number => words.split(/\s+/).filter((word) => /\p{L}{2}/u.test(word)).length;

/** The string and template literals of a cell, without captions. */
function texts(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'caption') return;
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    else if (ts.isTemplateExpression(node))
      found.push([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' … '));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('cell.ts', source, ts.ScriptTarget.Latest, true));
  return found;
}
