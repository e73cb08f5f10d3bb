import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { systemConfig } from '../system/presets';
import { clippedObjective, isClipped } from './clip-loss';
import { decisionRatios } from './decisions';
import { createPolicy } from './policy';
import { playEpisode } from './rollout';

describe('clippedObjective', () => {
  it.each([
    // ρ, Â, L, stopped
    [1.5, 2, 2.4, true],
    [1.5, -2, -3, false],
    [0.5, 2, 1, false],
    [0.5, -2, -1.6, true],
    [1.1, 2, 2.2, false],
  ])('ρ = %d, Â = %d', (ratio, advantage, objective, isStopped) => {
    expect(clippedObjective(ratio, advantage, 0.2)).toBeCloseTo(objective, 12);
    expect(isClipped(ratio, advantage, 0.2)).toBe(isStopped);
  });
});

describe('decisionRatios', () => {
  it('are 1 for the policy that played, and follow its weights', () => {
    const config = systemConfig('calibrated', { users: 4, servers: 3, slots: 6 });
    const policy = createPolicy(3, [8, 8, 8], createRng(1));
    const rollout = playEpisode(config, policy, 1, createRng(2));
    for (const ratio of decisionRatios(policy, rollout)) expect(ratio).toBeCloseTo(1, 5);
    // One more in the last layer's bias of server 0 makes it more probable, and the others less.
    const { parameters, depth } = policy.net;
    parameters.view(`layer ${depth - 1} bias`)[0] += 1;
    decisionRatios(policy, rollout).forEach((ratio, d) => {
      if (rollout.actions[d] === 0) expect(ratio).toBeGreaterThan(1);
      else expect(ratio).toBeLessThan(1);
    });
  });
});
