/** What a norm has to remember, [outputs] each. */
export interface NormState {
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  readonly started: boolean;
}

/**
 * Keeps what a network has to predict near mean 0 and spread 1, per output, while the targets' scale changes by orders
 * of magnitude as a policy learns. When the scale moves, the last layer is rewritten so that every prediction stays
 * what it was (Pop-Art, van Hasselt et al. 2016).
 */
export class TargetNorm {
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  private started = false;

  /**
   * @param knee where given, targets are first compressed to ±ln(1 + |y|/knee), so that the sound stretches of an
   *   episode still count beside overloaded ones with targets a thousand times larger.
   */
  constructor(
    readonly outputs: number,
    private readonly knee: number = Infinity,
  ) {
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
      const own = new Float64Array(n).map((_, k) => this.compressed(targets[k * O + o]));
      const mean = own.reduce((sum, y) => sum + y / n, 0);
      const square = own.reduce((sum, y) => sum + (y - mean) ** 2 / n, 0);
      const scale = Math.max(1e-4, Math.sqrt(square));
      // A network that has seen nothing yet predicts nothing worth keeping.
      if (this.started) {
        const ratio = this.scale[o] / scale;
        for (let k = o; k < headWeights.length; k += O) headWeights[k] *= ratio;
        headBias[o] = headBias[o] * ratio + (this.mean[o] - mean) / scale;
      }
      this.mean[o] = mean;
      this.scale[o] = scale;
    }
    this.started = true;
  }

  /** Targets as the network is to predict them, bounded to ±10. */
  normalised(targets: Float64Array): Float32Array {
    const bounded = targets.map((y, k) => {
      const o = k % this.outputs;
      return Math.min(10, Math.max(-10, (this.compressed(y) - this.mean[o]) / this.scale[o]));
    });
    return new Float32Array(bounded);
  }

  /** What the network's outputs mean. */
  restored(outputs: Float32Array): Float64Array {
    return new Float64Array(outputs).map((y, k) => {
      const z = this.mean[k % this.outputs] + this.scale[k % this.outputs] * y;
      return this.knee === Infinity ? z : Math.sign(z) * this.knee * Math.expm1(Math.min(20, Math.abs(z)));
    });
  }

  /** By how much output `o`'s meaning changes per unit of the network's output, where it means `value`. */
  slope(o: number, value: number): number {
    return this.scale[o] * (this.knee === Infinity ? 1 : this.knee + Math.abs(value));
  }

  save(): NormState {
    return { mean: this.mean.slice(), scale: this.scale.slice(), started: this.started };
  }

  restore({ mean, scale, started }: NormState): void {
    this.mean.set(mean);
    this.scale.set(scale);
    this.started = started;
  }

  private compressed(y: number): number {
    return this.knee === Infinity ? y : Math.sign(y) * Math.log1p(Math.abs(y) / this.knee);
  }
}
