import { expect, it } from 'vitest';
import { systemConfig } from '../../src/system/presets';
import { checkLeanLoop } from './environment';
import { benchFigure, formatFigures, median } from './figure';

it.each([
  { users: 40, slots: 40 },
  { users: 70, slots: 60 },
  { users: 60, slots: 40, mix: 'Het', prefillSlowdown: 0.6 },
  { users: 30, slots: 40, lengths: 'lmsys-like' },
] as const)('the lean loop has the results of the library: %o', (overrides) => {
  expect(() => {
    checkLeanLoop(systemConfig('calibrated', overrides));
  }).not.toThrow();
});

it('figures are JSON lines or a table, with the median of their values', () => {
  const figures = [
    benchFigure('a', 30123.4, 'slots/s', 5.25, 'b'),
    benchFigure('long name', median([1, 0, 0.5]), 'MB'),
  ];
  const lines = formatFigures(figures, true).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(figures);
  expect(formatFigures(figures, false)).toBe('a          30123 slots/s  5.25 x b\nlong name       0.500 MB\n');
  expect(median([4, 1, 2, 3])).toBe(2.5);
});
