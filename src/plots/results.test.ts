import { describe, expect, it } from 'vitest';
import { type Cell, matrix, profiles } from '../paper/matrix';
import { quantileLevels } from '../paper/measure';
import { Results, afterConvergence, figureRuns } from '../paper/results';
import type { StoredRun } from '../paper/run-store';
import { scoreboard } from '../paper/scoreboard';
import type { Figure } from './figure';
import { claimRows, runsNote, scoreboardTable, seedsText, valueText } from './result-words';
import { PAPER, legendRows, logTicks, needsLog, withSeeds } from './result-panels';
import {
  ablationFigure,
  ablationRows,
  convergenceFigure,
  distributionFigure,
  mixFigure,
  serversFigure,
  usersFigure,
  weightFigure,
  windowEndFigure,
  windowFigure,
} from './results';
import { scoreboardFigure } from './scoreboard';

/** A run with the parts that figures read; latency and deviation say which cell it is. */
function stub(cell: Cell): StoredRun {
  const meanLatency = 2 + cell.seed / 10;
  return {
    ...cell,
    log:
      cell.hyperparameters === null
        ? null
        : { latency: [4, 3, meanLatency], queue: [3, 1, 0.1], quality: [0, 0.1, 0.3] },
    evaluation: {
      meanLatency,
      deviation: 0.01,
      p99Latency: 4,
      highKvPercent: 5,
      meanQueue: 0.1,
      latencyQuantiles: quantileLevels.map((q) => 2 + q),
      deviationQuantiles: quantileLevels.map((q) => 0.01 + q / 100),
      parts: { transmission: 0, synchronisation: 0, prefillQueue: 0, prefill: 0.1, admission: 0, decode: 2 },
      stability: { verdict: cell.config.users === 60 ? 'OVERLOADED' : 'STABLE', reason: '' },
    },
  } as unknown as StoredRun;
}

const cells = matrix(profiles.paper);
const whole = new Results(profiles.paper, cells.map(stub));
const some = new Results(profiles.paper, cells.filter((cell) => cell.seed === 1 && cell.method !== 'ppo').map(stub));
const none = new Results(profiles.paper, []);

interface Trace {
  readonly type: string;
  readonly name?: string;
  readonly xaxis?: string;
  readonly yaxis?: string;
  readonly x?: readonly unknown[];
  readonly y?: readonly unknown[];
  readonly median?: readonly number[];
  readonly marker?: { readonly symbol?: unknown };
}
const traces = ({ data }: Figure): Trace[] => data as Trace[];

/** Every figure of Section V from some runs. */
function figuresOf(results: Results): [string, Figure][] {
  const of = (artefact: Parameters<typeof figureRuns>[0]) => figureRuns(artefact, results).series;
  return [
    ['fig2', convergenceFigure(of('fig2'))],
    ['fig3', distributionFigure(of('fig3'))],
    ['fig3 extras', distributionFigure(of('extras'))],
    ['table2', ablationFigure(of('table2'))],
    ['fig4', usersFigure(of('fig4'))],
    ['fig5', serversFigure(of('fig5'))],
    ['fig6', mixFigure(of('fig6'))],
    ['fig7', weightFigure(of('fig7'))],
    ['fig8', windowFigure(of('fig8'))],
    ['fig8 ends', windowEndFigure(of('fig8'), afterConvergence('latency'))],
  ];
}

/** Axes whose categories, names of methods, say what they are; all others have titles. */
const namedByCategories: Readonly<Record<string, readonly string[]>> = {
  fig3: ['yaxis', 'yaxis2'],
  'fig3 extras': ['yaxis', 'yaxis2'],
  table2: ['xaxis', 'xaxis2', 'xaxis3', 'xaxis4'],
};

