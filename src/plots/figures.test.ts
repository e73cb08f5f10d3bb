import { describe, expect, it } from 'vitest';
import { companions, inspect, kvByRequest, latencyParts, repeatAssignments, requestIterations } from '../env/inspect';
import type { Figure } from './figure';
import { schedulers } from '../schedulers/index';
import { gpuPresets, serverSpecs } from '../system/gpus';
import { systemConfig } from '../system/presets';
import { batchSizesFigure, groupedBars, lines } from './comparison';
import { decodeProfileFigure } from './gpu-profiles';
import { kvByRequestFigure, kvCompareFigure, kvExplorerFigure, occupationHeatMaps } from './kv-trajectory';
import { packedPairs, span } from './marks';
import { companionsFigure, latencyPartsFigure, requestLifeFigure } from './request-life';
import { serviceAreaFigure } from './service-area';
import { systemModelFigure } from './system-model';
import { tableOneRows } from './table-one';
import { lengthHistograms } from './workload';

const config = systemConfig('calibrated', { slots: 5 });
const run = inspect(config, schedulers.random, 1);
const batchwise = inspect({ ...config, batching: 'static' }, repeatAssignments(run), 1);
const [request] = run.requests;
const others = companions(run, request);
const servers = run.servers.length;

interface Trace {
  readonly name?: string;
  readonly type: string;
  readonly visible?: boolean;
  readonly x: ArrayLike<unknown>;
  readonly y: ArrayLike<unknown>;
  readonly z?: readonly (readonly number[])[];
}

interface Axis {
  readonly title?: { readonly text: string };
  readonly visible?: boolean;
  readonly showticklabels?: boolean;
  readonly range?: readonly [number, number];
}

interface Menu {
  readonly buttons: readonly {
    readonly label: string;
    readonly args: readonly [{ readonly visible: boolean[] }, object];
  }[];
}

const traces = (figure: Figure): Trace[] => figure.data as Trace[];
const layout = (figure: Figure): Record<string, unknown> => figure.layout as Record<string, unknown>;
const titleOf = (figure: Figure): string => (layout(figure)['title'] as { text: string }).text;

/** Every figure of the notebooks, with how many traces it must have. */
const figures: readonly (readonly [string, Figure, number])[] = [
  ['system model', systemModelFigure(serverSpecs(config)), 1],
  ['decode profiles', decodeProfileFigure(gpuPresets(config.kvPoolFraction)), 6],
  ['length histograms', lengthHistograms([{ name: 'a', inputTokens: [1, 2], outputTokens: Int32Array.of(3, 4) }]), 2],
  ['service area', serviceAreaFigure({ x: [50], y: [50], names: ['s1'] }, [{ x: [1, 2], y: [3, 4] }], [100, 100]), 3],
  ['request life', requestLifeFigure(run, request, requestIterations(run, request)), 4],
  ['latency parts', latencyPartsFigure([{ name: 'one', parts: latencyParts(request) }]), 6],
  ['companions', companionsFigure(run, request, others), 1],
  ['KV explorer', kvExplorerFigure(run), 5 * servers],
  ['KV of DEED and static', kvCompareFigure([run, batchwise]), 10 * servers],
  [
    'KV by request',
    kvByRequestFigure(run, kvByRequest(run, 0, 1, 4), 1, 4),
    kvByRequest(run, 0, 1, 4).requests.length + 1,
  ],
  ['heat maps', occupationHeatMaps(run), 2],
  ['grouped bars', groupedBars(['a', 'b'], [{ name: 'x', values: [1, 2] }], { title: 'bars', x: 'a', y: 'b [s]' }), 1],
  ['lines', lines([1, 2], [{ name: 'x', values: [1, 2] }], { title: 'lines', x: 'a', y: 'b [s]' }), 1],
  ['batch sizes', batchSizesFigure(['s1'], [{ name: 'rule', counts: [4] }], 'sizes'), 1],
];

