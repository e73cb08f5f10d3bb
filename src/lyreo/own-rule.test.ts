import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Reward, driftPlusPenalty } from '../env/reward';
import { methodWith, tinyConfig } from '../../tests/support/tiny';
import { type CreditFactory, creditRule } from './credit/credit';
import { own } from './credit/own';
import type { LearningMethod } from './method';
import { logLine, train, trainingFiles } from './train';

/** A rule and a reward as a user would write them; they are the library's under other names. */
const mine: CreditFactory = creditRule('mine', (rollout, values, setup, rng) => {
  const { advantages, targets } = own.create(setup).assign(rollout, values, rng);
  return { advantages, targets };
});
const myReward: Reward = {
  id: 'my-reward',
  usesQueue: true,
  terms: (outcome, weights) => ({ ...driftPlusPenalty.terms(outcome, weights) }),
};

const standard = methodWith(own);
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
    const terms = (): never => ({ latency: 1, balance: Number.NaN, memory: 0 }) as never;
    const reward: Reward = { id: 'lost', usesQueue: false, terms };
    await expect(train({ ...options, method: { ...standard, reward } })).rejects.toThrow(
      'reward "lost": balance is NaN; allowed: a finite number',
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
