import { describe, expect, it } from 'vitest';
import type { UpdateLog } from '../lyreo/lyreo';
import type { Figure } from './figure';
import { creditMovesFigure, requestWorthFigure, slotPanels, truncationFigure, truthFigure } from './redistribution';
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
const moves = creditMovesFigure([
  { assignedSlot: 3, completedSlot: 3, seconds: 1, requests: 1 },
  { assignedSlot: 3, completedSlot: 5, seconds: 4, requests: 2 },
]);
const worth = requestWorthFigure({
  requests: ['t0-0', 't0-1'],
  servers: ['s1', 's2'],
  worth: [
    [1, -2],
    [0, 0.5],
  ],
  chosen: [0, 1],
  unit: 's',
  title: 'Worth',
});
const truth = truthFigure(
  [{ label: 'one', colour: '#0072B2', truth: [1, 2, 3], credit: [2, 4, 6], correlation: 1 }],
  'Truth',
  'effect',
);
const truncation = truncationFigure([
  { horizon: 1, meanError: 1, largestError: 2, valueError: 2, largestReward: 1, bound: 3, holds: true },
]);

describe.each([
  ['training', training],
  ['slot panels', panels],
  ['credit moves', moves],
  ['request worth', worth],
  ['truth', truth],
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

it('credit moves end at both slots and sum up their seconds', () => {
  expect(traces(moves)[1]).toMatchObject({ x: [5, 4, 3], y: [1, 0.5, 0] });
  expect(traces(moves).slice(-1)).toMatchObject([{ text: ['5'] }]);
});

it('request worth is centred on zero', () => {
  expect(figureOf(worth)).toMatchObject({ zmin: -2, zmax: 2 });
});

it('credit is drawn in its standard deviations', () => {
  const [, middle, last] = Array.from(traces(truth)[0]?.y ?? []) as number[];
  expect([middle, last]).toEqual([0, Math.sqrt(1.5)]);
});

function figureOf(figure: Figure): object | undefined {
  return figure.data[0];
}
