import { describe, expect, it } from 'vitest';
import { truncationChecks } from './truncation';

describe('truncationChecks', () => {
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
