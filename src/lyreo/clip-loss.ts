import { logSoftmax } from '../nn/categorical';
import type { Policy } from './policy';
import type { Rollout } from './rollout';
import type { TrainingConfig } from './training-config';

/** A decision's share of PPO's clipped objective, IV-B3: L^CLIP = min(ρ·Â, clip(ρ, 1 − ε, 1 + ε)·Â), `clipCoef` is ε. */
export function clippedObjective(ratio: number, advantage: number, clipCoef: number): number {
  const clipped = Math.min(1 + clipCoef, Math.max(1 - clipCoef, ratio));
  return Math.min(ratio * advantage, clipped * advantage);
}

/**
 * The importance ratios of IV-B3 after an update: ρ(θ) = π_θ(a | s)/π_old(a | s) of every request of a rollout, [T·U].
 * The policy is as it is now; the rollout has the probabilities under which it was played.
 */
export function decisionRatios({ net }: Policy, rollout: Rollout): Float64Array {
  const { slots: T, requests: U, servers: S, states, rows, prior, actions } = rollout;
  const shared = states.subarray(0, T * net.shape.sharedInputs);
  const logProbs = net.predict({ groups: T, rowsPerGroup: U, shared, rows }).map((x, k) => x + prior[k]);
  logSoftmax(logProbs, S, logProbs);
  return Float64Array.from(actions, (a, d) => Math.exp(logProbs[d * S + a] - rollout.logProbs[d]));
}

/** The decisions of a minibatch of whole slots: columns of a rollout, [n], and Â. */
export interface Decisions extends Pick<Rollout, 'requests' | 'servers' | 'actions' | 'logProbs' | 'answered'> {
  readonly advantages: Float32Array;
}

/** Sums over decisions. */
export type ClipSums = Record<'policyLoss' | 'entropy' | 'approxKl' | 'clipFrac' | 'count', number>;

export function noSums(): ClipSums {
  return { policyLoss: 0, entropy: 0, approxKl: 0, clipFrac: 0, count: 0 };
}

/**
 * PPO's clipped objective (IV-B3) with an entropy bonus, and its gradient with respect to the logits:
 *   L = −E[min(ρ·Â, clip(ρ, 1 − ε, 1 + ε)·Â)] − c·E[H],   ∂L/∂l_j = −ρ·Â·(1[j = a] − p_j)   unless clipped.
 * Only requests that were answered count.
 *
 * @param logProbs log p of the decisions first..first+n−1, whole slots, [n, S].
 * @param scale 1 / number of decisions in the minibatch.
 * @param out receives ∂L/∂logits, [n, S].
 * @param sums are added to.
 */
export function clipLoss(
  logProbs: Float32Array,
  decisions: Decisions,
  first: number,
  scale: number,
  { clipCoef, entCoef, ratio: kind }: Pick<TrainingConfig, 'clipCoef' | 'entCoef' | 'ratio'>,
  out: Float32Array,
  sums: ClipSums,
): void {
  const { servers: S, actions, advantages, answered } = decisions;
  const ratios = ratiosOf(logProbs, decisions, first, kind === 'per slot');
  for (let d = 0; d < ratios.length; d++) {
    const k = d * S;
    if (answered[first + d] === 0) {
      out.fill(0, k, k + S);
      continue;
    }
    const advantage = advantages[first + d];
    const ratio = ratios[d];
    let entropy = 0;
    for (let s = 0; s < S; s++) {
      const p = Math.exp(logProbs[k + s]);
      out[k + s] = p;
      if (p > 0) entropy -= p * logProbs[k + s];
    }
    const isStopped = (advantage > 0 && ratio > 1 + clipCoef) || (advantage < 0 && ratio < 1 - clipCoef);
    const g = isStopped ? 0 : -ratio * advantage * scale;
    for (let s = 0; s < S; s++) {
      const p = out[k + s];
      out[k + s] = -g * p + (p > 0 ? entCoef * scale * p * (logProbs[k + s] + entropy) : 0);
    }
    out[k + actions[first + d]] += g;
    sums.policyLoss -= clippedObjective(ratio, advantage, clipCoef);
    sums.entropy += entropy;
    sums.approxKl += ratio - 1 - Math.log(ratio);
    if (Math.abs(ratio - 1) > clipCoef) sums.clipFrac++;
    sums.count++;
  }
}

/** ρ of every decision: its own, or the product over its slot. */
function ratiosOf(logProbs: Float32Array, decisions: Decisions, first: number, isPerSlot: boolean): Float64Array {
  const { requests: U, servers: S, actions, logProbs: before, answered } = decisions;
  const ratios = new Float64Array(logProbs.length / S);
  for (let d = 0; d < ratios.length; d++)
    if (answered[first + d] === 1) ratios[d] = logProbs[d * S + actions[first + d]] - before[first + d];
  for (let begin = 0; isPerSlot && begin < ratios.length; begin += U) {
    const slot = ratios.subarray(begin, begin + U);
    slot.fill(slot.reduce((sum, x) => sum + x, 0));
  }
  return ratios.map((x) => Math.exp(Math.min(20, Math.max(-20, x))));
}
