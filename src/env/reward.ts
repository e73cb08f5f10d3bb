import type { SystemConfig } from '../system/config';
import type { SlotOutcome } from './outcome';

/** The three terms of a slot's reward (30), as costs, before ν, the sign and the division by U. */
export interface RewardTerms {
  /**
   * Σ D_tot of the requests that completed in the slot, without those of the drain, s. The credit rules `delayed` and
   * `printed` alone learn from it: the others have their own latency.
   */
  readonly latency: number;
  /** Cost of imbalance. */
  readonly balance: number;
  /** Cost of requests that wait for KV room. */
  readonly memory: number;
}

/** Weights that the terms of a reward use. */
export interface RewardWeights {
  /** ϱ, weight of each request that waits for room in the KV pool. */
  readonly memoryWeight: number;
  /** c, weight of the violated constraint; only `fixedPenalty` has one. */
  readonly penaltyWeight: number;
  /** Unit in which Y and Z are measured; 1 as printed, less makes balance comparable to seconds. */
  readonly balanceUnit: number;
  /** ε, tolerance of Y. */
  readonly balanceTolerance: number;
  /** Unit of the violation in `fixedPenalty`: ε, or 1 as printed. */
  readonly penaltyUnit: number;
}

/** Weights in a system; by default ϱ = 1, and c = 1 in the printed unit. */
export function rewardWeights(
  { balanceUnit, balanceTolerance }: SystemConfig,
  memoryWeight: number = 1,
  penaltyWeight: number = 1,
  penaltyUnit: number = 1,
): RewardWeights {
  return { memoryWeight, penaltyWeight, balanceUnit, balanceTolerance, penaltyUnit };
}

/** Terms of a slot's reward, as a pure function of the outcome; an environment takes it. */
export type RewardFunction = (outcome: SlotOutcome) => RewardTerms;

/** A reward by name; a learning method has one. */
export interface Reward {
  /** Enters run keys and checkpoints. */
  readonly id: string;
  /** Whether the reward weighs Y by the virtual queues Z. */
  readonly usesQueue: boolean;
  terms(outcome: SlotOutcome, weights: RewardWeights): RewardTerms;
}

/** The two streams of rewards that the critic's two heads learn, in seconds per user. */
export interface StreamRewards {
  /** −ν·Σ D_tot / U: arrives when a request completes, many slots after its assignment. */
  readonly delayed: number;
  /** −(balance + memory) / U: arrives at once. */
  readonly immediate: number;
}

/**
 * The reward (30): r_{t+1} = −ν·Σ_s Σ_{i∈Q'_s(t)} D_tot − Σ_s Z_s·Y_s − ϱ·Υ(t), divided by U and split by when
 * its terms arrive.
 * Note: the division by U keeps rewards of the same size for every number of users; it changes no optimum.
 * Note: the drain's completions are left out of Q'_s(T). The cut at T is a truncation; V(s_T) stands for later slots.
 * Note: the environment pays both streams, and the credit rules `delayed` and `printed` learn from both. The rules that
 * redistribute latency (`request`, `own`, `assigned`, `slot`) learn from the immediate stream alone, policy and critic: in
 * place of the delayed stream they have the latency of each request, counted in the slot that assigned it.
 * Note: Q' is read as the requests that complete in slot t, Υ as the number of prefilled requests that wait for
 * admission; their definitions are lost.
 *
 * @param latencyWeight ν, 1/s.
 * @param users U.
 */
export function slotReward(terms: RewardTerms, latencyWeight: number, users: number): StreamRewards {
  return {
    delayed: -(latencyWeight / users) * terms.latency,
    immediate: -(terms.balance + terms.memory) / users,
  };
}

/** A reward that differs from others in the cost of imbalance. */
function rewardOf(
  id: string,
  usesQueue: boolean,
  balance: (outcome: SlotOutcome, weights: RewardWeights) => number,
): Reward {
  return {
    id,
    usesQueue,
    terms: (outcome, weights) => ({
      latency: completedLatency(outcome),
      balance: balance(outcome, weights),
      memory: weights.memoryWeight * outcome.waiting,
    }),
  };
}

/** The reward of LYREO and Ly-PPO (30): imbalance costs Σ_s Z_s·Y_s. */
export const driftPlusPenalty: Reward = rewardOf('drift-plus-penalty', true, (outcome, { balanceUnit }) =>
  weightedDeviation(outcome, balanceUnit),
);

/** The reward of PPO, V-B: the violated constraint costs c·Σ_s max(Y_s − ε, 0)/unit, without virtual queues. */
export const fixedPenalty: Reward = rewardOf(
  'fixed-penalty',
  false,
  ({ learned }, { penaltyWeight, penaltyUnit, balanceTolerance }) =>
    learned.deviation.reduce((sum, y) => sum + (penaltyWeight * Math.max(y - balanceTolerance, 0)) / penaltyUnit, 0),
);

/** The reward of LYREO-NoLB, V-D: imbalance costs nothing. */
export const latencyOnly: Reward = rewardOf('latency-only', false, () => 0);

/** Σ D_tot of the requests that completed in the slot, without those of the drain, s. */
export function completedLatency({ completions, drainedLatency }: SlotOutcome): number {
  let sum = 0;
  for (let k = 0; k < completions.length; k++) sum += completions.delays(k).total;
  return sum - drainedLatency;
}

/** Σ Z_s·Y_s over the servers, in units of `unit`², by the measure that is learned from. */
export function weightedDeviation({ learned: { queue, deviation } }: SlotOutcome, unit: number): number {
  return queue.reduce((sum, z, s) => sum + z * deviation[s], 0) / (unit * unit);
}
