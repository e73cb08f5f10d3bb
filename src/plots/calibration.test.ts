import { describe, expect, it } from 'vitest';
import { type Candidate, type Score, type Sensitivity, pilotConstants, targetsOf } from '../studies/calibrate';
import type { Figure } from './figure';
import {
  fitFigure,
  poolFigure,
  searchFigure,
  sensitivityFigure,
  tradeOffFigure,
  unitFigure,
  valleyFigure,
} from './calibration';

interface Trace {
  readonly name: string;
  readonly x: readonly number[];
  readonly y: readonly (number | string)[];
  readonly text: readonly string[];
  readonly marker: { readonly symbol: string | readonly string[] };
  readonly xaxis?: string;
}

const traces = (figure: Figure): Trace[] => figure.data as Trace[];
const layout = (figure: Figure): Record<string, unknown> => figure.layout as Record<string, unknown>;

const candidate = (index: number, objective: number, overloaded: readonly string[] = []): Candidate => ({
  index,
  objective,
  constants: { ...pilotConstants, sigmaInput: 0.5 + index / 10 },
  values: [index, 2 * index],
  overloaded,
});
const searches = [
  { name: 'seed 1', candidates: [candidate(0, 0.3), candidate(1, 0.1), candidate(2, 0.2)] },
  { name: 'seed 2', candidates: [candidate(0, 0.3), candidate(1, 0.4, ['LL U = 20'])] },
];

describe('searchFigure', () => {
  it('has every candidate, and the least so far', () => {
    const [all, best] = traces(searchFigure(searches));
    expect([all.name, all.y]).toEqual(['seed 1, every candidate', [0.3, 0.1, 0.2]]);
    expect([best.name, best.y]).toEqual(['seed 1, best so far', [0.3, 0.1, 0.1]]);
  });
});

describe('valleyFigure', () => {
  it('has a panel per constant with the range of the search, and leaves out what is above', () => {
    const figure = valleyFigure(searches, ['sigmaInput', 'kvPoolFraction'], 0.25);
    const [points, best] = traces(figure);
    expect([points.x, points.y]).toEqual([
      [0.6, 0.7],
      [0.1, 0.2],
    ]);
    expect([best.x, best.y]).toEqual([[0.6], [0.1]]);
    expect(layout(figure)['xaxis']).toMatchObject({ range: [0.3, 1] });
    expect(layout(figure)['xaxis2']).toMatchObject({ type: 'log', range: [Math.log10(1 / 500), Math.log10(1 / 60)] });
  });
});

describe('fitFigure', () => {
  it('is ours over printed, where a ratio below its floor counts as the floor', () => {
    const targets = targetsOf().filter(({ name }) => /LYREO (meanLatency|highKvPercent)$/.test(name));
    const [printed, kv] = [targets[0].printed, targets[1].printed];
    const [trace] = traces(fitFigure(targets.slice(0, 2), [{ name: 'best', values: [printed / 2, 0] }]));
    expect(trace.x).toEqual([0.5, 1 / kv]);
  });
});

describe('sensitivityFigure', () => {
  const at = (objective: number, overloaded: readonly string[] = []): Score => ({ objective, values: [], overloaded });
  const rows: Sensitivity[] = [
    { name: 'tau1', change: '±20 %', less: at(1.2), more: at(0.9) },
    { name: 'kvPoolFraction', change: '±20 %', less: at(9, ['Random U = 40']), more: at(1.1) },
  ];

  it('has the most sensitive first, and cuts a bar with an overloaded run', () => {
    const [less, more] = traces(sensitivityFigure(rows, 1, 'what a change does'));
    expect(less.y).toEqual(['κ  ±20 %', 'τ<sub>1</sub>  ±20 %']);
    expect(less.x.map((x) => Number(x.toFixed(9)))).toEqual([0.25, 0.2]);
    expect(less.text).toEqual(['+8 ▸ overloaded: Random U = 40', '']);
    expect(more.x.map((x) => Number(x.toFixed(9)))).toEqual([0.1, -0.1]);
  });
});

describe('tradeOffFigure', () => {
  it('tells candidates that keep up from the others, with the printed pair', () => {
    const panel = { x: 'a', y: 'b', printed: [5, 6] as const, xRange: [0, 9] as const };
    const at = ({ values }: Candidate): readonly [number, number] => [values[0], values[1]];
    const figure = tradeOffFigure(searches[1].candidates, [{ ...panel, at }], 'both');
    expect(traces(figure).map(({ x, y }) => [x, y])).toEqual([
      [[1], [2]],
      [[0], [0]],
      [[5], [6]],
    ]);
    expect(layout(figure)['xaxis']).toMatchObject({ range: [0, 9] });
  });
});

describe('poolFigure', () => {
  it('has deviation and ratio in a panel each, hollow where overloaded, and the printed values', () => {
    const point = { deviation: 0.01, highKvPercent: 3 };
    const points = [
      { ...point, kvPoolFraction: 0.003, isOverloaded: true },
      { ...point, kvPoolFraction: 0.009, isOverloaded: false },
    ];
    const found = traces(poolFigure([{ name: 'way', points }], { deviation: 0.008, highKvPercent: 6 }, 'pools'));
    expect(found.map(({ y }) => y)).toEqual([
      [0.01, 0.01],
      [0.008, 0.008],
      [3, 3],
      [6, 6],
    ]);
    expect(found[0].marker.symbol).toEqual(['circle-open', 'circle']);
    expect(found[3].x).toEqual([0.003, 0.009]);
  });
});

describe('unitFigure', () => {
  it('has queue and deviation of each method, and the printed values', () => {
    const training = { balanceUnit: 0.1, latency: 2 };
    const trainings = [
      { ...training, method: 'lyreo' as const, queue: 0.9, deviation: 0.01 },
      { ...training, method: 'ly-ppo' as const, queue: 0.7, deviation: 0.02 },
    ];
    const printed = { queues: { lyreo: 0.02, 'ly-ppo': 0.09 }, deviation: 0.008 };
    expect(traces(unitFigure(trainings, printed, 'units')).map(({ name, y, xaxis }) => [name, y[0], xaxis])).toEqual([
      ['LYREO', 0.9, 'x'],
      ['Ly-PPO', 0.7, 'x'],
      ['LYREO', 0.01, 'x2'],
      ['Ly-PPO', 0.02, 'x2'],
      ['LYREO, printed Z: 0.02', 0.02, 'x'],
      ['Ly-PPO, printed Z: 0.09', 0.09, 'x'],
      ['LYREO, printed Y: 0.008', 0.008, 'x2'],
    ]);
  });
});