describe('the figures of Section V', () => {
  it.each([...figuresOf(whole), ...figuresOf(some)])('%s draws finite numbers and names its axes', (name, figure) => {
    expect(figure.data.length).toBeGreaterThan(0);
    for (const { x = [], y = [], median = [] } of traces(figure))
      expect([...x, ...y, ...median].filter((value) => typeof value === 'number' && !Number.isFinite(value))).toEqual(
        [],
      );
    const layout = figure.layout as Record<string, { title?: { text: string } } | undefined>;
    const drawnOn = traces(figure).flatMap(({ xaxis = 'x', yaxis = 'y' }) => [xaxis, yaxis]);
    const axes = new Set([
      ...drawnOn.map((axis) => axis.replace(/^[xy]/, '$&axis')),
      ...Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key)),
    ]);
    const untitled = [...axes].filter((axis) => (layout[axis]?.title?.text ?? '') === '');
    expect(untitled.sort()).toEqual(namedByCategories[name] ?? []);
  });

  it.each(figuresOf(none))('%s says nothing without runs', (_name, figure) => {
    const own = traces(figure).filter(({ name }) => name !== PAPER);
    expect(own).toEqual([]);
  });

  it('Fig. 8 has its legends beside the panels, where no curve is', () => {
    type Box = { readonly domain: readonly [number, number]; readonly x: number };
    const layout = windowFigure(figureRuns('fig8', whole).series).layout as Record<string, Box>;
    expect(layout['xaxis'].domain[1]).toBeLessThan(layout['legend'].x);
    expect(layout['legend'].x).toBeLessThan(layout['xaxis2'].domain[0] - 0.15);
    expect(layout['xaxis2'].domain[1]).toBeLessThan(layout['legend2'].x);
  });

  it('leave out a method without runs and say how many seeds the others have', () => {
    const names = traces(convergenceFigure(figureRuns('fig2', some).series)).map(({ name }) => name);
    expect(names).toContain('LYREO, n = 1');
    expect(names.some((name) => name?.startsWith('PPO'))).toBe(false);
  });

  it('mark what the paper states', () => {
    const marks = (figure: Figure): unknown[] =>
      traces(figure)
        .filter(({ name, x }) => name === PAPER && x?.[0] !== null)
        .flatMap(({ y = [] }) => y);
    expect(marks(convergenceFigure(figureRuns('fig2', whole).series))).toEqual([2.4, 3.9, 5.2, 0.02, 0.09, 0.22]);
    expect(marks(usersFigure(figureRuns('fig4', whole).series))).toEqual([2.3, 3.3, 2.9, 5.6]);
    expect(marks(weightFigure(figureRuns('fig7', whole).series)).sort()).toEqual([0.008, 0.016, 0.019, 2.1, 5.6]);
    expect(marks(ablationFigure(figureRuns('table2', whole).series))).toContain(14.35);
  });

  it('draw the stored quantiles as boxes, averaged over seeds', () => {
    const [box] = traces(distributionFigure(figureRuns('fig3', whole).series));
    expect(box).toMatchObject({ type: 'box', lowerfence: [2.05], q1: [2.25], median: [2.5], q3: [2.75] });
  });

  it('show a sweep once more in close-up where one method is far above the best, and not otherwise', () => {
    const titlesOf = (results: Results): unknown[] => {
      const layout = mixFigure(figureRuns('fig6', results).series).layout as Record<
        string,
        { title: { text: string } } | undefined
      >;
      return ['yaxis', 'yaxis2', 'yaxis3'].map((axis) => layout[axis]?.title.text);
    };
    const slow = ({ method }: Cell): number => (method === 'static' ? 3 : 1);
    const spread = cells.map((cell) => {
      const run = stub(cell);
      return { ...run, evaluation: { ...run.evaluation, meanLatency: slow(cell) * run.evaluation.meanLatency } };
    });
    expect(titlesOf(whole)[1]).toMatch(/deviation/);
    expect(titlesOf(new Results(profiles.paper, spread))).toEqual([
      '(a) mean latency D<sub>tot</sub> [s]',
      '(a) in close-up [s]',
      '(b) mean deviation Y',
    ]);
  });

  it('leave the points of overloaded runs open', () => {
    const [first] = traces(usersFigure(figureRuns('fig4', whole).series));
    expect(first.marker?.symbol).toEqual(['circle', 'circle', 'circle', 'circle', 'circle-open']);
  });
});

