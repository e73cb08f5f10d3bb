import type { Rng } from '../core/rng';
import { orthogonalInit } from './init';
import { kernels as bestKernels, type Kernels, type Tensor } from './kernels';
import { Parameters } from './parameters';

/** The sizes of a network. */
export interface MlpShape {
  /** Fs, inputs that all rows of a group have in common (the servers' state of a slot); 0 for none. */
  readonly sharedInputs: number;
  /** Fr, inputs of a row's own; 0 for none, then every group is one row. */
  readonly rowInputs: number;
  /** Widths of the hidden layers. Default 128, 128, 64. */
  readonly hidden?: readonly number[];
  /** O. */
  readonly outputs: number;
}

/** G groups (slots) of U rows (requests) each; R = G·U rows. */
export interface MlpBatch {
  readonly groups: number;
  readonly rowsPerGroup: number;
  /** [G, Fs]; empty when Fs is 0. */
  readonly shared: Float32Array;
  /** [G·U, Fr]; empty when Fr is 0. */
  readonly rows: Float32Array;
}

/** A forward pass with what its backward pass needs; `backward` or `dispose` frees it. */
export interface MlpTape {
  /** [G·U, O]. */
  readonly outputs: Float32Array;
  dispose(): void;
}

interface Weights {
  readonly version: number;
  readonly shared: Tensor | undefined;
  readonly rows: Tensor | undefined;
  /** Of layers 1.. (layer 0 is split into the two above). */
  readonly layers: readonly Tensor[];
  readonly biases: readonly Tensor[];
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
  private readonly given: Kernels | undefined;
  private weights: Weights | undefined;
  private readonly tapes = new WeakMap<MlpTape, Activations>();

  /**
   * Draws orthogonal weights: gain √2 under a ReLU, `outputGain` in the last layer (0.01 makes a first policy nearly
   * uniform); biases are 0.
   */
  constructor(
    readonly shape: MlpShape,
    rng: Rng,
    outputGain = 1,
    given?: Kernels,
  ) {
    this.given = given;
    this.sizes = [shape.sharedInputs + shape.rowInputs, ...(shape.hidden ?? [128, 128, 64]), shape.outputs];
    const layers = this.sizes.slice(1);
    this.parameters = new Parameters(
      layers.flatMap((width, k) => [
        { name: weightName(k), shape: [this.sizes[k], width] },
        { name: biasName(k), shape: [width] },
      ]),
    );
    layers.forEach((width, k) => {
      const gain = k === layers.length - 1 ? outputGain : Math.SQRT2;
      orthogonalInit(this.parameters.view(weightName(k)), this.sizes[k], width, gain, rng);
    });
  }

  /** Layers with weights, the output's included. */
  get depth(): number {
    return this.sizes.length - 1;
  }

  /** Outputs [G·U, O] alone. */
  predict(batch: MlpBatch): Float32Array {
    const tape = this.forward(batch);
    tape.dispose();
    return tape.outputs;
  }

  /** Outputs and what `backward` needs. */
  forward(batch: MlpBatch): MlpTape {
    this.check(batch);
    const k = this.kernels();
    const { sharedInputs, rowInputs } = this.shape;
    const { groups, rowsPerGroup } = batch;
    const w = this.upload(k);
    const shared = sharedInputs > 0 ? k.tensor(batch.shared, [groups, sharedInputs]) : undefined;
    const rows = rowInputs > 0 ? k.tensor(batch.rows, [groups * rowsPerGroup, rowInputs]) : undefined;
    const hidden: Tensor[] = [];
    let z = firstLayer(k, w, shared, rows);
    for (let layer = 1; layer < this.depth; layer++) {
      const h = k.relu(z);
      z.dispose();
      hidden.push(h);
      z = affine(k, h, at(w.layers, layer - 1), at(w.biases, layer));
    }
    const outputs = k.read(z);
    z.dispose();
    const activations: Activations = { groups, shared, rows, hidden };
    const tape: MlpTape = {
      outputs,
      dispose: () => {
        for (const t of [shared, rows, ...hidden]) t?.dispose();
      },
    };
    this.tapes.set(tape, activations);
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
    const w = this.upload(k);
    const { groups, shared, rows, hidden } = found;
    let dz = k.tensor(dOutputs, [dOutputs.length / this.shape.outputs, this.shape.outputs]);
    for (let layer = this.depth - 1; layer > 0; layer--) {
      const h = at(hidden, layer - 1);
      this.addBias(k, layer, dz);
      this.addProduct(k, h, dz, this.parameters.gradientView(weightName(layer)));
      const dh = k.matMul(dz, at(w.layers, layer - 1), false, true);
      dz.dispose();
      dz = k.reluGrad(dh, h);
      dh.dispose();
    }
    this.addBias(k, 0, dz);
    const gradient = this.parameters.gradientView(weightName(0));
    const split = this.shape.sharedInputs * this.sizes[1];
    if (rows !== undefined) this.addProduct(k, rows, dz, gradient.subarray(split));
    if (shared !== undefined) {
      const sum = rows === undefined ? dz : k.sumGroups(dz, groups);
      this.addProduct(k, shared, sum, gradient.subarray(0, split));
      if (sum !== dz) sum.dispose();
    }
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
    const w = this.weights;
    this.weights = undefined;
    if (w !== undefined) for (const t of [w.shared, w.rows, ...w.layers, ...w.biases]) t?.dispose();
  }

