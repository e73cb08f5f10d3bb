import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { SERVER_FEATURES } from '../env/observation';
import { driftPlusPenalty, fixedPenalty } from '../env/reward';
import { methodWith, tinyConfig } from '../../tests/support/tiny';
import { delayed } from './credit/by-slot';
import { own } from './credit/own';
import { printed } from './credit/printed';
import { decisionRatios } from './clip-loss';
import { Learner } from './lyreo';
import { type LearningMethod, trainingConfig } from './method';
import { createPolicy, stateFeatures } from './policy';
import { type EpisodeOptions, type Rollout, playEpisode } from './rollout';
import type { TrainingConfig } from './training-config';

const config = tinyConfig({ users: 12, slots: 200 });
const { users: U, servers: S, slots: T } = config;
const policy = createPolicy(S, [8, 8], createRng(1));

function episode(options: EpisodeOptions): Rollout {
  return playEpisode(config, policy, 2, createRng(3), options);
}

/** Largest distance of a server's count from its expectation, slot by slot. */
function distances({ actions, allLogProbs }: Rollout): Float64Array {
  return Float64Array.from({ length: T }, (_, t) => {
    const apart = new Float64Array(S);
    for (let d = t * U; d < (t + 1) * U; d++)
      for (let s = 0; s < S; s++) apart[s] += (actions[d] === s ? 1 : 0) - Math.exp(allLogProbs[d * S + s]);
    return Math.max(...apart.map(Math.abs));
  });
}

const far = (rollout: Rollout): number => distances(rollout).filter((x) => x > 1.2).length / T;

describe('draws while an episode is played', () => {
  it('stratified keep every slot near its expectation, a mixture its share of them', () => {
    const independent = far(episode({}));
    expect(far(episode({ draws: 'stratified' }))).toBe(0);
    expect(far(episode({ draws: 'stratified', independentShare: 1 }))).toBe(independent);
    const mixed = far(episode({ draws: 'stratified', independentShare: 0.5 }));
    expect(Math.abs(mixed - independent / 2)).toBeLessThan(0.15);
    expect(independent).toBeGreaterThan(0.5);
  });

  it('record the probability of each request’s own draw', () => {
    for (const ratio of decisionRatios(policy, episode({ draws: 'stratified' }))) expect(ratio).toBeCloseTo(1, 4);
  });

  it('exploring starts draw the queues that are learned from; the scored ones begin at 0', () => {
    const [plain, explored] = [episode({}), episode({ startQueue: 30 })];
    const starts = explored.queue.subarray(0, S);
    const most = 30 * config.balanceUnit;
    expect(starts.every((z) => z > 0 && z < most)).toBe(true);
    expect(new Set(starts).size).toBe(S);
    expect(plain.queue.subarray(0, S).every((z) => z === 0)).toBe(true);
    // The first slot's requests are the same, and so are Y and the scored Z as long as the assignments are.
    expect(explored.metrics.meanQueue).toBeLessThan(Math.max(...starts));
    expect(playEpisode(config, policy, 9, createRng(3), { startQueue: 30 }).queue[0]).not.toBe(starts[0]);
  });

  it('a mixture is refused where a ratio is per slot', () => {
    const method = methodWith(own);
    const fields: Partial<TrainingConfig> = { ratio: 'per slot', draws: 'stratified', independentShare: 0.3 };
    expect(() => trainingConfig(method, fields)).toThrow(/ratio is "per slot"; allowed: "per request" where indep/);
    expect(trainingConfig(method, { ...fields, independentShare: 1 }).ratio).toBe('per slot');
  });
});

const quick: Partial<TrainingConfig> = {
  updateEpochs: 1,
  hidden: [8, 8],
  predictorSteps: 2,
  predictorBatch: 4,
};

function logOf(method: LearningMethod, fields: Partial<TrainingConfig>, updates = 2): Record<string, number>[] {
  const training = trainingConfig(method, { ...quick, ...fields });
  const learner = new Learner(tinyConfig({ slots: 20 }), method, training, 1);
  return Array.from({ length: updates }, () => ({ ...learner.update().log }));
}