describe('words beside figures', () => {
  it('tell what is stored, what is missing and what makes it', () => {
    expect(runsNote(figureRuns('fig2', whole))).toBe(
      'fig2: 15 of 15 runs of the profile "paper" are stored, 5 seeds per point.',
    );
    expect(runsNote(figureRuns('fig2', some))).toBe(
      'fig2: 2 of 15 runs of the profile "paper" are stored, 0 to 1 seed per point. ' +
        'Missing: 5 × ppo, 4 × lyreo, 4 × ly-ppo. They are made by: lyreo experiments fig2 --profile paper',
    );
  });

  it('give a number with its interval, or say why there is none', () => {
    const latency = (run: StoredRun): number => run.evaluation.meanLatency;
    expect(valueText(whole.runs({ method: 'lyreo' }), latency)).toMatch(/^2\.3 \[2\.1\d*, 2\.\d+\]$/);
    expect(valueText(some.runs({ method: 'lyreo' }), latency)).toBe('2.1 (one seed)');
    expect(valueText(some.runs({ method: 'lyreo' }), latency, 's')).toBe('2.1 s (one seed)');
    expect(valueText([], latency, 's')).toBe('(no runs yet)');
    expect(seedsText([3, 5])).toBe('3 to 5 seeds');
  });

  it("has Table II's percentages against LYREO, printed and ours", () => {
    const rows = ablationRows(figureRuns('table2', whole).series);
    expect(rows[0]?.['mean latency [s]']).toBe('2.3 (ref.)');
    expect(rows[3]?.['mean deviation [10⁻²]']).toBe('1.1 (+37.5 %)');
    expect(ablationRows(figureRuns('table2', none).series)[0]?.['P99 latency [s]']).toBe('no runs yet (ref.)');
  });

  it('repeats the scoreboard: every row of an artefact, and all of them with links', () => {
    const board = scoreboard(none);
    const rows = claimRows(board, 'fig7');
    expect(rows).toHaveLength(board.rows.filter(({ artefact }) => artefact === 'fig7').length);
    expect(rows[0]).toMatchObject({ ours: '', holds: '? cannot be tested yet' });
    const printed = claimRows(scoreboard(whole), 'table2').filter(({ paper }) => / (s|%)$/.test(paper));
    // Latency, P99 and the ratio of three methods, and the percentages of two.
    expect(printed).toHaveLength(9 + 8);
    for (const { paper, ours } of printed) expect(ours.slice(-2)).toBe(paper.slice(-2));
    const lines = scoreboardTable(board.rows).split('\n');
    expect(lines).toHaveLength(board.rows.length + 2);
    for (const line of lines) expect(line.match(/(?<!\\)\|/g)).toHaveLength(11);
    const bars = traces(scoreboardFigure(board)) as unknown as { x: number[] }[];
    expect(bars.flatMap(({ x }) => x).reduce((a, b) => a + b, 0)).toBe(board.rows.length);
  });
});

describe('axes', () => {
  it('are logarithmic only where values spread', () => {
    expect(needsLog([1, 5])).toBe(false);
    expect(needsLog([0.02, 5])).toBe(true);
    expect(needsLog([0, 5])).toBe(false);
    expect(logTicks([0.02, 1])).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2]);
    expect(legendRows(['LYREO, n = 5', 'PPO, n = 5'])).toBe(1);
    expect(legendRows(Array.from({ length: 7 }, () => 'Drift+penalty greedy, n = 3'))).toBe(3);
    expect(withSeeds('LYREO', [0, 2, 5])).toBe('LYREO, n = 2–5');
  });
});
