import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { tinyConfig } from '../../tests/support/tiny';
import { type CounterfactualOptions, counterfactualEffects } from './counterfactual';
import { type Policy, createPolicy } from '../lyreo/policy';
import { type Rollout, playEpisode } from '../lyreo/rollout';

const config = tinyConfig({ users: 5, slots: 30 });
const { users: U, servers: S } = config;

function played(shape?: (policy: Policy) => void): { policy: Policy; rollout: Rollout } {
  const policy = createPolicy(S, [8, 8, 8], createRng(1));
  shape?.(policy);
  const rollout = playEpisode(config, policy, 2, createRng(3));
  return { policy, rollout };
}

describe('counterfactualEffects', () => {
  it('the same each time, one per decision', () => {
    const { policy, rollout } = played();
    const look: CounterfactualOptions = { slots: [4, 9], requestsPerSlot: 2, horizon: 6, repeats: 1 };
    const first = counterfactualEffects(config, policy, 2, rollout, look);
    expect([...first.decisions]).toEqual([4 * U, 4 * U + 1, 9 * U, 9 * U + 1]);
    expect(first.effects.every(Number.isFinite)).toBe(true);
    expect(first.effects.some((x) => x !== 0)).toBe(true);
    expect(counterfactualEffects(config, policy, 2, rollout, look)).toEqual(first);
    const slots = counterfactualEffects(config, policy, 2, rollout, { ...look, unit: 'slot' });
    expect([...slots.decisions]).toEqual([4 * U, 9 * U]);
  });

  it('over the servers that a request could have gone to, the effects cancel by their probabilities', () => {
    const { policy, rollout } = played();
    const [t, i] = [7, 1];
    const d = t * U + i;
    let sum = 0;
    for (let s = 0; s < S; s++) {
      const actions = rollout.actions.slice();
      actions[d] = s;
      const { effects } = counterfactualEffects(config, policy, 2, { ...rollout, actions }, { slots: [t], horizon: 5 });
      sum += Math.exp(rollout.allLogProbs[d * S + s]) * effects[i];
    }
    expect(sum).toBeCloseTo(0, 6);
  });

  it('a policy that never does anything else has no effect to speak of', () => {
    const { policy, rollout } = played(({ net }) => {
      const bias = net.parameters.view(`layer ${net.depth - 1} bias`);
      bias.fill(-50);
      bias[1] = 50;
    });
    expect(new Set(rollout.actions)).toEqual(new Set([1]));
    const { effects } = counterfactualEffects(config, policy, 2, rollout, { slots: [3], horizon: 4 });
    expect([...effects]).toEqual([0, 0, 0, 0, 0]);
  });

  it('sending one request to a crowded server hurts', () => {
    const { policy, rollout } = played();
    const t = 8;
    // All of the slots before went to server 0, and so does request 0; the others of its slot do not.
    const actions = rollout.actions.map((s, d) => (d < t * U || d === t * U ? 0 : Math.max(1, s)));
    const look = { slots: [t], requestsPerSlot: 1, horizon: 5, repeats: 3 };
    expect(counterfactualEffects(config, policy, 2, { ...rollout, actions }, look).effects[0]).toBeLessThan(0);
  });
});
