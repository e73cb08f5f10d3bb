/**
 * Keeps what a network has to predict near mean 0 and spread 1, per output, while the targets' scale changes by orders
 * of magnitude as a policy learns. When the scale moves, the last layer is rewritten so that every prediction stays
 * what it was (Pop-Art, van Hasselt et al. 2016).
 */
export class TargetNorm {
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  private started = false;

  constructor(readonly outputs: number) {
    this.mean = new Float64Array(outputs);
    this.scale = new Float64Array(outputs).fill(1);
  }

  /**
   * Takes over the mean and spread of new targets.
   *
   * @param targets [n, outputs].
   * @param headWeights the last layer's weights [width, outputs], rewritten in place; `headBias` likewise.
   */
  follow(targets: Float64Array, headWeights: Float32Array, headBias: Float32Array): void {
    const { outputs: O } = this;
    const n = targets.length / O;
    for (let o = 0; o < O; o++) {
      let mean = 0;
      for (let k = o; k < targets.length; k += O) mean += targets[k] / n;
      let square = 0;
      for (let k = o; k < targets.length; k += O) square += (targets[k] - mean) ** 2 / n;
      const newScale = Math.max(1e-4, Math.sqrt(square));
      // A network that has seen nothing yet predicts nothing worth keeping.
      if (this.started) {
        const ratio = this.scale[o] / newScale;
        for (let k = o; k < headWeights.length; k += O) headWeights[k] *= ratio;
        headBias[o] = headBias[o] * ratio + (this.mean[o] - mean) / newScale;
      }
      this.mean[o] = mean;
      this.scale[o] = newScale;
    }
    this.started = true;
  }

  /** Targets as the network is to predict them, bounded to ±10. */
  normalised(targets: Float64Array): Float32Array {
    const out = new Float32Array(targets.length);
    for (let k = 0; k < out.length; k++) {
      const o = k % this.outputs;
      out[k] = Math.min(10, Math.max(-10, (targets[k] - this.mean[o]) / this.scale[o]));
    }
    return out;
  }

  /** What the network's outputs mean. */
  restored(outputs: Float32Array): Float64Array {
    const out = new Float64Array(outputs.length);
    for (let k = 0; k < out.length; k++) out[k] = this.mean[k % this.outputs] + this.scale[k % this.outputs] * outputs[k];
    return out;
  }

  save(): number[] {
    return [...this.mean, ...this.scale, this.started ? 1 : 0];
  }

  restore(state: readonly number[]): void {
    const O = this.outputs;
    if (state.length !== 2 * O + 1) throw new RangeError(`TargetNorm.restore: ${String(state.length)} numbers; allowed: ${String(2 * O + 1)}`);
    for (let o = 0; o < O; o++) {
      this.mean[o] = state[o];
      this.scale[o] = state[O + o];
    }
    this.started = state[2 * O] === 1;
  }
}
