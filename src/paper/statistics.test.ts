import { describe, expect, it } from 'vitest';
import { mean, meanInterval, pairedDifference, quantileOf, sampleDeviation, trend } from './statistics';

const seeds = (...values: number[]): Map<number, number> => new Map(values.map((x, i) => [i + 1, x]));

describe('statistics', () => {
  it('mean and sample deviation of 2, 4, 4, 4, 5, 5, 7, 9', () => {
    const values = [2, 4, 4, 4, 5, 5, 7, 9];
    expect(mean(values)).toBe(5);
    // Σ(x − 5)² = 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32
    expect(sampleDeviation(values)).toBeCloseTo(Math.sqrt(32 / 7), 12);
  });

  it('interval of 1, 2, 3: 2 ± 4.30265/√3', () => {
    const { mean: centre, lo, hi, n } = meanInterval([1, 2, 3]);
    expect([centre, n]).toEqual([2, 3]);
    expect(hi - 2).toBeCloseTo(4.30265 / Math.sqrt(3), 4);
    expect(2 - lo).toBeCloseTo(hi - 2, 12);
  });

  it('one value has no interval', () => {
    expect(meanInterval([3])).toEqual({ mean: 3, lo: Number.NaN, hi: Number.NaN, n: 1 });
  });

  it('pairs by seed and drops what only one side has', () => {
    const a = new Map([
      [1, 1],
      [2, 5],
      [3, 9],
    ]);
    const b = new Map([
      [2, 5.5],
      [3, 9.5],
      [7, 100],
    ]);
    expect(pairedDifference(a, b)).toEqual({ mean: 0.5, lo: 0.5, hi: 0.5, n: 2 });
  });

  it('quantiles lie between the order statistics', () => {
    expect(quantileOf([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantileOf([4, 1, 3, 2], 1)).toBe(4);
  });
});

describe('trend', () => {
  it('rises and falls', () => {
    const points = [seeds(1, 1.1, 1), seeds(2, 2, 2.1), seeds(3, 3.1, 3)];
    expect(trend(points).verdict).toBe('rises');
    expect(trend([...points].reverse()).verdict).toBe('falls');
  });

  it('a step back that noise explains does no harm, a significant one does', () => {
    const noisy = [seeds(1, 1.1, 1), seeds(3, 2.9, 3.1), seeds(2.9, 3.1, 3)];
    expect(trend(noisy).verdict).toBe('rises');
    const back = [seeds(1, 1.1, 1), seeds(3, 2.9, 3.1), seeds(2, 1.9, 2.1)];
    expect(trend(back)).toMatchObject({ verdict: 'neither', against: [1] });
  });

  it('is neither when the ends do not differ, or there is one seed only', () => {
    expect(trend([seeds(1, 2, 3), seeds(2, 1, 3.1)]).verdict).toBe('neither');
    expect(trend([seeds(1), seeds(2)]).verdict).toBe('neither');
  });
});
