import { EdgeEnv } from '../env/edge-env';
import type { SlotOutcome } from '../env/outcome';
import type { Rollout } from '../lyreo/rollout';
import type { SystemConfig } from '../system/config';

/** Latencies on their way from the slot in which they arrived to the slot that decided them. */
export interface CreditMove {
  readonly assignedSlot: number;
  readonly completedSlot: number;
  /** Σ D_tot of the requests on this way, s. */
  readonly seconds: number;
  readonly requests: number;
}

/**
 * The slot in which the outcome of each request became known; the last slot's include the drain's. A rollout keeps
 * only to whom a latency belongs, so the episode is run again with its recorded assignments.
 *
 * @param seed the episode's, as it was given to `playEpisode`.
 * @returns [T·U], −1 for a request that was rejected.
 */
export function completionSlots(config: SystemConfig, seed: number, rollout: Rollout): Int32Array {
  const { slots: T, requests: U } = rollout;
  const env = new EdgeEnv({ ...config, slots: T }, seed);
  const found = new Int32Array(T * U).fill(-1);
  env.reset();
  for (let t = 0; t < T; t++) {
    const { completions } = env.step(rollout.actions.subarray(t * U, (t + 1) * U)).outcome as SlotOutcome;
    for (let k = 0; k < completions.count; k++) found[completions.slot[k] * U + completions.index[k]] = t;
  }
  return found;
}

/** Sums up where latencies move, for the requests assigned in slots from..to−1. */
export function creditMoves(rollout: Rollout, completedIn: Int32Array, from: number, to: number): CreditMove[] {
  const { requests: U, latency } = rollout;
  const moves: CreditMove[] = [];
  for (let t = from; t < to; t++) {
    const bySlot = new Map<number, { seconds: number; requests: number }>();
    for (let d = t * U; d < (t + 1) * U; d++) {
      if (completedIn[d] < 0) continue;
      const sum = bySlot.get(completedIn[d]) ?? { seconds: 0, requests: 0 };
      bySlot.set(completedIn[d], { seconds: sum.seconds + latency[d], requests: sum.requests + 1 });
    }
    for (const [completedSlot, sum] of [...bySlot].sort(([a], [b]) => a - b))
      moves.push({ assignedSlot: t, completedSlot, ...sum });
  }
  return moves;
}

/** The mean credit of a slot's requests, given to each of them, [T·U]: what a credit says about the slot as a whole. */
export function slotCredit(advantages: Float32Array, requests: number): Float32Array {
  const out = new Float32Array(advantages.length);
  for (let begin = 0; begin < out.length; begin += requests) {
    let mean = 0;
    for (let d = begin; d < begin + requests; d++) mean += advantages[d] / requests;
    out.fill(mean, begin, begin + requests);
  }
  return out;
}
