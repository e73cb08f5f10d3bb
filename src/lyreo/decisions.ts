import { logSoftmax } from '../nn/categorical';
import { clippedObjective, isClipped } from './clipped-objective';
import type { Policy } from './policy';
import type { Rollout } from './rollout';

/**
 * The importance ratios of IV-B3 after an update: ρ(θ) = π_θ(a | s)/π_old(a | s) of every request of a rollout.
 *
 * @param policy as it is now; the rollout has the probabilities under which it was played.
 * @returns [T·U].
 */
export function decisionRatios(policy: Policy, rollout: Rollout): Float64Array {
  const { slots: T, requests: U, servers: S, shared, rows } = rollout;
  const rowsPerGroup = U * policy.rowsPerRequest;
  const logProbs = policy.net.predict({ groups: T, rowsPerGroup, shared, rows }).map((x, k) => x + rollout.prior[k]);
  logSoftmax(logProbs, S, logProbs);
  return Float64Array.from({ length: T * U }, (_, d) =>
    Math.exp(logProbs[d * S + rollout.actions[d]] - rollout.logProbs[d]),
  );
}

/** The terms of L^CLIP for one decision. */
export interface ClipTerms {
  readonly ratio: number;
  readonly clipped: number;
  readonly plainTerm: number;
  readonly clippedTerm: number;
  /** What counts: the smaller of the two. */
  readonly objective: number;
  /** Whether the clip stops the gradient. */
  readonly isStopped: boolean;
}

/** One decision's share of L^CLIP, IV-B3: min(ρ·Â, clip(ρ, 1 − ε, 1 + ε)·Â). */
export function clipTerms(ratio: number, advantage: number, clipCoef: number): ClipTerms {
  const clipped = Math.min(1 + clipCoef, Math.max(1 - clipCoef, ratio));
  return {
    ratio,
    clipped,
    plainTerm: ratio * advantage,
    clippedTerm: clipped * advantage,
    objective: clippedObjective(ratio, advantage, clipCoef),
    isStopped: isClipped(ratio, advantage, clipCoef),
  };
}
