import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { tinyConfig } from '../../tests/support/tiny';
import { driftPlusPenalty } from '../env/reward';
import { delayed as byCompletion } from './credit/by-slot';
import { rewardStreams } from './credit/streams';
import { type LearningMethod, trainingConfig } from './method';
import { Learner } from './lyreo';
import {
  generalisedAdvantage,
  lambdaTargets,
  performanceBound,
  returnsToGo,
  truncatedReturn,
  truncationError,
} from './returns';

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
  ])('is Σ_h (γλ)^h·δ_{t+h}, γ %d, λ %d', (gamma, lambda) => {
    const T = 40;
    const [r, v] = [numbers(T), numbers(T + 1)];
    const expected = new Float64Array(T);
    for (let t = 0; t < T; t++)
      for (let h = 0; t + h < T; h++)
        expected[t] += (gamma * lambda) ** h * (r[t + h] + gamma * v[t + h + 1] - v[t + h]);
    expectClose(generalisedAdvantage(r, v, gamma, lambda), expected);
  });

  it('λ = 1: return to go with the value at the cut, less the value; the cut is no end', () => {
    const [r, v] = [numbers(12), numbers(13)];
    const y = returnsToGo(r, 0.9, v[12]);
    expectClose(
      generalisedAdvantage(r, v, 0.9, 1),
      y.map((x, t) => x - v[t]),
    );
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
    const r = Float64Array.of(1, 2, 3);
    expect([...returnsToGo(r, 0.5, 8)]).toEqual([1 + 1 + 0.75 + 1, 2 + 1.5 + 2, 3 + 4]);
    expect(truncatedReturn(r, 0.5, 8)).toBe(1 + 2 / 2 + 3 / 4 + 8 / 8);
  });

  it('targets lie between one step and the whole return', () => {
    const [c, q] = [numbers(20), numbers(20)];
    const oneStep = c.map((x, t) => x + 0.9 * q[Math.min(19, t + 1)]);
    expectClose(lambdaTargets(c, q, 0.9, 0), oneStep);
    expectClose(lambdaTargets(c, q, 0.9, 1), returnsToGo(c, 0.9, q[19]));
  });
});

describe('the bound (37)', () => {
  it('by hand: γ = ½, H = 2, ε_v = 4, r_max = 1', () => {
    const terms = { gamma: 0.5, horizon: 2, valueError: 4, largestReward: 1 };
    expect(truncationError(terms)).toBe(4 / 4 + (2 * 1) / 4 / 0.5);
    expect(performanceBound({ ...terms, predictionError: 0.25, policyError: 0.5 })).toBe(8 * (2 + 0.25) + 0.5);
  });

  it('|y∞ − ŷ_H| ≤ Π in a recorded run, for every H, with the values of its critic', () => {
    const config = tinyConfig();
    const method: LearningMethod = {
      policy: 'factorised',
      credit: byCompletion,
      reward: driftPlusPenalty,
      balanceMeasure: 'eta',
    };
    const learner = new Learner(config, method, trainingConfig(method, { updateEpochs: 3 }), 1);
    learner.update();
    const detail = learner.update();
    const { delayed, immediate } = rewardStreams(detail.rollout, config);
    const rewards = delayed.map((x, t) => x + immediate[t]);
    const heads = learner.values(detail.rollout);
    const values = rewards.map((_, t) => heads[2 * t] + heads[2 * t + 1]);

    const gamma = learner.training.gamma;
    const largestReward = Math.max(...rewards.map(Math.abs));
    const most = largestReward / (1 - gamma);
    // How far the critic is beyond what any value can be.
    const valueError = Math.max(0, ...values.map((v) => Math.abs(v) - most));
    // The recorded run goes on with nothing: a possible future, within r_max.
    const forever = returnsToGo(rewards, gamma, 0)[0];
    for (let horizon = 1; horizon < rewards.length; horizon++) {
      const estimate = truncatedReturn(rewards.subarray(0, horizon), gamma, values[horizon]);
      const bound = truncationError({ gamma, horizon, valueError, largestReward });
      expect(Math.abs(forever - estimate)).toBeLessThanOrEqual(bound);
    }
  });
});
