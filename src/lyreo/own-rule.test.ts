import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Reward, driftPlusPenalty } from '../env/reward';
import { tinyConfig } from '../../tests/support/tiny';
import { type CreditFactory, creditRule } from './credit/credit';
import { own } from './credit/own';
import { rewardStreams } from './credit/streams';
import type { LearningMethod } from './method';
import { generalisedAdvantage } from './returns';
import { logLine, train, trainingFiles } from './train';

/** A rule as a user would write it: Ly-PPO's GAE, with each request's own latency on top. */
const mine: CreditFactory = creditRule('mine', (rollout, values, { config, training }) => {
  const { slots: T, requests: U, latency, predicted, answered } = rollout;
  const streams = rewardStreams(rollout, config);
  const head = (k: number): Float64Array => Float64Array.from({ length: T + 1 }, (_, t) => values[2 * t + k]);
  const assigned = generalisedAdvantage(streams.assigned, head(0), training.gamma, 0);
  const immediate = generalisedAdvantage(streams.immediate, head(1), training.gamma, training.immediateLambda);
  const advantages = new Float32Array(T * U);
  const targets = new Float64Array(2 * T);
  const nu = config.latencyWeight / U;
  for (let t = 0; t < T; t++) {
    targets[2 * t] = assigned[t] + head(0)[t];
    targets[2 * t + 1] = immediate[t] + head(1)[t];
    const slot = Array.from({ length: U }, (_, i) => t * U + i).filter((d) => answered[d] === 1);
    const perToken = slot.reduce((sum, d) => sum + latency[d] / predicted[d] / slot.length, 0);
    for (const d of slot) advantages[d] = -nu * (latency[d] - perToken * predicted[d]);
    const mean = slot.reduce((sum, d) => sum + advantages[d] / slot.length, 0);
    for (const d of slot) advantages[d] -= mean;
    for (let d = t * U; d < (t + 1) * U; d++) advantages[d] += immediate[t];
  }
  const size = (a: Float32Array): number => Math.sqrt(a.reduce((sum, x) => sum + (x * x) / a.length, 0));
  const sizes = Float64Array.from({ length: T }, (_, t) => size(advantages.subarray(t * U, (t + 1) * U)));
  const median = sizes.slice().sort()[Math.floor(T / 2)];
  return { advantages: advantages.map((a, d) => a / (sizes[Math.floor(d / U)] + median + 1e-12)), targets };
});

/** A reward as a user would write it; it is the library's under another name. */
const myReward: Reward = {
  id: 'my-reward',
  usesQueue: true,
  terms: ({ completions, drainedLatency, learned, waiting }, { balanceUnit, memoryWeight }) => {
    const weighted = learned.queue.reduce((sum, z, s) => sum + z * learned.deviation[s], 0);
    return {
      latency: completions.rows().reduce((sum, { total }) => sum + total, 0) - drainedLatency,
      balance: weighted / (balanceUnit * balanceUnit),
      memory: memoryWeight * waiting,
    };
  },
};

const standard: LearningMethod = {
  policy: 'factorised',
  credit: own,
  reward: driftPlusPenalty,
  balanceMeasure: 'eta',
};
const root = mkdtempSync(join(tmpdir(), 'lyreo-own-rule-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

/** Trains 3 updates, resumes to 5, and returns log and policy as they stand in the folder. */
async function trained(method: LearningMethod, name: string): Promise<{ log: string; policy: readonly number[] }> {
  const folder = join(root, name);
  const training = { updateEpochs: 2, hidden: [16, 16, 8] };
  const options = { config: tinyConfig({ slots: 20 }), method, training, seed: 4, folder, resume: true };
  await train({ ...options, updates: 3 });
  const { learner, log } = await train({ ...options, updates: 5 });
  expect(readFileSync(trainingFiles(folder).log, 'utf8')).toBe(log.map((entry) => `${logLine(entry)}\n`).join(''));
  const policy = [...learner.policy.net.parameters.values];
  return { log: log.map(logLine).join('\n'), policy };
}

describe('a rule and a reward of one’s own', () => {
  it('train with log, folder and resumption; computing the same, they leave the same bytes', async () => {
    const theirs = await trained(standard, 'own');
    expect(await trained({ ...standard, credit: mine }, 'mine')).toEqual(theirs);
    expect(await trained({ ...standard, reward: myReward }, 'my reward')).toEqual(theirs);
  });

  it('that give too few or too many advantages are refused by name', async () => {
    const short = creditRule('short', (...args) => {
      const credit = mine.create(args[2]).assign(args[0], args[1], args[3]);
      return { ...credit, advantages: credit.advantages.subarray(1) };
    });
    const options = { config: tinyConfig({ slots: 20 }), method: { ...standard, credit: short }, updates: 1 };
    await expect(train(options)).rejects.toThrow(
      /credit rule "short": advantages is "a Float32Array of \d+"; allowed: a Float32Array of \d+/,
    );
  });

  it('that give a number that is not finite, or nothing, are refused by name', async () => {
    const bad = creditRule('bad', (...args) => {
      const credit = mine.create(args[2]).assign(args[0], args[1], args[3]);
      credit.advantages[7] = Number.NaN;
      return credit;
    });
    const options = { config: tinyConfig({ slots: 20 }), updates: 1 };
    await expect(train({ ...options, method: { ...standard, credit: bad } })).rejects.toThrow(
      'update 1: credit rule "bad": advantages[7] is NaN; allowed: finite numbers',
    );
    const nothing = creditRule('nothing', () => undefined as never);
    await expect(train({ ...options, method: { ...standard, credit: nothing } })).rejects.toThrow(
      /credit rule "nothing": advantages is missing; allowed: a Float32Array of \d+/,
    );
  });

  it('are asked for again at a resumption: another id is refused, and both are named', async () => {
    const folder = join(root, 'asked');
    const options = { config: tinyConfig({ slots: 20 }), folder, resume: true, updates: 1 };
    await train({ ...options, method: { ...standard, credit: mine } });
    await expect(train({ ...options, method: standard })).rejects.toThrow(/method's credit is "own"; allowed: "mine"/);
    await expect(train({ ...options, method: { ...standard, credit: mine, reward: myReward } })).rejects.toThrow(
      /method's reward is "my-reward"; allowed: "drift-plus-penalty"/,
    );
  });
});
