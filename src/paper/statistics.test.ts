import { describe, expect, it } from 'vitest';
import { mean, meanInterval, quantileOf, sampleDeviation, signTail } from './statistics';

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

  it('5 of 5 heads: 1/32; at least 8 of 9: 10/512; at least 2 of 3: 4/8', () => {
    expect([signTail(5, 5), signTail(8, 9), signTail(2, 3), signTail(0, 4)]).toEqual([1 / 32, 10 / 512, 0.5, 1]);
  });

  it('quantiles lie between the order statistics', () => {
    expect(quantileOf([4, 1, 3, 2], 0.5)).toBe(2.5);
    expect(quantileOf([4, 1, 3, 2], 1)).toBe(4);
  });
});
