import { afterAll, describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { tinyConfig } from '../../tests/support/tiny';
import { CreditAssigner } from './credit';
import type { CreditKind, LearningMethod } from './method';
import { createPolicy } from './policy';
import { ownCredit } from './request-credit';
import { trainingConfig } from './read-training';
import { ASSIGNED_FEATURES, type Rollout, playEpisode } from './rollout';

const config = tinyConfig();
const { users: U, servers: S, slots: T } = config;
const policy = createPolicy('factorised', { servers: S, hidden: [16, 16, 8] }, createRng(1));

function methodOf(credit: CreditKind): LearningMethod {
  return { policy: 'factorised', credit, balance: 'virtual-queue', measure: 'eta' };
}

function assigner(credit: CreditKind, seed = 1): CreditAssigner {
  const method = methodOf(credit);
  return new CreditAssigner(
    config,
    method,
    trainingConfig(method, { predictorSteps: 60, predictorBatch: 32 }),
    createRng(seed),
  );
}

function episode(seed: number): Rollout {
  const rollout = playEpisode(config, policy, seed, createRng(seed).fork('actions'));
  if (rollout === null) throw new Error('stopped');
  return rollout;
}

const values = Float64Array.from({ length: 2 * (T + 1) }, (_, k) => Math.sin(k));
const kinds: readonly CreditKind[] = ['delayed', 'booked', 'littles-law', 'printed', 'slot', 'own', 'request'];

afterAll(() => {
  policy.net.dispose();
});

describe('CreditAssigner', () => {
  it.each(['own', 'request'] as const)('%s: a request that its server rejected has no credit', (kind) => {
    const tight = tinyConfig({ kvPoolFraction: 0.0005, predictionError: 'lognormal', predictionSigma: 1 });
    const rollout = playEpisode(tight, policy, 2, createRng(3));
    if (rollout === null) throw new Error('stopped');
    const rejected = [...rollout.answered].flatMap((one, d) =>
      one === 0 && d % U < rollout.counts[Math.floor(d / U)] ? [d] : [],
    );
    expect(rejected.length).toBeGreaterThan(0);
    const method = methodOf(kind);
    const training = trainingConfig(method, { predictorSteps: 5, predictorBatch: 4, fullQuality: 1e-9 });
    const own = new CreditAssigner(tight, method, training, createRng(4));
    const { advantages } = own.assign(rollout, new Float64Array(2 * (T + 1)), createRng(5));
    expect([...advantages].every(Number.isFinite)).toBe(true);
    if (kind === 'request') return own.predictor?.lstm.dispose();
    const alone = ownCredit(rollout, tight);
    for (const d of rejected) expect(alone[d]).toBe(0);
  });

  it.each(kinds)('%s: an advantage per request, a target per slot and head, all finite', (kind) => {
    const own = assigner(kind);
    const credit = own.assign(episode(2), values, createRng(3));
    expect(credit.advantages).toHaveLength(T * U);
    expect(credit.targets).toHaveLength(2 * T);
    for (const array of [credit.advantages, credit.targets, credit.redistributed, credit.raw])
      expect(array.every(Number.isFinite)).toBe(true);
    own.predictor?.lstm.dispose();
  });

  it.each(['delayed', 'booked', 'littles-law', 'printed', 'slot'] as const)(
    '%s: a slot’s requests share its advantage',
    (kind) => {
      const own = assigner(kind);
      const { advantages } = own.assign(episode(2), values, createRng(3));
      for (let d = 0; d < T * U; d++) expect(advantages[d]).toBe(advantages[d - (d % U)]);
      own.predictor?.lstm.dispose();
    },
  );

  it('the delayed and the booked latencies are the same seconds, and so are Little’s, but for what the cut leaves', () => {
    const rollout = episode(4);
    const sum = (x: Float64Array): number => x.reduce((a, b) => a + b, 0);
    const raw = (kind: CreditKind): number => sum(assigner(kind).assign(rollout, values, createRng(1)).raw);
    const drained = (config.latencyWeight / U) * rollout.drainedLatency;
    expect(raw('delayed') - drained).toBeCloseTo(raw('booked'), 9);
    expect(raw('littles-law')).toBeGreaterThanOrEqual(raw('booked'));
    expect(raw('littles-law') - raw('booked')).toBeLessThan(drained);
  });

  /** A predictor that says the same, far off, whatever it is asked. */
  function misled(kind: CreditKind): CreditAssigner {
    const own = assigner(kind);
    own.predictor?.norm.mean.fill(1e6);
    own.predictor?.lstm.parameters.view('head weights').fill(0);
    own.predictor?.lstm.parameters.changed();
    return own;
  }

  it('slot: with a predictor of quality 0 the advantages are those without one', () => {
    const rollout = episode(5);
    const own = misled('slot');
    const credit = own.assign(rollout, values, createRng(6));
    expect(credit.quality).toBe(0);
    const plain = assigner('booked').assign(rollout, values, createRng(6));
    expect([...credit.advantages]).toEqual([...plain.advantages]);
    expect([...credit.targets]).toEqual([...plain.targets]);
    own.predictor?.lstm.dispose();
  });

  it('request: with a predictor of quality 0 the advantages are those without one', () => {
    const rollout = episode(5);
    const own = misled('request');
    const credit = own.assign(rollout, values, createRng(6));
    expect(credit.quality).toBe(0);
    const plain = assigner('own').assign(rollout, values, createRng(6));
    expect([...credit.advantages]).toEqual([...plain.advantages]);
    expect([...credit.targets]).toEqual([...plain.targets]);
    own.predictor?.lstm.dispose();
  });

  it('request: where server 0 makes everybody wait, going there is a debit and going elsewhere a credit', () => {
    const own = assigner('request');
    let mean = [0, 0];
    for (let seed = 10; seed < 16; seed++) {
      const rollout = episode(seed);
      const actions = rollout.actions;
      // Ten times as long per token that is to be made.
      for (let d = 0; d < T * U; d++)
        rollout.latency[d] = (actions[d] === 0 ? 10 : 1) * rollout.contribution[d * S * ASSIGNED_FEATURES + 2];
      for (const other of [rollout.deviation, rollout.balance, rollout.waiting]) other.fill(0);
      rollout.queue.fill(0);
      const { advantages } = own.assign(rollout, new Float64Array(2 * (T + 1)), createRng(seed));
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
    own.predictor?.lstm.dispose();
  });

  it.each(['printed', 'slot', 'request'] as const)('%s: goes on from what it saved, memory included', (kind) => {
    const [a, b] = [assigner(kind, 1), assigner(kind, 2)];
    a.assign(episode(7), values, createRng(1));
    a.assign(episode(8), values, createRng(2));
    b.restore(a.save());
    expect(b.memory).toHaveLength(2);
    const [ca, cb] = [a, b].map((one) => one.assign(episode(9), values, createRng(3)));
    expect([...ca.advantages]).toEqual([...cb.advantages]);
    expect(ca.predictorLoss).toBe(cb.predictorLoss);
    a.predictor?.lstm.dispose();
    b.predictor?.lstm.dispose();
  });
});
