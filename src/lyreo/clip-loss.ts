import { clippedObjective, isClipped } from './clipped-objective';

/**
 * The gradient of PPO's clipped objective (IV-B3) with respect to the logits, with an entropy bonus:
 *   L = −E[min(ρ·Â, clip(ρ, 1 − ε, 1 + ε)·Â)] − c·E[H],   ∂L/∂l_j = −ρ·Â·(1[j = a] − p_j)   unless clipped.
 *
 * @param logProbs log p, [n, S].
 * @param out receives ∂L/∂logits, [n, S].
 */
export class ClipLoss {
  policyLoss = 0;
  entropy = 0;
  approxKl = 0;
  clipped = 0;
  count = 0;

  constructor(
    private readonly clipCoef: number,
    private readonly entCoef: number,
    private readonly choices: number,
  ) {}

  /**
   * @param ratios ρ of each decision, [n].
   * @param scale 1 / number of decisions in the minibatch.
   * @param counted 0 for decisions that are left out, of all; default: none is.
   */
  gradient(
    logProbs: Float32Array,
    actions: Int32Array,
    ratios: Float64Array,
    advantages: Float32Array,
    first: number,
    n: number,
    scale: number,
    out: Float32Array,
    counted?: Uint8Array,
  ): void {
    const { choices: S, clipCoef, entCoef } = this;
    for (let d = 0; d < n; d++) {
      const k = d * S;
      if (counted?.[first + d] === 0) {
        out.fill(0, k, k + S);
        continue;
      }
      const a = actions[first + d];
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
      out[k + a] += g;
      this.policyLoss -= clippedObjective(ratio, advantage, clipCoef);
      this.entropy += entropy;
      this.approxKl += ratio - 1 - Math.log(ratio);
      if (Math.abs(ratio - 1) > clipCoef) this.clipped++;
      this.count++;
    }
  }
}
