import { describe, expect, it } from 'vitest';
import { meanInterval, sampleVariance, studentQuantile, studentUpperTail } from './statistics';

describe('studentQuantile', () => {
  it.each([
    [1, 12.706],
    [4, 2.776],
    [9, 2.262],
    [30, 2.042],
    [31, 2.0395],
    [40, 2.0211],
    [100, 1.984],
    [1e9, 1.96],
  ])('%d degrees of freedom: %d, as tables have it', (degrees, quantile) => {
    expect(Math.abs(studentQuantile(degrees) - quantile)).toBeLessThan(6e-4);
  });
});

describe('studentUpperTail', () => {
  it.each([
    [0, 8, 0.5],
    [1, 2, 0.2113249],
    [2.3646, 8, 0.0228],
    [2.306, 8, 0.025],
    [1.7341, 18, 0.05],
    [2.8784, 18, 0.005],
    [-2.8784, 18, 0.995],
    [Infinity, 18, 0],
  ])('t = %d, %d degrees of freedom: %d, as tables have it', (t, degrees, p) => {
    expect(studentUpperTail(t, degrees)).toBeCloseTo(p, 4);
  });

  it('takes even degrees of freedom', () => {
    expect(() => studentUpperTail(1, 7)).toThrow('degreesOfFreedom is 7; allowed: an even number > 0');
  });
});

describe('meanInterval', () => {
  it('of 1, 2, 3 is 2 ± 4.30265/√3', () => {
    expect(sampleVariance([1, 2, 3])).toBe(1);
    const { mean, lo, hi, n } = meanInterval([1, 2, 3]);
    expect([mean, n]).toEqual([2, 3]);
    expect(hi - 2).toBeCloseTo(4.30265 / Math.sqrt(3), 4);
    expect(2 - lo).toBeCloseTo(hi - 2, 12);
  });

  it('of a single value is none', () => {
    expect(meanInterval([5])).toEqual({ mean: 5, lo: Number.NaN, hi: Number.NaN, n: 1 });
  });
});
