import { describe, expect, it } from 'vitest';
import { systemConfig } from '../../src/system/presets';
import type { RunMetrics } from '../../src/env/metrics';
import { timedRun } from './environment';
import { formatFigures, median } from './figure';

describe('the lean loop', () => {
  it.each([
    { users: 40, slots: 40 },
    { users: 70, slots: 60 },
    { users: 60, slots: 40, mix: 'Het', prefillSlowdown: 0.6 },
    { users: 30, slots: 40, lengths: 'lmsys-like' },
  ] as const)('has the results of the library: %o', (overrides) => {
    const config = systemConfig('calibrated', overrides);
    const fast = timedRun({ config, engine: 'fast' }, 3).metrics;
    const lean = timedRun({ config, engine: 'lean' }, 3).metrics;
    // The lean loop keeps no account of the expected work, from which stability is judged.
    const rounded = ({ stability, ...metrics }: RunMetrics): unknown =>
      stability.perServer?.length === config.servers &&
      JSON.parse(JSON.stringify(metrics, (_key, x: unknown) => (typeof x === 'number' ? Number(x.toFixed(9)) + 0 : x)));
    expect(rounded(lean)).toEqual(rounded(fast));
  });
});

describe('figures', () => {
  const figures = [
    { bench: 'a', value: 30123.4, unit: 'slots/s', ratio: 5.25, ratioTo: 'b' },
    { bench: 'long name', value: 0.5, unit: 'MB', ratio: null, ratioTo: null },
  ];

  it('are JSON lines or a table', () => {
    expect(
      formatFigures(figures, true)
        .split('\n')
        .slice(0, 2)
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(figures);
    expect(formatFigures(figures, false)).toBe('a          30123 slots/s  5.25 x b\nlong name       0.500 MB\n');
  });

  it('have a median', () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  });
});
