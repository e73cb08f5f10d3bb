import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { methodWith, tinyConfig } from '../../tests/support/tiny';
import { delayed as byCompletion } from './credit/by-slot';
import { rewardStreams } from './credit/streams';
import { trainingConfig } from './method';
import { Learner } from './lyreo';
import { generalisedAdvantage, lambdaTargets, truncatedReturn } from './returns';
import { performanceBound, truncationChecks, truncationError } from './truncation';

const rng = createRng(5);
const numbers = (n: number): Float64Array => Float64Array.from({ length: n }, () => rng.normal());

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance = 1e-10): void {
  expect(actual.length).toBe(expected.length);
  for (let k = 0; k < expected.length; k++) expect(Math.abs(actual[k] - expected[k])).toBeLessThan(tolerance);
}

describe('generalisedAdvantage', () => {
  it.each([
    [0.98, 0.95],
    [0.9, 0],
    [0.9, 1],
    [1, 1],
  ])('is Σ_h (γλ)^h·δ_{t+h}, γ %d, λ %d; the cut is no end', (gamma, lambda) => {
    const T = 40;
    const [r, v] = [numbers(T), numbers(T + 1)];
    const expected = new Float64Array(T);
    for (let t = 0; t < T; t++)
      for (let h = 0; t + h < T; h++)
        expected[t] += (gamma * lambda) ** h * (r[t + h] + gamma * v[t + h + 1] - v[t + h]);
    expectClose(generalisedAdvantage(r, v, gamma, lambda), expected);
  });

  it('constant reward and its exact value: no advantage, not even before the cut', () => {
    const [gamma, T] = [0.98, 30];
    const values = new Float64Array(T + 1).fill(3 / (1 - gamma));
    expectClose(generalisedAdvantage(new Float64Array(T).fill(3), values, gamma, 0.95), new Float64Array(T), 1e-9);
  });

  it('refuses values that do not reach to the cut', () => {
    expect(() => generalisedAdvantage(numbers(3), numbers(3), 0.9, 1)).toThrow(/values has 3 numbers; allowed: 4/);
  });
});

describe('returns', () => {
  it('by hand: r = 1, 2, 3, γ = ½, V = 8', () => {
    expect(truncatedReturn(Float64Array.of(1, 2, 3), 0.5, 8)).toBe(1 + 2 / 2 + 3 / 4 + 8 / 8);
  });

  it('targets lie between one step and the whole return', () => {
    const [c, q] = [numbers(20), numbers(20)];
    const oneStep = c.map((x, t) => x + 0.9 * q[Math.min(19, t + 1)]);
    expectClose(lambdaTargets(c, q, 0.9, 0), oneStep);
    const whole = c.map((_, t) => truncatedReturn(c.subarray(t), 0.9, q[19]));
    expectClose(lambdaTargets(c, q, 0.9, 1), whole);
  });
});

describe('the bound (37)', () => {
  it('by hand: γ = ½, H = 2, ε_v = 4, r_max = 1', () => {
    const terms = { gamma: 0.5, horizon: 2, valueError: 4, largestReward: 1 };
    expect(truncationError(terms)).toBe(4 / 4 + (2 * 1) / 4 / 0.5);
    expect(performanceBound({ ...terms, predictionError: 0.25, policyError: 0.5 })).toBe(8 * (2 + 0.25) + 0.5);
  });

  it('holds in a recorded run, for every H, with the values of its critic', () => {
    const config = tinyConfig();
    const method = methodWith(byCompletion);
    const learner = new Learner(config, method, trainingConfig(method, { updateEpochs: 3 }), 1);
    learner.update();
    const { rollout } = learner.update();
    const { delayed, immediate } = rewardStreams(rollout, config);
    const rewards = delayed.map((x, t) => x + immediate[t]);
    const heads = learner.values(rollout);
    const values = new Float64Array(config.slots + 1).map((_, t) => heads[2 * t] + heads[2 * t + 1]);
    const horizons = Array.from({ length: config.slots - 2 }, (_, k) => k + 1);
    for (const { holds, bound, largestError } of truncationChecks(rewards, values, learner.training.gamma, horizons, 1))
      expect([holds, largestError <= bound]).toEqual([true, true]);
  });

  // γ = ½; y = 1 + ½·(1 + ½·(1 + …)) with V = 2 = 1/(1 − γ) exact, but for the value of state 1, which is 3.
  const rewards = Float64Array.of(1, 1, 1, 1);
  const values = Float64Array.of(2, 3, 2, 2, 2);

  it('compares each window with the recorded return', () => {
    const [one, two] = truncationChecks(rewards, values, 0.5, [1, 2], 1);
    // H = 1: ŷ(0) = 1 + ½·3 = 2.5 for y = 2, ŷ(1) = 1 + ½·2 = 2.
    expect([one.largestError, one.meanError]).toEqual([0.5, 0.25]);
    // H = 2: ŷ(0) = 1 + ½·1 + ¼·2 = 2.
    expect(two.largestError).toBe(0);
    // Π = ½·1 + 2·½·1/(1 − ½).
    expect(one).toMatchObject({ horizon: 1, valueError: 1, largestReward: 1, bound: 2.5, holds: true });
  });

  it('refuses a window that reaches into the tail', () => {
    expect(() => truncationChecks(rewards, values, 0.5, [3], 1)).toThrow('horizon is 3; allowed: 1 to 2');
  });
});
