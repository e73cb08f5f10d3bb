import { slotReward } from '../../env/reward';
import type { SystemConfig } from '../../system/config';
import { generalisedAdvantage } from '../returns';
import type { Rollout } from '../rollout';
import type { Credit } from './credit';

/** The rewards of a rollout as streams, [T] each, in seconds per user. */
export interface RewardStreams {
  /** −ν·Σ D of the requests that completed in the slot. */
  readonly delayed: Float64Array;
  /** −ν·Σ D of the requests that were assigned in the slot. */
  readonly assigned: Float64Array;
  /** −ν·∫ N dt. */
  readonly presence: Float64Array;
  /** Balance term and memory term. */
  readonly immediate: Float64Array;
}

/** Splits a rollout's rewards by when they arrive. */
export function rewardStreams(rollout: Rollout, { latencyWeight }: SystemConfig): RewardStreams {
  const { slots: T, requests: U, terms } = rollout;
  const nu = latencyWeight / U;
  const [delayed, assigned, immediate] = [0, 1, 2].map(() => new Float64Array(T));
  for (let t = 0; t < T; t++) {
    for (let d = t * U; d < (t + 1) * U; d++) assigned[t] -= nu * rollout.latency[d];
    const slot = { latency: terms.latency[t], balance: terms.balance[t], memory: terms.memory[t] };
    ({ delayed: delayed[t], immediate: immediate[t] } = slotReward(slot, latencyWeight, U));
  }
  return { delayed, assigned, presence: rollout.requestSeconds.map((x) => -nu * x), immediate };
}

/** Of one stream, [T] each. */
export type StreamCredit = Readonly<Record<'advantage' | 'target', Float64Array>>;

/** GAE(λ) of one stream with the values of its head, [T + 1]. */
export function streamCredit(rewards: Float64Array, values: Float64Array, gamma: number, lambda: number): StreamCredit {
  const advantage = generalisedAdvantage(rewards, values, gamma, lambda);
  return { advantage, target: advantage.map((a, t) => a + values[t]) };
}

/** V of the latency head and of the immediate head, [T + 1] each, of [T + 1, 2]. */
export function headValues(values: Float64Array): Float64Array[] {
  return [0, 1].map((head) => values.filter((_, k) => k % 2 === head));
}

/** Credit in which all of a slot's requests share its advantage, [T]; `targets` of the critic's heads, [T] each. */
export function slotCredit(
  { slots: T, requests: U }: Rollout,
  advantage: Float64Array,
  targets: readonly Float64Array[],
): Credit {
  return {
    advantages: new Float32Array(T * U).map((_, d) => advantage[Math.floor(d / U)]),
    targets: new Float64Array(2 * T).map((_, k) => targets[k % 2][k >> 1]),
  };
}

/** {@link slotCredit} with the sum of the advantages of the two streams. */
export function sharedCredit(rollout: Rollout, latency: StreamCredit, immediate: StreamCredit): Credit {
  const advantage = latency.advantage.map((a, t) => a + immediate.advantage[t]);
  return slotCredit(rollout, advantage, [latency.target, immediate.target]);
}
