import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { logSoftmax } from '../nn/categorical';
import { systemConfig } from '../system/presets';
import { clipLoss, clippedObjective, decisionRatios, noSums } from './clip-loss';
import { createPolicy } from './policy';
import { playEpisode } from './rollout';

describe('clippedObjective', () => {
  it.each([
    // ρ, Â, L
    [1.5, 2, 2.4],
    [1.5, -2, -3],
    [0.5, 2, 1],
    [0.5, -2, -1.6],
    [1.1, 2, 2.2],
  ])('ρ = %d, Â = %d', (ratio, advantage, objective) => {
    expect(clippedObjective(ratio, advantage, 0.2)).toBeCloseTo(objective, 12);
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

describe('clipLoss', () => {
  const S = 4;
  const U = 3;
  const clipCoef = 0.2;
  const entCoef = 0.05;

  /** −E[min(ρ·Â, clip(ρ)·Â)] − c·E[H] in double precision; a slot's requests share one ratio where it is joint. */
  function loss(
    logits: Float64Array,
    actions: Int32Array,
    before: Float64Array,
    advantages: Float32Array,
    joint: boolean,
  ): number {
    const n = actions.length;
    const ratios = new Float64Array(n);
    let entropy = 0;
    for (let d = 0; d < n; d++) {
      const row = logits.subarray(d * S, (d + 1) * S);
      const max = Math.max(...row);
      const total = row.reduce((sum, l) => sum + Math.exp(l - max), 0);
      const logProbs = row.map((l) => l - max - Math.log(total));
      ratios[d] = logProbs[actions[d]] - before[d];
      entropy -= logProbs.reduce((sum, l) => sum + Math.exp(l) * l, 0);
    }
    let objective = 0;
    for (let d = 0; d < n; d += joint ? U : 1) {
      const ratio = Math.exp(joint ? ratios.slice(d, d + U).reduce((a, b) => a + b, 0) : ratios[d]);
      const clipped = Math.min(1 + clipCoef, Math.max(1 - clipCoef, ratio));
      objective += Math.min(ratio * advantages[d], clipped * advantages[d]);
    }
    return -(objective + entCoef * entropy) / n;
  }

  it.each([false, true])('its gradient is that of the objective with the entropy bonus, joint ratio: %s', (joint) => {
    const rng = createRng(7);
    const n = 24;
    const logits = Float64Array.from({ length: n * S }, () => rng.normal());
    const actions = Int32Array.from({ length: n }, () => rng.int(S));
    const logProbs = Float32Array.from(logits);
    logSoftmax(logProbs, S, logProbs);
    // Ratios on both sides of the clip's ends, never near them.
    const shifts = [0.05, -0.1, 0.5, -0.6];
    const before = Float64Array.from({ length: n }, (_, d) => logProbs[d * S + actions[d]] - shifts[rng.int(4)]);
    const advantages = Float32Array.from({ length: n }, () => rng.normal());
    if (joint) for (let d = 0; d < n; d++) advantages[d] = advantages[d - (d % U)];

    const out = new Float32Array(n * S);
    const sums = noSums();
    const answered = new Uint8Array(n).fill(1);
    const rollout = { requests: U, servers: S, actions, logProbs: Float32Array.from(before), answered };
    const slots = Int32Array.from({ length: n / U }, (_, t) => t);
    const ratio = joint ? 'per slot' : 'per request';
    clipLoss(logProbs, rollout, advantages, slots, { clipCoef, entCoef, ratio }, 1 / n, out, sums);

    const h = 1e-5;
    for (let k = 0; k < n * S; k++) {
      const at = (shift: number): number => {
        const moved = logits.slice();
        moved[k] += shift;
        return loss(moved, actions, before, advantages, joint);
      };
      expect(Math.abs(out[k] - (at(h) - at(-h)) / (2 * h))).toBeLessThan(2e-6);
    }
    if (!joint)
      expect((sums.policyLoss - entCoef * sums.entropy) / n).toBeCloseTo(
        loss(logits, actions, before, advantages, false),
        5,
      );
  });

  it('counts what was clipped, and no divergence from itself', () => {
    const logProbs = Float32Array.of(Math.log(0.5), Math.log(0.5), Math.log(0.25), Math.log(0.75));
    const sums = noSums();
    const rollout = {
      requests: 2,
      servers: 2,
      actions: Int32Array.of(0, 1),
      logProbs: Float32Array.of(Math.log(0.5), Math.log(0.5)),
      answered: Uint8Array.of(1, 1),
    };
    const config = { clipCoef, entCoef: 0, ratio: 'per request' } as const;
    clipLoss(logProbs, rollout, Float32Array.of(1, 1), Int32Array.of(0), config, 0.5, new Float32Array(4), sums);
    expect(sums.clipFrac).toBe(1);
    expect(sums.policyLoss).toBeCloseTo(-(1 + 1.2), 6);
    expect(sums.approxKl).toBeCloseTo(0.5 - Math.log(1.5), 6);
  });
});
