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

/** Sums over decisions. */
export type ClipSums = Record<'policyLoss' | 'entropy' | 'approxKl' | 'clipFrac' | 'count', number>;

export function noSums(): ClipSums {
  return { policyLoss: 0, entropy: 0, approxKl: 0, clipFrac: 0, count: 0 };
}

/**
 * PPO's clipped objective (IV-B3) with an entropy bonus, and its gradient with respect to the logits:
 *   L = −E[min(ρ·Â, clip(ρ, 1 − ε, 1 + ε)·Â)] − c·E[H],   ∂L/∂l_j = −ρ·Â·(1[j = a] − p_j)   unless clipped.
 * ρ is a decision's own, or the product over its slot. Only requests that were answered count.
 *
 * @param logProbs log p of the decisions of these slots of the rollout, [slots·U, S].
 * @param advantages Â of the rollout, [T·U].
 * @param scale 1 / number of decisions in the minibatch.
 * @param out receives ∂L/∂logits, [slots·U, S].
 * @param sums are added to.
 */
export function clipLoss(
  logProbs: Float32Array,
  rollout: Pick<Rollout, 'requests' | 'servers' | 'actions' | 'logProbs' | 'answered'>,
  advantages: Float32Array,
  slots: Int32Array,
  { clipCoef, entCoef, ratio: kind }: Pick<TrainingConfig, 'clipCoef' | 'entCoef' | 'ratio'>,
  scale: number,
  out: Float32Array,
  sums: ClipSums,
): void {
  const { requests: U, servers: S, actions, answered } = rollout;
  const logRatios = new Float64Array(U);
  for (let n = 0; n < slots.length; n++) {
    const first = slots[n] * U;
    for (let i = 0; i < U; i++) {
      const logProb = logProbs[(n * U + i) * S + actions[first + i]];
      logRatios[i] = answered[first + i] === 1 ? logProb - rollout.logProbs[first + i] : 0;
    }
    if (kind === 'per slot') logRatios.fill(logRatios.reduce((sum, x) => sum + x, 0));
    for (let i = 0; i < U; i++) {
      const d = first + i;
      const k = (n * U + i) * S;
      if (answered[d] === 0) {
        out.fill(0, k, k + S);
        continue;
      }
      const advantage = advantages[d];
      const ratio = Math.exp(Math.min(20, Math.max(-20, logRatios[i])));
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
      out[k + actions[d]] += g;
      sums.policyLoss -= clippedObjective(ratio, advantage, clipCoef);
      sums.entropy += entropy;
      sums.approxKl += ratio - 1 - Math.log(ratio);
      if (Math.abs(ratio - 1) > clipCoef) sums.clipFrac++;
      sums.count++;
    }
  }
}
