import type { SlotOutcome } from './outcome';

/** The reward of a slot, as a pure function of what happened in it. */
export type RewardFunction = (outcome: SlotOutcome) => number;

/** Weights of the drift-plus-penalty reward. */
export interface RewardWeights {
  /** ν, weight of the latency, 1/s. */
  readonly latencyWeight: number;
  /** ϱ, weight of each request that waits for room in the KV pool. */
  readonly memoryWeight: number;
  /** Unit in which Y and Z are measured; 1 as printed, ε makes balance comparable to seconds. */
  readonly balanceUnit: number;
}

/** Σ D_tot over the requests that completed in the slot, s. */
export function completedLatency(outcome: SlotOutcome): number {
  const { completions } = outcome;
  let sum = 0;
  for (let i = 0; i < completions.count; i++) sum += completions.total[i];
  return sum;
}

/** Σ Z_s·Y_s over the servers, in units of `unit`². */
export function weightedDeviation(outcome: SlotOutcome, unit: number): number {
  let sum = 0;
  for (let s = 0; s < outcome.queue.length; s++) sum += outcome.queue[s] * outcome.deviation[s];
  return sum / (unit * unit);
}

/**
 * The delayed reward as printed, (30): r_{t+1} = −ν·Σ_s Σ_{i∈Q'_s(t)} D_tot − Σ_s Z_s·Y_s − ϱ·Υ(t).
 * Note: Q' is read as the requests that complete in slot t, Υ as the number of prefilled requests that wait for
 * admission; their definitions are lost.
 */
export function driftPlusPenaltyReward(weights: RewardWeights): RewardFunction {
  const { latencyWeight, memoryWeight, balanceUnit } = weights;
  return (outcome) =>
    -latencyWeight * completedLatency(outcome) -
    weightedDeviation(outcome, balanceUnit) -
    memoryWeight * outcome.waiting;
}

/**
 * The reward of the PPO baseline, V-B: a fixed penalty on the violated constraint instead of virtual queues,
 * r = −ν·Σ D_tot − c·Σ_s max(Y_s − ε, 0)/ε − ϱ·Υ.
 *
 * @param penalty c.
 * @param tolerance ε.
 */
export function fixedPenaltyReward(weights: RewardWeights, penalty: number, tolerance: number): RewardFunction {
  const { latencyWeight, memoryWeight } = weights;
  return (outcome) => {
    let violation = 0;
    for (const y of outcome.deviation) violation += Math.max(y - tolerance, 0) / tolerance;
    return -latencyWeight * completedLatency(outcome) - penalty * violation - memoryWeight * outcome.waiting;
  };
}
