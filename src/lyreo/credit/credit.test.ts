import { describe, expect, it } from 'vitest';
import { createRng } from '../../core/rng';
import { methodWith, tinyConfig } from '../../../tests/support/tiny';
import { driftPlusPenalty } from '../../env/reward';
import { assigned, delayed, littlesLaw, slot } from './by-slot';
import type { CreditFactory, CreditRule } from './credit';
import { own, ownLatencyCredit } from './own';
import { printed } from './printed';
import { request } from './request';
import { rewardStreams } from './streams';
import { trainingConfig } from '../method';
import { createPolicy } from '../policy';
import { ASSIGNED_FEATURES, type Rollout, playEpisode } from '../rollout';

const config = tinyConfig();
const { users: U, servers: S, slots: T } = config;
const policy = createPolicy(S, [16, 16, 8], createRng(1));

function ruleOf(credit: CreditFactory, seed = 1): CreditRule {
  const training = trainingConfig(methodWith(credit), { predictorSteps: 60, predictorBatch: 32 });
  return credit.create({ config, training, reward: driftPlusPenalty, rng: createRng(seed) });
}

function episode(seed: number): Rollout {
  return playEpisode(config, policy, seed, createRng(seed).fork('actions'));
}

const values = Float64Array.from({ length: 2 * (T + 1) }, (_, k) => Math.sin(k));
const rules: readonly CreditFactory[] = [delayed, assigned, littlesLaw, printed, slot, own, request];

describe('credit rules', () => {
  it.each([own, request])('$id: a request that its server rejected has no credit', (factory) => {
    const tight = tinyConfig({ kvPoolFraction: 0.0005, predictionError: 'lognormal', predictionSigma: 1 });
    const rollout = playEpisode(tight, policy, 2, createRng(3));
    const rejected = [...rollout.answered].flatMap((one, d) => (one === 0 && rollout.predicted[d] > 1 ? [d] : []));
    expect(rejected.length).toBeGreaterThan(0);
    const method = methodWith(factory);
    const training = trainingConfig(method, { predictorSteps: 5, predictorBatch: 4, fullQuality: 1e-9 });
    const rule = factory.create({ config: tight, training, reward: method.reward, rng: createRng(4) });
    const { advantages } = rule.assign(rollout, new Float64Array(2 * (T + 1)), createRng(5));
    expect([...advantages].every(Number.isFinite)).toBe(true);
    if (factory !== own) return;
    const alone = ownLatencyCredit(rollout, tight);
    for (const d of rejected) expect(alone[d]).toBe(0);
  });

  it.each(rules)('$id: an advantage per request, a target per slot and head, all finite', (factory) => {
    const { advantages, targets, redistributed = [] } = ruleOf(factory).assign(episode(2), values, createRng(3));
    expect(advantages).toHaveLength(T * U);
    expect(targets).toHaveLength(2 * T);
    for (const array of [advantages, targets, redistributed]) expect(array.every(Number.isFinite)).toBe(true);
    // A slot's requests share its advantage where they have no credit of their own.
    if (factory !== own && factory !== request)
      for (let d = 0; d < T * U; d++) expect(advantages[d]).toBe(advantages[d - (d % U)]);
  });

  it('latencies by completion and by assignment slot are the same seconds, and so are Little’s, but for what the cut leaves', () => {
    const rollout = episode(4);
    const sum = (x: Float64Array): number => x.reduce((a, b) => a + b, 0);
    const { delayed, assigned, presence } = rewardStreams(rollout, config);
    const nu = config.latencyWeight / U;
    // The last slot counts the drain's completions only by assignment.
    const late = nu * sum(rollout.latency.filter((_, d) => rollout.completedSlot[d] === T - 1));
    expect(sum(delayed.subarray(0, T - 1)) - late).toBeCloseTo(sum(assigned), 9);
    expect(sum(presence)).toBeGreaterThanOrEqual(sum(assigned));
    expect(sum(presence) - sum(assigned)).toBeLessThan(late);
  });

  /** A predictor that says the same, far off, whatever it is asked. */
  function misled(credit: CreditFactory): CreditRule {
    const rule = ruleOf(credit);
    rule.predictor?.norm.state.mean.fill(1e6);
    rule.predictor?.lstm.parameters.view('head weights').fill(0);
    return rule;
  }

  it.each([
    [slot, assigned],
    [request, own],
  ])('$id: with a predictor of quality 0 the advantages are those without one', (factory, without) => {
    const rollout = episode(5);
    const credit = misled(factory).assign(rollout, values, createRng(6));
    expect(credit.quality).toBe(0);
    const plain = ruleOf(without).assign(rollout, values, createRng(6));
    expect([...credit.advantages]).toEqual([...plain.advantages]);
    expect([...credit.targets]).toEqual([...plain.targets]);
  });

  it('request: where server 0 makes everybody wait, going there is a debit and going elsewhere a credit', () => {
    const rule = ruleOf(request);
    let mean = [0, 0];
    for (let seed = 10; seed < 16; seed++) {
      const rollout = episode(seed);
      const actions = rollout.actions;
      // Ten times as long per token that is to be made.
      for (let d = 0; d < T * U; d++)
        rollout.latency[d] = (actions[d] === 0 ? 10 : 1) * rollout.contribution[d * S * ASSIGNED_FEATURES + 2];
      for (const other of [rollout.deviation, rollout.terms.balance, rollout.terms.memory]) other.fill(0);
      rollout.queue.fill(0);
      const { advantages } = rule.assign(rollout, new Float64Array(2 * (T + 1)), createRng(seed));
      if (seed < 15) continue;
      mean = [true, false].map((bad) => {
        const chosen = [...advantages].filter((_, d) => (actions[d] === 0) === bad);
        expect(chosen.length).toBeGreaterThan(50);
        // Nearly every single request, not only their mean.
        expect(chosen.filter((a) => a < 0 === bad).length).toBeGreaterThan(0.9 * chosen.length);
        return chosen.reduce((a, b) => a + b, 0) / chosen.length;
      });
    }
    expect(mean[0]).toBeLessThan(-0.5);
    expect(mean[1]).toBeGreaterThan(0.2);
  });

  it('request: the parts, less the slot’s mean and with what the slot shares, are the advantages up to one factor per slot', () => {
    const rule = ruleOf(request);
    rule.assign(episode(6), values, createRng(1));
    const { advantages, parts } = rule.assign(episode(7), values, createRng(2));
    if (parts === undefined) throw new Error('request credit has no parts');
    for (let t = 0; t < T; t++) {
      const at = Array.from({ length: U }, (_, i) => t * U + i);
      const sums = at.map((d) => parts.own[d] + parts.others[d] + parts.balance[d]);
      const mean = sums.reduce((a, b) => a + b, 0) / U;
      const credit = sums.map((sum) => sum - mean + parts.shared[t]);
      const largest = credit.reduce((best, x, i) => (Math.abs(x) > Math.abs(credit[best]) ? i : best), 0);
      const factor = advantages[at[largest]] / credit[largest];
      expect(factor).toBeGreaterThan(0);
      credit.forEach((x, i) => {
        expect(advantages[at[i]]).toBeCloseTo(factor * x, 4);
      });
    }
  });
});
