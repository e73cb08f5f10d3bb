import type { Parameters } from './parameters';

/** β₁, β₂ and ε, PyTorch's defaults. */
const [BETA1, BETA2, EPSILON] = [0.9, 0.999, 1e-8];

/** A network's parameters and all that is needed to go on learning them. */
export interface AdamState {
  readonly weights: Float32Array;
  readonly steps: number;
  readonly mean: Float32Array;
  readonly square: Float32Array;
}

/**
 * Adam with bias correction and clipping of the global norm, as one loop over the flat parameters.
 * https://arxiv.org/abs/1412.6980, with PyTorch's order of operations.
 */
export class Adam {
  private readonly mean: Float32Array;
  private readonly square: Float32Array;
  private steps = 0;

  /** @param maxGradNorm gradients with a larger Euclidean norm are scaled down to it. */
  constructor(
    private readonly parameters: Parameters,
    public learningRate: number,
    private readonly maxGradNorm: number = Infinity,
  ) {
    this.mean = new Float32Array(parameters.values.length);
    this.square = new Float32Array(parameters.values.length);
  }

  /**
   * One step along the gradients added since the last one, which are then forgotten.
   * m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g², θ ← θ − lr/(1−β₁ᵗ) · m / (√(v/(1−β₂ᵗ)) + ε).
   *
   * @returns the norm of the gradient before clipping; when it is NaN or ∞ nothing has been changed.
   */
  step(): number {
    const { values, gradient } = this.parameters;
    const { mean, square } = this;
    const n = values.length;
    let sum = 0;
    for (let k = 0; k < n; k++) sum += gradient[k] * gradient[k];
    const norm = Math.sqrt(sum);
    if (!Number.isFinite(norm)) return norm;
    const clip = Math.min(1, this.maxGradNorm / (norm + 1e-6));
    this.steps++;
    const rate = this.learningRate / (1 - BETA1 ** this.steps);
    const correction = 1 / Math.sqrt(1 - BETA2 ** this.steps);
    for (let k = 0; k < n; k++) {
      const g = gradient[k] * clip;
      const m = BETA1 * mean[k] + (1 - BETA1) * g;
      const v = BETA2 * square[k] + (1 - BETA2) * g * g;
      mean[k] = m;
      square[k] = v;
      values[k] = values[k] - (rate * m) / (Math.sqrt(v) * correction + EPSILON);
    }
    gradient.fill(0);
    return norm;
  }

  /** A copy of the parameters and the moments. */
  save(): AdamState {
    const { parameters, steps, mean, square } = this;
    return { weights: parameters.values.slice(), steps, mean: mean.slice(), square: square.slice() };
  }

  /** @throws RangeError when the state is that of another network. */
  restore({ weights, steps, mean, square }: AdamState): void {
    this.parameters.restore(weights);
    this.steps = steps;
    this.mean.set(mean);
    this.square.set(square);
  }
}
