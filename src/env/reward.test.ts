import { describe, expect, it } from 'vitest';
import { Completions } from '../system/completion';
import { RequestTable } from '../system/request-table';
import { SlotOutcome } from './outcome';
import {
  type RewardWeights,
  completedLatency,
  driftPlusPenalty,
  fixedPenalty,
  latencyOnly,
  slotReward,
  weightedDeviation,
} from './reward';

function outcome(): SlotOutcome {
  const table = new RequestTable();
  const done = new Completions(table, 1);
  for (const total of [2, 3]) {
    const handle = table.allocate();
    table.completedAt[handle] = total;
    done.handles.push(handle);
  }
  const made = new SlotOutcome(2, done, true);
  made.deviation.set([0.03, 0.005]);
  made.learned.queue.set([0.2, 0.4]);
  return Object.assign(made, { waiting: 3 });
}

describe('rewards', () => {
  const weights: RewardWeights = {
    memoryWeight: 2,
    penaltyWeight: 4,
    balanceUnit: 0.1,
    balanceTolerance: 0.01,
    penaltyUnit: 0.01,
  };

  it('counts the completed requests only', () => {
    expect(completedLatency(outcome())).toBe(5);
  });

  it('weighs Y by Z, in squared units', () => {
    // 0.2·0.03 + 0.4·0.005 = 0.008
    expect(weightedDeviation(outcome(), 1)).toBeCloseTo(0.008, 14);
    expect(weightedDeviation(outcome(), 0.1)).toBeCloseTo(0.8, 12);
  });

  it('leaves out the drain', () => {
    expect(completedLatency(Object.assign(outcome(), { drainedLatency: 2 }))).toBe(3);
  });

  it('is (−ν·ΣD − ΣZY − ϱΥ)/U, the first term delayed', () => {
    const { delayed, immediate } = slotReward(driftPlusPenalty.terms(outcome(), weights), 0.5, 10);
    expect(delayed).toBeCloseTo((-0.5 * 5) / 10, 12);
    expect(immediate).toBeCloseTo((-0.8 - 2 * 3) / 10, 12);
  });

  it('weighs the measure that is learned from, not the one that is scored', () => {
    const counted = { deviation: Float64Array.of(0.5, 0), queue: Float64Array.of(1, 9) };
    expect(driftPlusPenalty.terms(Object.assign(outcome(), { learned: counted }), weights).balance).toBeCloseTo(
      0.5 / 0.01,
      12,
    );
  });

  it('of PPO takes the part above ε, without queues', () => {
    // 4·(0.03 − 0.01)/0.01; the other server keeps the tolerance.
    const { latency, balance, memory } = fixedPenalty.terms(outcome(), weights);
    expect([latency, memory]).toEqual([5, 6]);
    expect(balance).toBeCloseTo(8, 12);
  });

  it('without load balancing has no balance term', () => {
    expect(latencyOnly.terms(outcome(), weights)).toEqual({ latency: 5, balance: 0, memory: 6 });
  });
});
