import type { Rng } from '../core/rng';
import { addTo, addTransposedTo } from './accumulate';
import { orthogonalInit } from './init';
import { kernels as bestKernels, type Kernels, type Tensor } from './kernels';
import { MlpLoop } from './mlp-loop';
import {
  biasName,
  checkBatch,
  mlpSizes,
  mlpSpecs,
  mlpWork,
  weightName,
  type MlpBatch,
  type MlpShape,
} from './mlp-shape';
import { MlpWeights } from './mlp-weights';
import { Parameters } from './parameters';

/** Multiplications below which loops are faster than a dozen calls of TensorFlow (measured: 0.5 ns each, about 0.15 ms). */
const LOOP_WORK = 250_000;

/** A forward pass with what its backward pass needs; `backward` or `dispose` frees it. */
export interface MlpTape {
  /** [G·U, O]. */
  readonly outputs: Float32Array;
  dispose(): void;
}

interface Activations {
  readonly groups: number;
  readonly shared: Tensor | undefined;
  readonly rows: Tensor | undefined;
  readonly hidden: readonly Tensor[];
}

/**
 * A fully connected network with ReLUs whose first layer is split: h₁ = relu(xs·Ws + xr·Wr + b), where the shared
 * product is computed once per group and added to its U rows. Equal to one matrix [Ws; Wr] on the concatenation [xs, xr].
 *
 * The backward pass is written out: autograd would dispatch three times as many operations.
 */
export class Mlp {
  readonly parameters: Parameters;
  /** [Fs + Fr, hidden…, O]. */
  readonly sizes: readonly number[];
  /** Layers with weights, the output's included. */
  readonly depth: number;
  private readonly loop: MlpLoop;
  private readonly given: Kernels | undefined;
  private onDevice: MlpWeights | undefined;
  private readonly tapes = new WeakMap<MlpTape, Activations>();

  /**
   * Draws orthogonal weights: gain √2 under a ReLU, `outputGain` in the last layer (0.01 makes a first policy nearly
   * uniform); biases are 0.
   *
   * @param given other kernels than the machine's best.
   */
  constructor(
    readonly shape: MlpShape,
    rng: Rng,
    outputGain = 1,
    given?: Kernels,
  ) {
    this.given = given;
    this.sizes = mlpSizes(shape);
    this.depth = this.sizes.length - 1;
    this.parameters = new Parameters(mlpSpecs(this.sizes));
    for (let layer = 0; layer < this.depth; layer++) {
      const gain = layer === this.depth - 1 ? outputGain : Math.SQRT2;
      orthogonalInit(this.parameters.view(weightName(layer)), this.sizes[layer], this.sizes[layer + 1], gain, rng);
    }
    this.loop = new MlpLoop(shape, this.sizes, this.parameters);
  }

  /** Outputs [G·U, O] alone, the faster of two ways that agree to 1e-5: loops for little work, TensorFlow for more. */
  predict(batch: MlpBatch): Float32Array {
    if (mlpWork(this.shape, this.sizes, batch) < LOOP_WORK || !this.kernels().native) return this.loop.predict(batch);
    const tape = this.forward(batch);
    tape.dispose();
    return tape.outputs;
  }

  /** Outputs and what `backward` needs. */
  forward(batch: MlpBatch): MlpTape {
    checkBatch(this.shape, batch);
    const k = this.kernels();
    const w = this.weights(k);
    const { sharedInputs, rowInputs } = this.shape;
    const { groups, rowsPerGroup } = batch;
    const shared = sharedInputs > 0 ? k.tensor(batch.shared, [groups, sharedInputs]) : undefined;
    const rows = rowInputs > 0 ? k.tensor(batch.rows, [groups * rowsPerGroup, rowInputs]) : undefined;
    const hidden: Tensor[] = [];
    let z = w.first(shared, rows, batch.shared);
    for (let layer = 1; layer < this.depth; layer++) {
      const h = k.relu(z);
      z.dispose();
      hidden.push(h);
      z = w.affine(h, layer);
    }
    const outputs = k.read(z);
    z.dispose();
    const tape: MlpTape = {
      outputs,
      dispose: () => {
        for (const t of [shared, rows, ...hidden]) t?.dispose();
      },
    };
    this.tapes.set(tape, { groups, shared, rows, hidden });
    return tape;
  }

