import { describe, expect, it } from 'vitest';
import { bars, box } from './bars';
import { heatMap } from './heat-map';
import { band, sweep } from './lines';
import { type Panel, type PanelOptions, figure } from './panel';
import { points } from './points';
import { limit, says } from './stated';
import { INK, OKABE_ITO, PAPER_COLOUR } from './theme';
import { timeline } from './timeline';
import { methods } from '../paper/methods';

interface Axis {
  readonly type?: string;
  readonly range?: readonly number[];
}
interface Layout {
  readonly [name: string]: unknown;
  readonly height: number;
  readonly annotations: readonly { readonly text: string; readonly xref: string; readonly y: number }[];
}
const layoutOf = (panels: Panel | readonly Panel[], title = 't'): Layout => figure(panels, { title }).layout as Layout;
const axisOf = (panels: Panel | readonly Panel[], name: string): Axis => layoutOf(panels)[name] as Axis;

const runs = [
  { method: 'LYREO', users: 20, mean: 2, least: 1.9, most: 2.2, overloaded: 0 },
  { method: 'LYREO', users: 40, mean: 2.4, least: 2.3, most: 2.5, overloaded: 0 },
  { method: 'Random', users: 20, mean: 3, least: 2.8, most: 3.1, overloaded: 0 },
  { method: 'Random', users: 40, mean: 90, least: 60, most: 120, overloaded: 1 },
];
const columns = { x: 'users', y: 'mean', low: 'least', high: 'most', by: 'method' };

describe('sweep', () => {
  it('draws a line per method, in the method’s colour, with bars from the least to the greatest seed', () => {
    const [lyreo] = sweep(runs, columns).traces as { y: number[]; line: { color: string }; error_y: object }[];
    expect(lyreo.y).toEqual([2, 2.4]);
    expect(lyreo.line.color).toBe(methods.lyreo.colour);
    expect(lyreo.error_y).toMatchObject({ symmetric: false });
    const { array, arrayminus } = lyreo.error_y as { array: number[]; arrayminus: number[] };
    expect(array[0]).toBeCloseTo(0.2);
    expect(arrayminus[1]).toBeCloseTo(0.1);
  });

  it('keeps an overloaded point out of the scale and marks it at the upper edge', () => {
    const panel = sweep(runs, { ...columns, overloaded: 'overloaded' });
    expect(panel.overloaded).toEqual([40]);
    const { range = [] } = axisOf(panel, 'yaxis');
    expect(range[1]).toBeLessThan(5);
    const mark = layoutOf(panel).annotations.find(({ text }) => text.startsWith('overloaded'));
    expect(mark).toMatchObject({ xref: 'x', x: 40, yref: 'y domain', xanchor: 'right' });
    expect(range[0] + (mark?.y ?? 0) * (range[1] - range[0])).toBeGreaterThan(3.1);
  });

  it('writes the word right of a point at the panel’s left edge', () => {
    const [first, ...others] = runs;
    const panel = sweep([{ ...first, overloaded: 1 }, ...others.slice(0, 2)], { ...columns, overloaded: 'overloaded' });
    const mark = layoutOf(panel).annotations.find(({ text }) => text.endsWith('overloaded'));
    expect(mark).toMatchObject({ x: 20, xanchor: 'left' });
  });

  it('refuses more lines than can be told apart', () => {
    const many = Array.from({ length: 7 }, (_, k) => ({ name: `m${String(k)}`, x: 1, y: k }));
    expect(() => sweep(many, { x: 'x', y: 'y', by: 'name' })).toThrow(/7 lines .*; allowed: 6/);
  });

  it('names a column that is not there', () => {
    expect(() => sweep(runs, { x: 'servers', y: 'mean' })).toThrow('column is "servers"; allowed: method, users');
  });

  it('takes categories in their order', () => {
    const mixes = ['Hom', 'Mod', 'Het'].map((mix, k) => ({ mix, y: k + 1 }));
    expect(sweep(mixes, { x: 'mix', y: 'y' }).x).toMatchObject({
      type: 'category',
      categoryarray: ['Hom', 'Mod', 'Het'],
    });
  });
});

describe('the scale of a panel', () => {
  const at = (y: readonly number[], options: PanelOptions = {}): Axis =>
    axisOf(
      points(
        y.map((value, x) => ({ x, y: value })),
        { x: 'x', y: 'y' },
        options,
      ),
      'yaxis',
    );

  it('is logarithmic where values differ by more than a factor of six and no range is given', () => {
    expect(
      [
        [1, 5],
        [1, 7],
        [0, 7],
        [0.01, 10],
      ].map((y) => at(y).type),
    ).toEqual([undefined, 'log', undefined, 'log']);
    expect(at([0.01, 10], { yRange: [0, 200] })).toEqual({ anchor: 'x', range: [0, 200] });
  });

  it('starts at 0 unless that would hide the differences, and never below it', () => {
    expect(at([1, 3]).range?.[0]).toBe(0);
    expect(at([2.4, 2.6]).range?.[0]).toBeGreaterThan(2.3);
  });
});

