import { describe, expect, it } from 'vitest';
import { type SlotOutcome, completions } from './outcome';
import { completedLatency, driftPlusPenaltyReward, fixedPenaltyReward, weightedDeviation } from './reward';

function outcome(): SlotOutcome {
  const done = completions(4);
  done.total.set([2, 3, 99, 99]);
  done.count = 2;
  return {
    slot: 0,
    arrived: 2,
    rejected: 0,
    completions: done,
    eta: new Float64Array(2),
    peak: new Float64Array(2),
    iterations: new Float64Array(2),
    deviation: Float64Array.of(0.03, 0.005),
    queue: Float64Array.of(0.2, 0.4),
    sent: new Float64Array(2),
    backlog: new Float64Array(2),
    waiting: 3,
    inSystem: 0,
    requestSeconds: 0,
  };
}

describe('rewards', () => {
  const weights = { latencyWeight: 0.5, memoryWeight: 2, balanceUnit: 0.1 };

  it('counts the completed requests only', () => {
    expect(completedLatency(outcome())).toBe(5);
  });

  it('weighs Y by Z, in squared units', () => {
    // 0.2·0.03 + 0.4·0.005 = 0.008
    expect(weightedDeviation(outcome(), 1)).toBeCloseTo(0.008, 14);
    expect(weightedDeviation(outcome(), 0.1)).toBeCloseTo(0.8, 12);
  });

  it('is −ν·ΣD − ΣZY − ϱΥ', () => {
    // −0.5·5 − 0.8 − 2·3
    expect(driftPlusPenaltyReward(weights)(outcome())).toBeCloseTo(-9.3, 12);
  });

  it('of PPO takes what exceeds ε, without queues', () => {
    // −0.5·5 − 4·(0.03 − 0.01)/0.01 − 2·3; the other server keeps the tolerance.
    expect(fixedPenaltyReward(weights, 4, 0.01)(outcome())).toBeCloseTo(-16.5, 12);
  });
});
