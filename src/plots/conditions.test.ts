import { describe, expect, it } from 'vitest';
import { type Cell, matrix, profiles } from '../paper/matrix';
import { Results, figureRuns } from '../paper/results';
import type { StoredRun } from '../paper/run-store';
import type { Figure } from './figure';
import { conditionFigure, conditionText, hasCondition } from './conditions';

/** 2 s at the default, 3 s elsewhere and 10 s under Random, whose backlog grows; LYREO's runs refuse every tenth. */
function stub(cell: Cell): StoredRun {
  const isDefault = cell.name === cell.method;
  const latency = cell.method === 'random' ? 10 : cell.method === 'drift-plus-penalty' ? 1.5 : isDefault ? 2 : 3;
  return {
    ...cell,
    evaluation: {
      meanLatency: latency + cell.seed / 100,
      deviation: 0.01,
      completed: 90,
      rejected: cell.method === 'lyreo' && !isDefault ? 10 : 0,
      stability: { verdict: cell.method === 'random' ? 'OVERLOADED' : 'STABLE', reason: '' },
    },
  } as unknown as StoredRun;
}

const cells = matrix(profiles.paper, ['beyond']);
const { series } = figureRuns('beyond', new Results(profiles.paper, cells.map(stub)));
const bare = figureRuns('beyond', new Results(profiles.paper, [])).series;

interface Trace {
  readonly name: string;
  readonly x: readonly number[];
  readonly y: readonly string[];
  readonly marker: { readonly symbol: string };
}
const traces = ({ data }: Figure): Trace[] => data as Trace[];

describe('the figure of a condition', () => {
  it('has one series per method, the default and all its conditions in it', () => {
    expect(series.map(({ method }) => method)).toEqual([
      ...new Set(cells.filter(({ seed }) => seed === 1).map(({ method }) => method)),
    ]);
    expect(series[0].points.map(({ x }) => x)).toEqual([
      'default',
      'heavy-tails',
      'azure',
      'burstgpt',
      'length-error',
      'stale-1',
    ]);
    expect(series.at(-1)?.points.map(({ x }) => x)).toEqual(['default', 'tenfold']);
    expect(series.flatMap(({ points }) => points).every(({ runs }) => runs.length === 3)).toBe(true);
  });

  it.each(profiles.paper.conditions)('shows every method that ran, beside the default: %s', (name) => {
    const figure = conditionFigure(series, name);
    const marks = traces(figure).filter((trace) => trace.name !== 'default');
    expect(marks).toHaveLength(2 * { tenfold: 9, 'stale-3': 8 }[name as 'tenfold'] || 2 * 11);
    expect(traces(figure)).toHaveLength(2 * marks.length);
    for (const { x, y, name: label } of traces(figure)) {
      expect(x.every(Number.isFinite)).toBe(true);
      expect(y[0]).toMatch(/, n = 3$/);
      if (label === 'Random') expect(x[0]).toBeCloseTo(x[0] > 1 ? 10.02 : 0.01, 9);
    }
    expect(marks.find((mark) => mark.name === 'Random')?.marker.symbol).toBe('circle-open');
    expect(marks.find((mark) => mark.name === 'LL')?.marker.symbol).toBe('circle');
  });

  it('is in words: the fastest, LYREO against the default, growing backlogs, refused requests', () => {
    expect(conditionText(series, 'azure')).toBe(
      'Lowest mean latency: Drift+penalty greedy (1.52 [1.5, 1.54] s), then LYREO (3.02 [3, 3.04] s). ' +
        'Of the paper’s methods: LYREO (3.02 [3, 3.04] s). ' +
        'LYREO: 3.02 [3, 3.04] s against 2.02 [2, 2.04] s at the default (+50 %), deviation 0.01 [0.01, 0.01] against 0.01 [0.01, 0.01]. ' +
        'Against the default the latency changes from 0 % (Random) to +50 % (Power of two). ' +
        'The backlog grows without end under Random. ' +
        'Requests that no pool can hold are refused: at most 10 % of a run’s.',
    );
    expect(conditionText(series, 'tenfold')).toContain('LYREO (sequential): 3.02 [3, 3.04] s against 2.02');
  });

  it('says so when there are no runs', () => {
    expect([hasCondition(series, 'stale-3'), hasCondition(bare, 'stale-3')]).toEqual([true, false]);
    expect(conditionText(bare, 'stale-3')).toBe('No runs of this condition are stored: state 3 slots old.');
    expect(traces(conditionFigure(bare, 'stale-3'))).toEqual([]);
  });
});
