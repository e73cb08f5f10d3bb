import { describe, expect, it } from 'vitest';
import { type Rng, createRng } from '../core/rng';
import { logSoftmax, sample } from '../nn/categorical';
import { Mlp } from '../nn/mlp';
import type { Policy } from './policy';
import { Ppo, type PpoLog, standardised } from './ppo';
import type { Rollout } from './rollout';
import { type TrainingConfig, trainingStandards } from './training-config';

describe('standardised', () => {
  it('mean 0, deviation 1, bounded, and constant values are 0', () => {
    const x = standardised(Float32Array.of(1, 2, 3, 4));
    expect(x.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 6);
    expect(x.reduce((a, b) => a + b * b, 0)).toBeCloseTo(4, 5);
    expect([...standardised(new Float32Array(3).fill(7))]).toEqual([0, 0, 0]);
    const outlier = new Float32Array(1000);
    outlier[0] = 1e6;
    expect(Math.max(...standardised(outlier))).toBe(5);
  });

  it('takes no notice of what does not count', () => {
    const all = standardised(Float32Array.of(1, 2, 3));
    expect([...standardised(Float32Array.of(1, 2, 99, 3), Uint8Array.of(1, 1, 0, 1))]).toEqual([
      all[0],
      all[1],
      0,
      all[2],
    ]);
  });
});

describe('Ppo', () => {
  const T = 64;
  const U = 3;
  const S = 4;

  /** A policy without features but the request's, and its updates. */
  function learner(seed: number, hidden: readonly number[], training: Partial<TrainingConfig> = {}): Learner {
    const root = createRng(seed);
    const net = new Mlp({ sharedInputs: 1, rowInputs: S, hidden, outputs: S }, root.fork('policy'), 0.01);
    const policy: Policy = { net, act: () => undefined };
    const critic = new Mlp({ sharedInputs: 0, rowInputs: 1, hidden: [8], outputs: 2 }, root.fork('critic'));
    const config = { ...trainingStandards, learningRate: 3e-3, updateEpochs: 5, targetKl: Infinity, ...training };
    return { policy, ppo: new Ppo(policy, critic, config), root };
  }

  interface Learner {
    readonly policy: Policy;
    readonly ppo: Ppo;
    readonly root: Rng;
  }

  /** Each request names its server; what the policy draws, and 1 where it is that one. */
  function play(policy: Policy, seed: number): { rollout: Rollout; rewards: Float32Array } {
    const rng = createRng(seed);
    const rows = new Float32Array(T * U * S);
    const wanted = Int32Array.from({ length: T * U }, () => rng.int(S));
    wanted.forEach((s, d) => (rows[d * S + s] = 1));
    const shared = new Float32Array(T).fill(1);
    const allLogProbs = policy.net.predict({ groups: T, rowsPerGroup: U, shared, rows });
    logSoftmax(allLogProbs, S, allLogProbs);
    const actions = wanted.map((_, d) => sample(allLogProbs, d * S, S, rng.uniform()));
    const logProbs = Float32Array.from(actions, (a, d) => allLogProbs[d * S + a]);
    const fake: Partial<Rollout> = {
      slots: T,
      requests: U,
      servers: S,
      states: new Float32Array(T + 1).fill(1),
      rows,
      prior: new Float32Array(T * U * S),
      actions,
      logProbs,
      allLogProbs,
      answered: new Uint8Array(T * U).fill(1),
    };
    return { rollout: fake as Rollout, rewards: Float32Array.from(actions, (a, d) => (a === wanted[d] ? 1 : 0)) };
  }

  const mean = (x: Float32Array): number => x.reduce((a, b) => a + b, 0) / x.length;

  it.each(['per request', 'per slot'] as const)(
    'learns to send each request where it belongs, ratio of the %s',
    (ratio) => {
      const { policy, ppo, root } = learner(8, [16, 16], { ratio });
      const before = mean(play(policy, 100).rewards);
      let log: PpoLog | undefined;
      for (let update = 0; update < 12; update++) {
        const { rollout, rewards } = play(policy, update);
        // Joint ratios judge a slot as a whole.
        const advantages =
          ratio === 'per slot' ? rewards.map((_, d) => mean(rewards.slice(d - (d % U), d - (d % U) + U))) : rewards;
        log = ppo.update(rollout, advantages, new Float32Array(T * 2).fill(1), root.fork(`batch ${update}`));
      }
      expect(before).toBeLessThan(0.4);
      expect(mean(play(policy, 100).rewards)).toBeGreaterThan(ratio === 'per slot' ? 0.8 : 0.95);
      expect(log?.epochs).toBe(5);
      // The critic has learned the constant that it was given.
      expect(log?.valueLoss).toBeLessThan(0.05);
    },
  );

  it('takes no notice of requests that were not answered', () => {
    const updated = (spoil: boolean): { values: number[]; log: unknown } => {
      const { policy, ppo, root } = learner(10, [8]);
      const { rollout, rewards } = play(policy, 1);
      rollout.answered[4] = 0;
      if (spoil) {
        rollout.logProbs[4] = -20;
        rewards[4] = 1e6;
      }
      const log = ppo.update(rollout, rewards, new Float32Array(T * 2), root);
      return { values: [...policy.net.parameters.values], log };
    };
    expect(updated(true)).toEqual(updated(false));
  });

  it('stops its epochs once the policy has moved far enough', () => {
    const { policy, ppo, root } = learner(9, [16], { learningRate: 0.05, targetKl: 0.01 });
    const { rollout, rewards } = play(policy, 1);
    const log = ppo.update(rollout, rewards, new Float32Array(T * 2).fill(1), root);
    expect(log.epochs).toBeLessThan(5);
    // A constant target of 1 and a critic near 0: a loss near 2, over as many minibatches as there were.
    expect(log.valueLoss).toBeGreaterThan(0.5);
  });
});
