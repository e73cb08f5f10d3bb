import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { encodeFigure, type EncodedFigure } from '../plots/figure';
import { inKernel } from './kernel';
import { livePlot, plot } from './plot';
import { progress } from './progress';
import { closeRenderer, renderFigure } from './render';
import { table } from './table';
import { OKABE_ITO } from '../plots/theme';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

function printed(): () => string {
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  return () => log.mock.calls.map((call) => String(call[0])).join('\n');
}

function firstTrace(figure: EncodedFigure): Record<string, unknown> {
  return figure.data[0] as Record<string, unknown>;
}

describe('encodeFigure', () => {
  it('encodes typed arrays wherever they are, as Plotly reads them', () => {
    const y = Float64Array.of(1.5, -2);
    const figure = {
      data: [{ x: [1, 2], y, error_y: { array: Float32Array.of(0.5, 1) }, marker: { size: Int32Array.of(7) } }],
    };
    const trace = firstTrace(encodeFigure(figure));
    expect(trace['x']).toEqual([1, 2]);
    expect(trace['y']).toEqual({ dtype: 'f8', bdata: Buffer.from(y.buffer).toString('base64') });
    expect(trace['error_y']).toEqual({ array: { dtype: 'f4', bdata: 'AAAAPwAAgD8=' } });
    expect(trace['marker']).toEqual({ size: { dtype: 'i4', bdata: 'BwAAAA==' } });
    expect(figure.data[0]?.y).toBe(y); // the argument stays as it is
  });

  it('encodes only the part of the buffer that a subarray shows', () => {
    const y = Float64Array.of(1, 2, 3, 4).subarray(1, 3);
    const { bdata } = firstTrace(encodeFigure({ data: [{ y }] }))['y'] as { bdata: string };
    expect(new Float64Array(new Uint8Array(Buffer.from(bdata, 'base64')).buffer)).toEqual(Float64Array.of(2, 3));
  });

  it('applies the theme, which the figure can overrule', () => {
    expect(encodeFigure({ data: [] }).layout['template']).toMatchObject({ layout: { colorway: OKABE_ITO } });
    expect(encodeFigure({ data: [], layout: { template: 'none' } }).layout['template']).toBe('none');
  });
});

describe('renderFigure', () => {
  afterAll(closeRenderer);

  it('draws the same bytes for the same figure', async () => {
    const layout = { title: { text: 'Latency (s)' }, width: 320, height: 200 };
    const figure = { data: [{ y: Float64Array.of(1, 3, 2) }], layout };
    const a = await renderFigure(figure, 'svg');
    await closeRenderer();
    const fresh = await renderFigure(figure, 'svg');
    expect(a.toString()).toContain('Latency (s)');
    expect(a.toString()).toMatch(/<path class="js-line"/);
    expect(fresh.equals(a)).toBe(true);
    const png = await renderFigure(figure, 'png');
    // At 2×, for screens and print.
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([640, 400]);
  });

  it('plot writes picture files when notebooks are written headless', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lyreo-'));
    vi.stubEnv('LYREO_STATIC', '1');
    vi.stubEnv('LYREO_FIGURES', folder);
    const output = printed();
    await plot({ data: [{ y: [1, 2] }] }, { name: 'fig-1', caption: 'Two points' });
    expect(output()).toBe('Figure: Two points');
    expect(readFileSync(join(folder, 'fig-1.svg'), 'utf8')).toContain('<svg');
    expect(existsSync(join(folder, 'fig-1.png'))).toBe(true);
    await expect(plot({ data: [] }, { name: '../x' })).rejects.toThrow('plot: name is "../x"; allowed are');
    rmSync(folder, { recursive: true });
  });

  it('names what is missing when there is no Chromium', async () => {
    await closeRenderer();
    vi.stubEnv('CHROMIUM_PATH', '/nowhere/chromium');
    await expect(renderFigure({ data: [] }, 'png')).rejects.toThrow(
      'CHROMIUM_PATH is /nowhere/chromium, which does not exist',
    );
  });
});

describe('outside a notebook', () => {
  it('figures, tables and progress are plain text', async () => {
    const output = printed();
    expect(inKernel()).toBe(false);
    await plot({ data: [], layout: { title: { text: 'D<sub>tot</sub>' } } });
    const live = livePlot();
    await live.update({ data: [], layout: { title: 'Return' } });
    await live.done();
    const tick = progress(2, 'slots');
    await tick(1);
    await tick(2);
    expect(output()).toBe('Figure: Dtot\nFigure: Return\nslots 2/2');
  });

  it('a table aligns its columns, rounds numbers and says what it leaves out', () => {
    const output = printed();
    const rows = [
      { method: 'LL', delay: 1.23456789 },
      { method: 'JSQ', delay: 10 },
      { method: 'Random', delay: null },
    ];
    table(rows, { maxRows: 2 });
    expect(output().split('\n')).toEqual([
      'method   delay',
      '──────  ──────',
      'LL      1.2346',
      'JSQ         10',
      '1 more rows',
    ]);
  });

  it('a table takes a danfojs DataFrame', () => {
    const output = printed();
    table({ columns: ['a'], values: [[1], [2]] });
    expect(output()).toBe('a\n─\n1\n2');
  });
});

describe('dependencies', () => {
  it('danfojs runs on the same TensorFlow.js', async () => {
    const danfo = (await import('danfojs-node')) as unknown as { tensorflow: { version_core: string } };
    const tf = await import('@tensorflow/tfjs-node');
    expect(danfo.tensorflow.version_core).toBe(tf.version_core);
    // The same classes: a DataFrame's tensor is one of our tensors.
    expect((danfo.tensorflow as unknown as typeof tf).Tensor).toBe(tf.Tensor);
  });

  it('the lock file holds no package with a known high-severity advisory, and no registry', () => {
    const text = readFileSync(join(__dirname, '..', '..', 'package-lock.json'), 'utf8');
    const { packages } = JSON.parse(text) as {
      packages: Record<string, { version: string; name?: string } | undefined>;
    };
    const versions = (name: string): string[] =>
      Object.entries(packages).flatMap(([path, entry]) =>
        path.endsWith(`node_modules/${name}`) && entry ? [entry.version] : [],
      );
    const major = (name: string): number[] => versions(name).map((version) => Number(version.split('.')[0]));
    expect(packages['node_modules/xlsx']?.name).toBe('@e965/xlsx');
    expect(packages['node_modules/request']?.name).toBe('@cypress/request');
    expect(major('tar').every((version) => version >= 7)).toBe(true);
    expect(major('form-data').every((version) => version >= 4)).toBe(true);
    expect(major('tough-cookie').every((version) => version >= 4)).toBe(true);
    expect(text).not.toContain('"resolved"');
  });
});
