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
    { mean: 5, sigma: 0.8 },
    { mean: 20_000, sigma: 0.8 },
    { mean: 2000, sigma: 1.2 },
  ])('inverts exp(μ + σ·z), rounded, at mean $mean and spread $sigma', ({ mean, sigma }) => {
    const tokens = logNormalTokens('mean', mean, sigma);
    const longest = tokens(1 - 2 ** -33);
    const rng = createRng(7);
    for (let i = 0; i < 20_000; i++) {
      const z = rng.normal();
      const x = Math.exp(Math.log(mean) - (sigma * sigma) / 2 + sigma * z);
      const n = tokens(normalCdf(z));
      // Within 1e-9 of a half, rounding may fall either way.
      if (Math.abs(x - Math.floor(x) - 0.5) > 1e-9) expect(n).toBe(Math.min(longest, Math.max(1, Math.round(x))));
    }
  });

  it.each([
    [70, 0.8, 70],
    [215, 0.3, 215],
    [70, 1.2, 70], // lmsys-like
    [215, 1, 215],
    [2000, 1.2, 2000],
    [20_000, 0.8, 20_000],
    [1, 0, 1],
    [10_000, 0, 10_000],
  ])('has the mean asked for: %d tokens, spread %d', (mean, sigma, expected) => {
    // Strata of equal probability: what is left of the error lies in the last stratum.
    const tokens = logNormalTokens('mean', mean, sigma);
    const strata = 100_000;
    const sum = Array.from({ length: strata }, (_, k) => tokens((k + 0.5) / strata)).reduce((a, b) => a + b, 0);
    expect(Math.abs(sum / strata / expected - 1)).toBeLessThan(0.003);
  });

  it('ends at 8192 tokens where that costs the mean nothing, and at 1', () => {
    const tokens = logNormalTokens('mean', 215, 1);
    expect([tokens(2 ** -33), tokens(1 - 2 ** -33)]).toEqual([1, 8192]);
  });

  it.each([
    [215, 5],
    [1, 0.3],
    [2, 0.8],
  ])('refuses a mean of %d tokens with spread %d, which whole lengths cannot have', (mean, sigma) => {
    expect(() => logNormalTokens('meanOutputTokens', mean, sigma)).toThrow(
      `meanOutputTokens is ${String(mean)}; allowed: a mean that whole lengths from 1 to 16777216 tokens can have with a spread of ${String(sigma)} (here `,
    );
  });
});
