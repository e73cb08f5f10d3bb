/** [outputs] each. */
export interface NormState {
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  readonly started: boolean;
}

/**
 * Keeps the targets of a network near mean 0 and spread 1, per output, while the targets' scale changes by orders
 * of magnitude as a policy learns. When the scale moves, the last layer is rewritten so that every prediction
 * keeps its value (Pop-Art, van Hasselt et al. 2016).
 */
export class TargetNorm {
  /** Replaced as a whole, never written into. */
  state: NormState;

  /**
   * @param weights the network's last layer, [width, outputs]; `bias` likewise, [outputs].
   * @param knee where given, targets are first compressed to ±ln(1 + |y|/knee), so that the sound stretches of an
   *   episode still count beside overloaded ones with targets a thousand times larger.
   */
  constructor(
    private readonly weights: Float32Array,
    private readonly bias: Float32Array,
    private readonly knee: number = Infinity,
  ) {
    const mean = new Float64Array(bias.length);
    this.state = { mean, scale: mean.map(() => 1), started: false };
  }

  /** Takes over the mean and spread of new targets, [n, outputs]. */
  follow(targets: Float64Array): void {
    const { weights, bias, state } = this;
    const outputs = bias.length;
    const n = targets.length / outputs;
    const [mean, scale] = [state.mean.slice(), state.scale.slice()];
    for (let o = 0; o < outputs; o++) {
      const own = targets.filter((_, k) => k % outputs === o).map((y) => this.compressed(y));
      mean[o] = own.reduce((sum, y) => sum + y / n, 0);
      const square = own.reduce((sum, y) => sum + (y - mean[o]) ** 2 / n, 0);
      scale[o] = Math.max(1e-4, Math.sqrt(square));
      // A network that has seen nothing yet predicts nothing worth keeping.
      if (!state.started) continue;
      const ratio = state.scale[o] / scale[o];
      for (let k = o; k < weights.length; k += outputs) weights[k] *= ratio;
      bias[o] = bias[o] * ratio + (state.mean[o] - mean[o]) / scale[o];
    }
    this.state = { mean, scale, started: true };
  }

  /** Targets as the network is to predict them, bounded to ±10. */
  normalised(targets: Float64Array): Float32Array {
    const { mean, scale } = this.state;
    const bounded = targets.map((y, k) => {
      const o = k % mean.length;
      return Math.min(10, Math.max(-10, (this.compressed(y) - mean[o]) / scale[o]));
    });
    return new Float32Array(bounded);
  }

  /** The meaning of the network's outputs. */
  restored(outputs: Float32Array): Float64Array {
    const { mean, scale } = this.state;
    return new Float64Array(outputs).map((y, k) => {
      const z = mean[k % mean.length] + scale[k % mean.length] * y;
      return this.knee === Infinity ? z : Math.sign(z) * this.knee * Math.expm1(Math.min(20, Math.abs(z)));
    });
  }

  /** By how much output `o`'s meaning changes per unit of the network's output, where it means `value`. */
  slope(o: number, value: number): number {
    return this.state.scale[o] * (this.knee === Infinity ? 1 : this.knee + Math.abs(value));
  }

  private compressed(y: number): number {
    return this.knee === Infinity ? y : Math.sign(y) * Math.log1p(Math.abs(y) / this.knee);
  }
}