  /**
   * Adds the gradient of the parameters, given that of the outputs, to `parameters.gradient`; frees the tape.
   *
   * @param dOutputs ∂loss/∂outputs [G·U, O].
   */
  backward(tape: MlpTape, dOutputs: Float32Array): void {
    const found = this.tapes.get(tape);
    if (found === undefined) throw new Error('backward: this tape is not of this network, or was used');
    if (dOutputs.length !== tape.outputs.length)
      throw new RangeError(`dOutputs has ${dOutputs.length} numbers; the outputs are ${tape.outputs.length}`);
    this.tapes.delete(tape);
    const k = this.kernels();
    const w = this.weights(k);
    const { groups, shared, rows, hidden } = found;
    let dz = k.tensor(dOutputs, [dOutputs.length / this.shape.outputs, this.shape.outputs]);
    for (let layer = this.depth - 1; layer > 0; layer--) {
      const h = hidden[layer - 1];
      this.addBias(k, layer, dz);
      this.addProduct(k, h, dz, this.parameters.gradientView(weightName(layer)));
      const dh = k.matMul(dz, w.layer(layer), false, true);
      dz.dispose();
      dz = k.reluGrad(dh, h);
      dh.dispose();
    }
    const gradient = this.parameters.gradientView(weightName(0));
    const split = this.shape.sharedInputs * this.sizes[1];
    if (rows !== undefined) this.addProduct(k, rows, dz, gradient.subarray(split));
    if (shared !== undefined) {
      if (rows !== undefined) {
        const sum = k.sumGroups(dz, groups);
        dz.dispose();
        dz = sum;
      }
      this.addProduct(k, shared, dz, gradient.subarray(0, split));
    }
    this.addBias(k, 0, dz);
    dz.dispose();
    tape.dispose();
  }

  /**
   * Forward and backward over a batch in pieces of whole groups that stay in the processor's cache; the same sums as
   * one `forward` and `backward` up to rounding.
   *
   * @param lossGradient writes ∂loss/∂outputs of rows first..first+n−1 into `out` [n, O], given their outputs [n, O].
   * @param rowsAtOnce about how many rows a piece has.
   */
  accumulate(
    batch: MlpBatch,
    lossGradient: (outputs: Float32Array, first: number, out: Float32Array) => void,
    rowsAtOnce = 1000,
  ): void {
    checkBatch(this.shape, batch);
    const { groups, rowsPerGroup } = batch;
    const { sharedInputs, rowInputs, outputs } = this.shape;
    const atOnce = Math.max(1, Math.round(rowsAtOnce / rowsPerGroup));
    for (let begin = 0; begin < groups; begin += atOnce) {
      const end = Math.min(groups, begin + atOnce);
      const [first, last] = [begin * rowsPerGroup, end * rowsPerGroup];
      const shared = batch.shared.subarray(begin * sharedInputs, end * sharedInputs);
      const rows = batch.rows.subarray(first * rowInputs, last * rowInputs);
      const tape = this.forward({ groups: end - begin, rowsPerGroup, shared, rows });
      const dOutputs = new Float32Array((last - first) * outputs);
      lossGradient(tape.outputs, first, dOutputs);
      this.backward(tape, dOutputs);
    }
  }

  /** Frees the copies on the device; the network can still be used. */
  dispose(): void {
    this.onDevice?.dispose();
  }

  private kernels(): Kernels {
    return this.given ?? bestKernels();
  }

  private weights(k: Kernels): MlpWeights {
    this.onDevice ??= new MlpWeights(k, this.shape, this.parameters, this.depth);
    this.onDevice.refresh();
    return this.onDevice;
  }

  private addBias(k: Kernels, layer: number, dz: Tensor): void {
    const sum = k.sumRows(dz);
    addTo(this.parameters.gradientView(biasName(layer)), k.read(sum));
    sum.dispose();
  }

  /** Adds xᵀ·dz [I, N] to `out`; TensorFlow's product is up to four times faster with the smaller side first. */
  private addProduct(k: Kernels, x: Tensor, dz: Tensor, out: Float32Array): void {
    const [inputs, width] = [x.shape[1], dz.shape[1]];
    const straight = inputs <= width;
    const product = straight ? k.matMul(x, dz, true) : k.matMul(dz, x, true);
    const values = k.read(product);
    product.dispose();
    if (straight) addTo(out, values);
    else addTransposedTo(out, values, inputs, width);
  }
}