describe('every figure', () => {
  it.each(figures)('%s has its traces, all of numbers that are finite', (_name, figure, count) => {
    expect(traces(figure)).toHaveLength(count);
    for (const trace of traces(figure)) {
      const length = trace.type === 'histogram' ? trace.x.length : trace.y.length;
      expect(length).toBeGreaterThan(0);
      if (trace.type !== 'histogram' && trace.type !== 'heatmap') expect(trace.x.length).toBe(trace.y.length);
      const numbers = [trace.x, trace.type === 'histogram' ? [] : trace.y].flatMap((values) => Array.from(values));
      expect(numbers.filter((value) => typeof value === 'number' && !Number.isFinite(value))).toEqual([]);
    }
  });

  it.each(figures)('%s says what is seen, and its axes have titles', (_name, figure) => {
    expect(titleOf(figure).length).toBeGreaterThan(3);
    const axes = Object.entries(layout(figure)).filter(([key]) => /^[xy]axis\d*$/.test(key)) as [string, Axis][];
    expect(axes.length).toBeGreaterThan(0);
    for (const [key, axis] of axes) {
      const needsNone =
        axis.visible === false || axis.showticklabels === false || (axis as { type?: string }).type === 'category';
      if (!needsNone && key.startsWith('x')) expect(axis.title?.text ?? '').not.toBe('');
    }
  });
});

describe('the KV explorer', () => {
  const figure = kvExplorerFigure(run, 2);

  it('shows one server, and its menu each of them', () => {
    const shown = traces(figure).map((trace) => trace.visible);
    expect(shown.filter(Boolean)).toHaveLength(5);
    expect(shown.indexOf(true)).toBe(10);
    const [menu] = layout(figure)['updatemenus'] as [Menu];
    expect(menu.buttons.map((button) => button.label)).toEqual(run.servers.map((server) => server.name));
    menu.buttons.forEach(({ args }, s) => {
      expect(args[0].visible).toHaveLength(5 * servers);
      expect(args[0].visible.indexOf(true)).toBe(5 * s);
    });
  });

  it('has a slider step for every slot and one for all', () => {
    const [slider] = layout(figure)['sliders'] as [{ steps: { label: string; args: [Record<string, number[]>] }[] }];
    expect(slider.steps.map((step) => step.label)).toEqual(['all', '0–1', '1–2', '2–3', '3–4', '4']);
    expect(slider.steps[3]?.args).toEqual([{ 'xaxis.range': [2, 4] }]);
  });

  it('marks each admission and completion once', () => {
    const marks = (name: string): number =>
      traces(figure)
        .filter((trace) => trace.name === name)
        .reduce((sum, trace) => sum + trace.x.length, 0);
    expect(marks('admitted')).toBe(run.requests.length);
    expect(marks('completed')).toBe(run.requests.length);
  });

  it('never draws above the pool', () => {
    run.servers.forEach((server, s) => {
      for (const trace of traces(figure).slice(5 * s, 5 * s + 4))
        expect(Math.max(0, ...Array.from(trace.y as ArrayLike<number>))).toBeLessThanOrEqual(
          server.kvCapacityBytes / 1e6,
        );
    });
  });
});

describe('the heat maps', () => {
  it('have a row per server and a column per slot, in per cent', () => {
    for (const { z } of traces(occupationHeatMaps(run))) {
      expect(z).toHaveLength(servers);
      for (const row of z ?? []) expect(row).toHaveLength(5);
    }
  });
});

describe('Table I', () => {
  it('shows κ printed and calibrated', () => {
    const rows = tableOneRows(systemConfig('literal'), systemConfig('calibrated', { kvPoolFraction: 0.01 }));
    expect(rows.find((row) => row.symbol === 'κ')).toMatchObject({ literal: '1', calibrated: '0.01' });
    expect(rows.find((row) => row.symbol === 'B_s')).toMatchObject({ unit: 'MHz', literal: '6 to 14' });
  });
});

describe('words for numbers', () => {
  it.each([
    [3.214, '3.21 s'],
    [0.0421, '42.1 ms'],
    [7.1e-5, '71 µs'],
    [-1e-16, '0'],
  ])('%d s is %s', (seconds, words) => {
    expect(span(seconds)).toBe(words);
  });

  it('packs pairs as unsigned 16-bit integers, row by row', () => {
    const packed = packedPairs([
      [1, 2],
      [300, 4],
    ]);
    expect(packed).toEqual({
      dtype: 'u2',
      bdata: Buffer.from([1, 0, 2, 0, 44, 1, 4, 0]).toString('base64'),
      shape: '2, 2',
    });
  });
});
