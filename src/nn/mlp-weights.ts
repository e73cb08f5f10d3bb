import type { Kernels, Tensor } from './kernels';
import { biasName, weightName, type MlpShape } from './mlp-shape';
import type { Parameters } from './parameters';

/** A network's parameters on the device, copied there anew only after a change. */
export class MlpWeights {
  private version = -1;
  private shared: Tensor | undefined;
  private rows: Tensor | undefined;
  private layers: readonly Tensor[] = [];
  private biases: readonly Tensor[] = [];

  constructor(
    private readonly k: Kernels,
    private readonly shape: MlpShape,
    private readonly parameters: Parameters,
    private readonly depth: number,
  ) {}

  /** The matrix of layer ≥ 1. */
  layer(layer: number): Tensor {
    return this.layers[layer - 1];
  }

  /** Makes the copies the same as the parameters. */
  refresh(): void {
    const { k, parameters: p } = this;
    if (this.version === p.version) return;
    this.dispose();
    const { sharedInputs, rowInputs } = this.shape;
    const [inputs, width] = p.shape(weightName(0));
    const first = p.view(weightName(0));
    const split = sharedInputs * width;
    if (sharedInputs > 0) this.shared = k.tensor(first.subarray(0, split), [sharedInputs, width]);
    if (rowInputs > 0) this.rows = k.tensor(first.subarray(split), [inputs - sharedInputs, width]);
    const layers = Array.from({ length: this.depth }, (_, layer) => layer);
    this.layers = layers.slice(1).map((layer) => k.tensor(p.view(weightName(layer)), p.shape(weightName(layer))));
    this.biases = layers.map((layer) => k.tensor(p.view(biasName(layer)), p.shape(biasName(layer))));
    this.version = p.version;
  }

  /** x·W + b of layer ≥ 1. */
  affine(x: Tensor, layer: number): Tensor {
    return this.biased(this.k.matMul(x, this.layer(layer)), this.biases[layer]);
  }

  /** Layer 0: xs·Ws + b once per group, plus xr·Wr of every row: [G·U, H]. */
  first(shared: Tensor | undefined, rows: Tensor | undefined, values: Float32Array): Tensor {
    const { k } = this;
    const [bias] = this.biases;
    const own = rows !== undefined && this.rows !== undefined ? k.matMul(rows, this.rows) : undefined;
    if (shared === undefined || this.shared === undefined) {
      if (own === undefined) throw new RangeError('a network needs inputs');
      return this.biased(own, bias);
    }
    if (own !== undefined && shared.shape[0] === 1) {
      const common = k.tensor(this.common(values), bias.shape);
      const sum = this.biased(own, common);
      common.dispose();
      return sum;
    }
    const common = this.biased(k.matMul(shared, this.shared), bias);
    if (own === undefined) return common;
    const sum = k.addGroups(common, own);
    common.dispose();
    own.dispose();
    return sum;
  }

  dispose(): void {
    for (const t of [this.shared, this.rows, ...this.layers, ...this.biases]) t?.dispose();
    [this.shared, this.rows, this.layers, this.biases] = [undefined, undefined, [], []];
    this.version = -1;
  }

  /** xs·Ws + b of a single group, in a loop: sooner done than two calls of TensorFlow. */
  private common(values: Float32Array): Float32Array {
    const w = this.parameters.view(weightName(0));
    const sums = Float64Array.from(this.parameters.view(biasName(0)));
    for (let i = 0, q = 0; i < values.length; i++)
      for (let j = 0; j < sums.length; j++, q++) sums[j] += values[i] * w[q];
    return Float32Array.from(sums);
  }

  private biased(x: Tensor, bias: Tensor): Tensor {
    const sum = this.k.biasAdd(x, bias);
    x.dispose();
    return sum;
  }
}
