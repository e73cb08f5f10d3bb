import { describe, expect, it } from 'vitest';
import { systemConfig } from '../src/system/presets';
import { type Environment, checkEnv } from './support/check-env';
import { EdgeEnv, type TimeStep } from '../src/env/edge-env';

const config = systemConfig('calibrated', { users: 4, servers: 2, slots: 3 });

/** An environment with one fault. */
function faulty(change: (step: TimeStep) => TimeStep, seed: () => number = () => 1): () => Environment {
  return () => {
    const env = new EdgeEnv(config, seed());
    return { config, reset: () => change(env.reset()), step: (assignment) => change(env.step(assignment)) };
  };
}

const toFirst = (_view: unknown, assignment: Int32Array): void => {
  assignment.fill(0);
};

describe('checkEnv', () => {
  it('passes a sound environment', () => {
    checkEnv(
      faulty((step) => step),
      toFirst,
    );
  });

  it.each<[string, (step: TimeStep) => TimeStep, RegExp]>([
    ['a first step with a reward', (s) => (s.stepType === 'first' ? { ...s, reward: 1 } : s), /reward/],
    ['a reward that is no number', (s) => (s.stepType === 'mid' ? { ...s, reward: Number.NaN } : s), /reward/],
    ['a time limit taken for an end', (s) => (s.stepType === 'last' ? { ...s, discount: 0 } : s), /discount/],
    ['an end too early', (s) => (s.stepType === 'mid' ? { ...s, stepType: 'last' } : s), /last step comes once/],
    ['no end', (s) => (s.stepType === 'last' ? { ...s, stepType: 'mid' } : s), /last step comes once/],
    ['a missing outcome', (s) => ({ ...s, outcome: null }), /has an outcome/],
  ])('finds %s', (_name, change, message) => {
    expect(() => {
      checkEnv(faulty(change), toFirst);
    }).toThrow(message);
  });

  it('finds a seed that is ignored', () => {
    let made = 0;
    expect(() => {
      checkEnv(
        faulty(
          (step) => step,
          () => made++,
        ),
        toFirst,
      );
    }).toThrow(/same seed/);
  });
});
