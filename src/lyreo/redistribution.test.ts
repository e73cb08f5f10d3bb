import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { predictionQuality, redistributeReturn, redistributeToGo } from './redistribution';

const rng = createRng(6);
const numbers = (n: number): Float64Array => Float64Array.from({ length: n }, () => 10 * rng.normal());
const sum = (x: Float64Array): number => x.reduce((a, b) => a + b, 0);

describe('redistribution keeps the return', () => {
  it.each([1, 2, 12, 250])('as printed: Σ r′ = y, whatever the predictions, H = %d', (H) => {
    const y = 100 * rng.normal();
    expect(Math.abs(sum(redistributeReturn(numbers(H), y)) - y)).toBeLessThan(1e-6);
  });

  it.each([0.5, 0.9, 0.98])('by return to go: Σ γ^t·r′_t = Σ γ^t·c_t, γ = %d', (gamma) => {
    for (const T of [1, 2, 60]) {
      const costs = numbers(T);
      const redistributed = redistributeToGo(numbers(T), costs, gamma);
      const discounted = (x: Float64Array): number => sum(x.map((r, t) => gamma ** t * r));
      expect(Math.abs(discounted(redistributed) - discounted(costs))).toBeLessThan(1e-6);
    }
  });

  it('nothing to redistribute', () => {
    expect(redistributeReturn(new Float64Array(0), 3)).toHaveLength(0);
    expect(redistributeToGo(new Float64Array(0), new Float64Array(0), 0.9)).toHaveLength(0);
  });
});

describe('redistribution puts credit where the prospect changed', () => {
  it('as printed: r′ = g_t − g_{t−1}, the surprise of the end goes to the last step', () => {
    expect([...redistributeReturn(Float64Array.of(1, 4, 4), 5)]).toEqual([1, 3, 0 + 1]);
  });

  it('by return to go: a prospect that comes true leaves nothing behind', () => {
    // c = 0, 0, 8 with γ = ½ was foreseen from the first step: 2, 4, 8.
    const costs = Float64Array.of(0, 0, 8);
    expect([...redistributeToGo(Float64Array.of(2, 4, 8), costs, 0.5)]).toEqual([2, 0, 0]);
    // It became so in the second step.
    expect([...redistributeToGo(Float64Array.of(0, 4, 8), costs, 0.5)]).toEqual([0, 4, 0]);
  });
});

describe('predictionQuality', () => {
  it('1 for the truth, 0 for the mean and for what is worse', () => {
    const y = numbers(50);
    expect(predictionQuality(y, y)).toBe(1);
    expect(predictionQuality(new Float64Array(50).fill(sum(y) / 50), y)).toBeCloseTo(0, 12);
    expect(
      predictionQuality(
        y.map((x) => -x),
        y,
      ),
    ).toBe(0);
  });

  it('is 0 where there is nothing to explain', () => {
    expect(predictionQuality(new Float64Array(3), new Float64Array(3))).toBe(0);
    expect(predictionQuality(new Float64Array(0), new Float64Array(0))).toBe(0);
    expect(predictionQuality(Float64Array.of(Number.NaN, 0), Float64Array.of(1, 2))).toBe(0);
  });
});