describe('figure', () => {
  const one = band(runs, { x: 'users', y: 'mean', by: 'method' }, { title: '(a)' });
  const two = band(runs, { x: 'users', y: 'least', by: 'method' }, { title: '(b)' });

  it('puts panels side by side, as wide as the page, and refers traces, shapes and notes to their own axes', () => {
    expect(layoutOf([one, two])).not.toHaveProperty('width');
    limit(two, 2.5, 'ε');
    const { data, layout } = figure([one, two], { title: 't' });
    expect(data.at(-1)).toMatchObject({ xaxis: 'x2', yaxis: 'y2' });
    expect(layout).toMatchObject({
      grid: { rows: 1, columns: 2 },
      shapes: [{ xref: 'x2 domain', yref: 'y2' }],
    });
    expect(layoutOf([one, two]).annotations.find(({ text }) => text === 'ε')).toMatchObject({
      xref: 'x2 domain',
      yref: 'y2',
      xanchor: 'right',
      bgcolor: PAPER_COLOUR,
    });
  });

  it('names lines at their ends, apart from each other', () => {
    const { annotations } = layoutOf(
      band(
        ['a', 'b', 'c'].map((name) => ({ name, x: 1, y: 2 })),
        { x: 'x', y: 'y', by: 'name' },
      ),
    );
    const places = annotations.map(({ y }) => y).sort((a, b) => a - b);
    expect(places).toHaveLength(3);
    expect(places[1] - places[0]).toBeGreaterThan(0.04);
    expect(places[2] - places[1]).toBeGreaterThan(0.04);
  });

  it('sets what the paper says below the panel’s title', () => {
    const { annotations } = layoutOf(says(band(runs, { x: 'users', y: 'mean' }, { title: '(a)' }), 'rises'));
    expect(annotations[0].text).toMatch(/^<b>\(a\)<\/b><br>.*paper: rises/);
  });
});

describe('other builders', () => {
  it('write the value on each bar, zero too; that of a bar with a range beyond its upper end', () => {
    const plain = [
      { name: 'a', y: 0 },
      { name: 'b', y: 1.2345 },
    ];
    expect(bars(plain, { category: 'name', value: 'y' }).traces).toMatchObject([{ text: ['0', '1.23'] }]);
    const rows = [
      { name: 'a', y: 2, least: 1, most: 3 },
      { name: 'b', y: 4 },
    ];
    const [bar, label] = bars(rows, { category: 'name', value: 'y', low: 'least', high: 'most' }).traces;
    // No range of no height is drawn.
    expect(bar).toMatchObject({ y: [2, 4], error_y: { array: [1, 'none'], arrayminus: [1, 'none'] } });
    expect(bar).not.toHaveProperty('text');
    expect(label).toMatchObject({ y: [3, 4], text: ['2', '4'], showlegend: false });
  });

  it('draw a group without ranges beside one with them', () => {
    const rows = [
      { name: 'a', by: 'ours', y: 2, least: 1, most: 3 },
      { name: 'a', by: 'paper', y: 4 },
    ];
    const columns = { category: 'name', by: 'by', value: 'y', low: 'least', high: 'most' };
    const [, , paper] = bars(rows, columns).traces;
    expect(paper).toMatchObject({ name: 'paper', y: [4], error_y: { array: ['none'], arrayminus: ['none'] } });
  });

  const cells = [-3, 1].map((value) => ({ x: `x${value}`, y: 'y', value }));
  const span = { part: 'decode', from: 1, to: 3.5 };
  it.each([
    [
      'boxes from quantiles',
      box([{ name: 'LL', q05: 1, q25: 2, q50: 3, q75: 4, q95: 5 }], { name: 'name' }),
      { lowerfence: [1], q1: [2], median: [3], q3: [4], upperfence: [5] },
    ],
    [
      'a heat map whose colours are centred at 0',
      heatMap(cells, { x: 'x', y: 'y', value: 'value' }, { unit: 's', centred: true }),
      { z: [-3, 1], zmid: 0 },
    ],
    [
      'a timeline from begin and end',
      timeline([span], { row: 'part', from: 'from', to: 'to' }),
      { base: [1], x: [2.5] },
    ],
  ])('draw %s', (_, { traces }, trace) => {
    expect(traces).toMatchObject([trace]);
  });
});

describe('ink', () => {
  const luminance = (hex: string): number => {
    const [r, g, b] = [1, 3, 5].map((from) => {
      const c = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  it('has a contrast of at least 7 on the sheet, and no method and no palette colour is as dark', () => {
    expect((luminance(PAPER_COLOUR) + 0.05) / (luminance(INK) + 0.05)).toBeGreaterThan(7);
    const colours = [...OKABE_ITO, ...Object.values(methods).map(({ colour }) => colour)];
    expect(Math.min(...colours.map(luminance))).toBeGreaterThan(1.5 * luminance(INK));
  });
});