  private kernels(): Kernels {
    return this.given ?? bestKernels();
  }

  /** The weights on the device, copied anew only after a change. */
  private upload(k: Kernels): Weights {
    const p = this.parameters;
    if (this.weights?.version === p.version) return this.weights;
    this.dispose();
    const { sharedInputs, rowInputs } = this.shape;
    const width = this.sizes[1];
    const first = p.view(weightName(0));
    const names = this.sizes.slice(1).map((_, layer) => layer);
    this.weights = {
      version: p.version,
      shared: sharedInputs > 0 ? k.tensor(first.subarray(0, sharedInputs * width), [sharedInputs, width]) : undefined,
      rows: rowInputs > 0 ? k.tensor(first.subarray(sharedInputs * width), [rowInputs, width]) : undefined,
      layers: names.slice(1).map((layer) => k.tensor(p.view(weightName(layer)), p.shape(weightName(layer)))),
      biases: names.map((layer) => k.tensor(p.view(biasName(layer)), p.shape(biasName(layer)))),
    };
    return this.weights;
  }

  private addBias(k: Kernels, layer: number, dz: Tensor): void {
    const sum = k.sumRows(dz);
    add(this.parameters.gradientView(biasName(layer)), k.read(sum));
    sum.dispose();
  }

  /** Adds xᵀ·dz [I, N] to `out`; TensorFlow's product is up to four times faster with the smaller side first. */
  private addProduct(k: Kernels, x: Tensor, dz: Tensor, out: Float32Array): void {
    const inputs = x.shape[1];
    const width = dz.shape[1];
    const product = inputs <= width ? k.matMul(x, dz, true) : k.matMul(dz, x, true);
    const values = k.read(product);
    product.dispose();
    if (inputs <= width) add(out, values);
    else addTransposed(out, values, inputs, width);
  }

  private check({ groups, rowsPerGroup, shared, rows }: MlpBatch): void {
    const { sharedInputs, rowInputs } = this.shape;
    if (rowInputs === 0 && rowsPerGroup !== 1)
      throw new RangeError(`rowsPerGroup is ${rowsPerGroup}; allowed: 1 when rowInputs is 0`);
    if (shared.length !== groups * sharedInputs)
      throw new RangeError(`shared has ${shared.length} numbers; allowed: ${groups} × ${sharedInputs}`);
    if (rows.length !== groups * rowsPerGroup * rowInputs)
      throw new RangeError(`rows has ${rows.length} numbers; allowed: ${groups * rowsPerGroup} × ${rowInputs}`);
  }
}

/** The name of layer k's matrix in `parameters`. */
export function weightName(layer: number): string {
  return `layer ${layer} weights`;
}

/** The name of layer k's bias in `parameters`. */
export function biasName(layer: number): string {
  return `layer ${layer} bias`;
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}

/** x·w + b. */
function affine(k: Kernels, x: Tensor, w: Tensor, b: Tensor): Tensor {
  const product = k.matMul(x, w);
  const sum = k.biasAdd(product, b);
  product.dispose();
  return sum;
}

/** xs·Ws + b once per group, plus xr·Wr of every row: [G·U, H]. */
function firstLayer(k: Kernels, w: Weights, shared: Tensor | undefined, rows: Tensor | undefined): Tensor {
  const bias = at(w.biases, 0);
  if (shared === undefined || w.shared === undefined) return affine(k, rows as Tensor, w.rows as Tensor, bias);
  const common = affine(k, shared, w.shared, bias);
  if (rows === undefined || w.rows === undefined) return common;
  const own = k.matMul(rows, w.rows);
  const sum = k.addGroups(common, own);
  common.dispose();
  own.dispose();
  return sum;
}

function add(out: Float32Array, values: Float32Array): void {
  for (let k = 0; k < values.length; k++) out[k] = out[k] + values[k];
}

/** Adds valuesᵀ, where values is [columns, rows], to out [rows, columns]. */
function addTransposed(out: Float32Array, values: Float32Array, rows: number, columns: number): void {
  for (let c = 0, k = 0; c < columns; c++)
    for (let r = 0; r < rows; r++, k++) out[r * columns + c] = out[r * columns + c] + values[k];
}
