import type { TrainingConfig } from './training-config';

/**
 * A decision's share of PPO's clipped objective, IV-B3: L^CLIP = min(ρ·Â, clip(ρ, 1 − ε, 1 + ε)·Â).
 *
 * @param ratio ρ.
 * @param advantage Â.
 * @param clipCoef ε of the clip.
 */
export function clippedObjective(ratio: number, advantage: number, clipCoef: number): number {
  const clipped = Math.min(1 + clipCoef, Math.max(1 - clipCoef, ratio));
  return Math.min(ratio * advantage, clipped * advantage);
}

/** Whether the clip stops the gradient of {@link clippedObjective} in ρ. */
export function isClipped(ratio: number, advantage: number, clipCoef: number): boolean {
  return (advantage > 0 && ratio > 1 + clipCoef) || (advantage < 0 && ratio < 1 - clipCoef);
}

/** The decisions of a minibatch, [n]. */
export interface Decisions {
  /** The servers that were drawn. */
  readonly actions: Int32Array;
  /** log π_old of them. */
  readonly before: Float32Array;
  /** Â. */
  readonly advantages: Float32Array;
  /** 0 for decisions that are left out. */
  readonly answered: Uint8Array;
}

/**
 * PPO's clipped objective (IV-B3) with an entropy bonus, and its gradient with respect to the logits:
 *   L = −E[min(ρ·Â, clip(ρ, 1 − ε, 1 + ε)·Â)] − c·E[H],   ∂L/∂l_j = −ρ·Â·(1[j = a] − p_j)   unless clipped.
 */
export class ClipLoss {
  policyLoss = 0;
  entropy = 0;
  approxKl = 0;
  clipped = 0;
  count = 0;

  /** @param requests of a slot, whose decisions share one ratio, the product, where `ratio` is 'per slot'. */
  constructor(
    private readonly config: Pick<TrainingConfig, 'clipCoef' | 'entCoef' | 'ratio'>,
    private readonly servers: number,
    private readonly requests: number,
  ) {}

  /**
   * Adds the decisions first..first+n−1, whole slots.
   *
   * @param logProbs log p, [n, S].
   * @param scale 1 / number of decisions in the minibatch.
   * @param out receives ∂L/∂logits, [n, S].
   */
  add(logProbs: Float32Array, decisions: Decisions, first: number, scale: number, out: Float32Array): void {
    const { clipCoef, entCoef } = this.config;
    const { actions, advantages, answered } = decisions;
    const S = this.servers;
    const ratios = this.ratios(logProbs, decisions, first);
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
      const g = isClipped(ratio, advantage, clipCoef) ? 0 : -ratio * advantage * scale;
      for (let s = 0; s < S; s++) {
        const p = out[k + s];
        out[k + s] = -g * p + (p > 0 ? entCoef * scale * p * (logProbs[k + s] + entropy) : 0);
      }
      out[k + actions[first + d]] += g;
      this.policyLoss -= clippedObjective(ratio, advantage, clipCoef);
      this.entropy += entropy;
      this.approxKl += ratio - 1 - Math.log(ratio);
      if (Math.abs(ratio - 1) > clipCoef) this.clipped++;
      this.count++;
    }
  }

  /** ρ of every decision: its own, or the product over its slot. */
  private ratios(logProbs: Float32Array, { actions, before, answered }: Decisions, first: number): Float64Array {
    const { servers: S, requests: U } = this;
    const ratios = new Float64Array(logProbs.length / S);
    for (let d = 0; d < ratios.length; d++)
      if (answered[first + d] === 1) ratios[d] = logProbs[d * S + actions[first + d]] - before[first + d];
    if (this.config.ratio === 'per slot') {
      for (let begin = 0; begin < ratios.length; begin += U) {
        const slot = ratios.subarray(begin, begin + U);
        slot.fill(slot.reduce((sum, x) => sum + x, 0));
      }
    }
    return ratios.map((x) => Math.exp(Math.min(20, Math.max(-20, x))));
  }
}
