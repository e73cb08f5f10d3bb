import { describe, expect, it } from 'vitest';
import { estimate, studentQuantile, studentUpperTail } from './statistics';

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

describe('estimate', () => {
  it('by hand: 1, 2, 3', () => {
    const { mean, halfWidth } = estimate([1, 2, 3]);
    expect(mean).toBe(2);
    expect(halfWidth).toBeCloseTo(4.3027 / Math.sqrt(3), 4);
  });

  it('a single value has no interval', () => {
    expect(estimate([5])).toEqual({ mean: 5, halfWidth: Number.NaN });
  });
});
