import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { logNormalTokens, normalCdf } from './lengths';

describe('normalCdf', () => {
  it('has the tabulated values', () => {
    expect(normalCdf(0)).toBe(0.5);
    expect(normalCdf(1)).toBeCloseTo(0.841344746068543, 14);
    expect(normalCdf(-1.96)).toBeCloseTo(0.024997895148220435, 14);
    expect(normalCdf(6)).toBeCloseTo(1 - 9.865876450376946e-10, 14);
    expect([normalCdf(-40), normalCdf(40)]).toEqual([0, 1]);
  });
});

describe('logNormalTokens', () => {
  it.each([
    { mean: 215, sigma: 0.3 },
    { mean: 70, sigma: 1.2 },
    { mean: 2, sigma: 0.8 },
  ])('inverts exp(μ + σ·z), rounded, at mean $mean and spread $sigma', ({ mean, sigma }) => {
    const tokens = logNormalTokens(mean, sigma, 8192);
    const rng = createRng(7);
    let sum = 0;
    for (let i = 0; i < 20_000; i++) {
      const z = rng.normal();
      const x = Math.exp(Math.log(mean) - (sigma * sigma) / 2 + sigma * z);
      const n = tokens(normalCdf(z));
      // Within 1e-9 of a half, rounding may fall either way.
      if (Math.abs(x - Math.floor(x) - 0.5) > 1e-9) expect(n).toBe(Math.min(8192, Math.max(1, Math.round(x))));
      sum += tokens(rng.uniform() + 2 ** -33);
    }
    expect(sum / 20_000 / mean).toBeCloseTo(1, 1);
  });

  it('keeps within 1 and maxTokens at the ends of u, and has one value without spread', () => {
    const wide = logNormalTokens(215, 5, 8192);
    expect([wide(2 ** -33), wide(1 - 2 ** -33)]).toEqual([1, 8192]);
    const narrow = logNormalTokens(215, 0, 8192);
    expect([narrow(2 ** -33), narrow(0.5), narrow(1 - 2 ** -33)]).toEqual([215, 215, 215]);
    const beyond = logNormalTokens(1e6, 0, 100);
    expect(beyond(0.5)).toBe(100);
  });
});
