import { describe, expect, it } from 'vitest';
import { inspect } from '../env/inspect';
import type { Figure } from './figure';
import { schedulers } from '../schedulers/index';
import { systemConfig } from '../system/presets';
import { assignmentsFigure, boundFigure, gapFigure } from './optimality-gap';

interface Trace {
  readonly name: string;
  readonly x: readonly number[];
  readonly y: readonly (number | string)[];
  readonly text: readonly string[];
  readonly marker: { readonly color: readonly string[] };
}

const traces = (figure: Figure): Trace[] => figure.data as Trace[];
const layout = (figure: Figure): Record<string, unknown> => figure.layout as Record<string, unknown>;

describe('gapFigure', () => {
  it('has a box per scheduler, in percent', () => {
    const [jsq, random] = traces(
      gapFigure(
        [
          { scheduler: 'jsq', gaps: [0.25, 0.5], kept: 0, keptGaps: [] },
          { scheduler: 'random', gaps: [1], kept: 0, keptGaps: [] },
        ],
        'gaps',
      ),
    );
    expect([jsq.name, jsq.x, random.x]).toEqual(['JSQ', [25, 50], [100]]);
  });
});

describe('boundFigure', () => {
  const figure = boundFigure(
    [
      { title: 'U = 20', bound: 2, bars: [{ method: 'random', meanLatency: 2.5 }] },
      {
        title: 'U = 40',
        bound: 2,
        bars: [
          { method: 'random', meanLatency: 20 },
          { method: 'lyreo', meanLatency: 2.1 },
        ],
      },
    ],
    'bounds',
  );

  it('says how far every bar is above the bound, and cuts the longest', () => {
    const [first, without, second] = traces(figure);
    expect(first.text).toEqual(['+25 %']);
    expect([without.y, without.text]).toEqual([['LYREO'], [' not run here']]);
    expect(second.text).toEqual(['20.0 s, +900 % ▸', '+5.0 %']);
    expect(second.x).toEqual([3.98, 2.1]);
  });

  it('has one order for all panels, that of the fullest, the best on top', () => {
    expect((layout(figure)['yaxis'] as { categoryarray: string[] }).categoryarray).toEqual(['Random', 'LYREO']);
    expect((layout(figure)['shapes'] as { x0: number }[]).map(({ x0 }) => x0)).toEqual([2, 2]);
  });
});

describe('assignmentsFigure', () => {
  it('has a bar for every request of both, and marks those that differ alike', () => {
    const config = systemConfig('calibrated', { users: 3, servers: 2, slots: 3 });
    const [a, b] = [schedulers.random, schedulers.jsq].map((scheduler) => inspect(config, scheduler, 1));
    const figure = assignmentsFigure(
      [
        { name: 'random', run: a },
        { name: 'jsq', run: b },
      ],
      'two ways',
    );
    const bars = traces(figure);
    expect(bars).toHaveLength(4);
    const colours = (panel: readonly Trace[]): Map<string, string> =>
      new Map(panel.flatMap(({ text, marker }) => text.map((id, i): [string, string] => [id, marker.color[i]])));
    const [left, right] = [colours(bars.slice(0, 2)), colours(bars.slice(2))];
    expect(left.size).toBe(a.requests.length);
    expect([...left].sort()).toEqual([...right].sort());
    const differing = a.requests.filter(({ server }, k) => server !== b.requests[k].server).length;
    expect([...left.values()].filter((colour) => colour.startsWith('#'))).toHaveLength(differing);
  });
});
