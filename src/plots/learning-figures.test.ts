import { describe, expect, it } from 'vitest';
import type { UpdateLog } from '../lyreo/lyreo';
import type { Figure } from './figure';
import { slotPanels, truncationFigure } from './redistribution';
import { trainingFigure } from './training';

interface Trace {
  readonly x: ArrayLike<number | string>;
  readonly y: ArrayLike<number | string>;
  readonly name?: string;
  readonly xaxis?: string;
  readonly visible?: boolean;
}

const traces = (figure: Figure): Trace[] => figure.data as Trace[];
const layout = (figure: Figure): Record<string, unknown> => figure.layout as Record<string, unknown>;

const entry = (slots: number, quality: number): UpdateLog =>
  ({ slots, latency: 3, deviation: 0.02, queue: 0.1, quality }) as unknown as UpdateLog;
const training = trainingFigure(
  [
    { label: 'LYREO', colour: '#D55E00', log: [entry(400, 0), entry(800, 0.5)] },
    { label: 'Ly-PPO', colour: '#0072B2', log: [entry(400, 0)] },
  ],
  { title: 'Learning', slots: 3200, balanceTolerance: 0.01 },
);
const panels = slotPanels(
  [
    { y: 'a [s]', series: [{ name: 'a', values: [1, 2], colour: '#000000', kind: 'bars' }] },
    { y: 'b [s]', series: [{ name: 'b', values: Float64Array.of(3, 4), colour: '#000000', kind: 'line' }] },
  ],
  'Two',
  10,
);
const truncation = truncationFigure([
  { horizon: 1, meanError: 1, largestError: 2, valueError: 2, largestReward: 1, bound: 3, holds: true },
]);

describe.each([
  ['training', training],
  ['slot panels', panels],
  ['truncation', truncation],
])('the figure of %s', (_name, figure) => {
  it('has a title, titled axes and as many x as y', () => {
    expect((layout(figure)['title'] as { text: string }).text).not.toBe('');
    const titles = Object.entries(layout(figure)).filter(([key]) => key.startsWith('xaxis'));
    expect(titles.length).toBeGreaterThan(0);
    for (const [, axis] of titles) expect((axis as { title: { text: string } }).title.text).not.toBe('');
    for (const { x, y } of traces(figure)) expect(x.length).toBe(y.length);
  });
});

it('training has four panels per method, its axis fixed from the start, and no quality without a predictor', () => {
  expect(traces(training)).toHaveLength(8);
  expect(traces(training).filter((trace) => trace.visible === false)).toMatchObject([{ name: 'Ly-PPO', xaxis: 'x4' }]);
  expect((layout(training)['xaxis'] as { range: number[] }).range[1]).toBeGreaterThanOrEqual(3200);
});

it('slot panels count from their first slot and share its axis', () => {
  expect(traces(panels).map(({ x }) => Array.from(x))).toEqual([
    [10, 11],
    [10, 11],
  ]);
});
