import { describe, expect, it } from 'vitest';
import { Quantiles } from './quantiles';
import { createRng } from './rng';

describe('Quantiles', () => {
  it('is within 0.01 % of the sorted values, from microseconds to days', () => {
    const rng = createRng(3);
    const values = Array.from({ length: 5000 }, () => Math.exp(rng.normal() * 3));
    const quantiles = new Quantiles();
    for (const value of values) quantiles.add(value);
    values.sort((a, b) => a - b);
    for (const q of [0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1]) {
      const exact = values[Math.max(1, Math.ceil(q * values.length)) - 1];
      expect(Math.abs(quantiles.quantile(q) / exact - 1)).toBeLessThan(1e-4);
    }
  });

  it('counts values below a microsecond as one, and has no quantile without values', () => {
    const quantiles = new Quantiles();
    expect(quantiles.quantile(0.5)).toBeNaN();
    for (const value of [-1, 0, 1e-300, 1]) quantiles.add(value);
    expect(quantiles.count).toBe(4);
    expect(quantiles.quantile(0)).toBeCloseTo(2 ** -20, 9);
    expect(quantiles.quantile(0.75)).toBeCloseTo(2 ** -20, 9);
    expect(quantiles.quantile(1)).toBeCloseTo(1, 3);
  });

  it.each([2 ** 24, 3e7, 2 ** 40, 1e300, Number.MAX_VALUE, Infinity])('has no upper limit: %d', (value) => {
    const quantiles = new Quantiles();
    for (const x of [1, value, value]) quantiles.add(x);
    expect(quantiles.quantile(0.2)).toBeCloseTo(1, 3);
    if (value === Infinity) expect(quantiles.quantile(1)).toBe(Infinity);
    else expect(Math.abs(quantiles.quantile(1) / value - 1)).toBeLessThan(1e-4);
  });

  it('is the value of the exact rank where the product of q and the number is rounded up', () => {
    expect(Math.ceil(0.55 * 24_000)).toBe(13_201);
    const quantiles = new Quantiles();
    for (let i = 1; i <= 24_000; i++) quantiles.add(i <= 13_200 ? 1 : 2);
    expect(quantiles.quantile(0.55)).toBeCloseTo(1, 3);
    expect(quantiles.quantile(0.551)).toBeCloseTo(2, 3);
  });
});
