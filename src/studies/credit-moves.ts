import type { Rollout } from '../lyreo/rollout';

/** Latencies on their way from the slot in which they arrived to the slot that decided them. */
export interface CreditMove {
  readonly assignedSlot: number;
  readonly completedSlot: number;
  /** Σ D_tot of the requests on this way, s. */
  readonly seconds: number;
  readonly requests: number;
}

/** Sums up where latencies move, for the requests assigned in slots from..to−1. */
export function creditMoves(rollout: Rollout, from: number, to: number): CreditMove[] {
  const { requests: U, latency, completedSlot: completedIn } = rollout;
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