describe('a training', () => {
  it('is evaluated after every update without being changed by it', () => {
    const plain = logOf(methodWith(own), { heldOutEpisodes: 0 });
    const watched = logOf(methodWith(own), { heldOutEpisodes: 2, heldOutSlots: 10 });
    expect(Object.keys(plain[0]).some((name) => name.startsWith('heldOut'))).toBe(false);
    watched.forEach((entry, k) => {
      expect(entry).toMatchObject(plain[k]);
      expect(entry['heldOutStratifiedLatency']).toBeGreaterThan(0.5);
      expect(entry['heldOutDeviation']).toBeGreaterThan(0);
    });
    // The same episodes after each: all methods meet them.
    const [first, second] = logOf(methodWith(delayed), { heldOutSlots: 10, learningRate: 1e-12 });
    expect(second['heldOutLatency']).toBe(first['heldOutLatency']);
  });

  it.each([
    { credit: delayed, ratio: 'per slot' },
    { credit: own, ratio: 'per slot' },
    { credit: own, ratio: 'per request' },
    { credit: delayed, ratio: 'per request' },
  ] as const)('runs with credit $credit.id, ratio $ratio, without the KL stop, and as printed', ({ credit, ratio }) => {
    const fields = { ratio, targetKl: Infinity, updateEpochs: 3, criticRate: 1, returnNorm: false } as const;
    const [, last] = logOf(methodWith(credit), fields);
    expect(last['epochs']).toBe(3);
  });

  it('sees no Z where there is no virtual queue, if so asked', () => {
    const queueOf = (reward: LearningMethod['reward'], queueSeen: TrainingConfig['queueSeen']): number => {
      const method = methodWith(own, { reward });
      const learner = new Learner(config, method, trainingConfig(method, { ...quick, queueSeen }), 1);
      const rollout = learner.play();
      const width = stateFeatures(S);
      let most = 0;
      for (let t = 0; t <= T; t++)
        for (let s = 0; s < S; s++)
          most = Math.max(most, rollout.states[t * width + s * SERVER_FEATURES + SERVER_FEATURES - 1]);
      return most;
    };
    expect(queueOf(fixedPenalty, 'with virtual queue')).toBe(0);
    expect(queueOf(driftPlusPenalty, 'with virtual queue')).toBeGreaterThan(0);
    expect(queueOf(fixedPenalty, 'always')).toBeGreaterThan(0);
  });

  it('halves its learning rates', () => {
    const method = methodWith(own);
    const training = trainingConfig(method, { ...quick, learningRateHalfLife: 1 });
    const learner = new Learner(tinyConfig({ slots: 20 }), method, training, 1);
    for (let k = 0; k < 3; k++) learner.update();
    expect(learner.ppo.actorOptimiser.learningRate).toBeCloseTo(3e-4 / 4, 12);
    expect(learner.ppo.criticOptimiser.learningRate).toBeCloseTo(9e-4 / 4, 12);
  });
});

describe('the printed form', () => {
  const rule = (fields: Partial<TrainingConfig>): ReturnType<typeof printed.create> => {
    const training = trainingConfig(methodWith(printed), { ...quick, window: 50, ...fields });
    return printed.create({ config, training, reward: driftPlusPenalty, rng: createRng(5) });
  };
  const values = new Float64Array(2 * (T + 1));

  it('is the same with windows that begin every H slots, however these are written down', () => {
    const rollout = episode({});
    const [a, b] = [rule({}), rule({ windowStride: 50 })];
    const [one, other] = [a, b].map((r) => r.assign(rollout, values, createRng(6)));
    expect(one.redistributed).toHaveLength(T);
    one.redistributed?.forEach((x, t) => {
      expect(other.redistributed?.[t]).toBeCloseTo(x, 5);
    });
  });

  it('takes overlapping windows, and GAE without a second discount', () => {
    const rollout = episode({});
    const plain = rule({ windowStride: 20 });
    const undiscounted = rule({ windowStride: 20, discountRedistributed: false });
    const [a, b] = [plain, undiscounted].map((r) => r.assign(rollout, values, createRng(6)));
    expect(a.advantages.every(Number.isFinite)).toBe(true);
    expect(a.redistributed).toEqual(b.redistributed);
    expect([...a.advantages]).not.toEqual([...b.advantages]);
  });
});
