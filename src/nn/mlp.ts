import type { Rng } from '../core/rng';
import { FLOAT, Graph, INT } from './graph';
import { orthogonalInit } from './init';
import { mlpLoop } from './mlp-loop';
import { type Inputs, Network } from './network';
import { Parameters, type Shapes } from './parameters';

/** Multiplications below which loops are faster than TensorFlow (measured: 0.5 ns each against about 0.08 ms). */
const LOOP_WORK = 150_000;

/** The sizes of a network. */
export interface MlpShape {
  /** Fs, inputs that all rows of a group have in common (the servers' state of a slot); 0 for none. */
  readonly sharedInputs: number;
  /** Fr, inputs of a row's own. */
  readonly rowInputs: number;
  readonly hidden: readonly number[];
  /** O. */
  readonly outputs: number;
}

/** G groups (slots) of U rows (requests) each; R = G·U rows. */
export interface MlpBatch {
  readonly groups: number;
  readonly rowsPerGroup: number;
  /** [G, Fs]; empty when Fs is 0. */
  readonly shared: Float32Array;
  /** [G·U, Fr]. */
  readonly rows: Float32Array;
}

/**
 * A fully connected network with ReLUs whose first layer is split: h₁ = relu(xs·Ws + xr·Wr + b), where the shared
 * product is computed once per group and added to its U rows. Equal to one matrix [Ws; Wr] on the concatenation [xs, xr].
 */
export class Mlp extends Network {
  /** [Fs + Fr, hidden…, O]. */
  readonly sizes: readonly number[];
  /** Layers with weights, the output's included. */
  readonly depth: number;

  /**
   * Draws orthogonal weights: gain √2 under a ReLU, `outputGain` in the last layer (0.01 makes a first policy nearly
   * uniform); biases are 0.
   */
  constructor(
    readonly shape: MlpShape,
    rng: Rng,
    outputGain = 1,
  ) {
    const sizes = [shape.sharedInputs + shape.rowInputs, ...shape.hidden, shape.outputs];
    const shapes = sizes.slice(1).flatMap((width, k): Shapes => [
      [`layer ${k} weights`, [sizes[k], width]],
      [`layer ${k} bias`, [width]],
    ]);
    const hidden = shape.hidden.map((_, k) => `h${k + 1}`);
    super(new Parameters(shapes), () => mlpGraph(shape, sizes), hidden);
    this.sizes = sizes;
    this.depth = sizes.length - 1;
    for (let k = 0; k < this.depth; k++) {
      const gain = k === this.depth - 1 ? outputGain : Math.SQRT2;
      orthogonalInit(this.layer(k)[0], sizes[k], sizes[k + 1], gain, rng);
    }
  }

  /** Weights [inputs, outputs] and bias of a layer, not a copy; the first one's upper Fs rows are of the shared inputs. */
  layer(k: number): [weights: Float32Array, bias: Float32Array] {
    return [this.parameters.view(`layer ${k} weights`), this.parameters.view(`layer ${k} bias`)];
  }

  /** Outputs [G·U, O] alone, the faster of two ways that agree to 1e-5: loops for little work, TensorFlow for more. */
  predict(batch: MlpBatch): Float32Array {
    const inputs = this.inputs(batch);
    return this.work(batch) < LOOP_WORK ? mlpLoop(this, batch) : this.fetch(inputs)[0];
  }

  /**
   * Adds ∂loss/∂parameters of a batch to the gradient, in pieces of whole groups that stay in the processor's cache; the
   * same sums as in one piece up to rounding.
   *
   * @param lossGradient writes ∂loss/∂outputs of rows first..first+n−1 into `out` [n, O], given their outputs [n, O].
   * @param rowsAtOnce about how many rows a piece has.
   */
  learn(
    { groups, rowsPerGroup, shared, rows }: MlpBatch,
    lossGradient: (outputs: Float32Array, out: Float32Array, first: number) => void,
    rowsAtOnce = 4000,
  ): void {
    const { sharedInputs, rowInputs } = this.shape;
    const atOnce = Math.max(1, Math.round(rowsAtOnce / rowsPerGroup));
    for (let begin = 0; begin < groups; begin += atOnce) {
      const end = Math.min(groups, begin + atOnce);
      const [first, last] = [begin * rowsPerGroup, end * rowsPerGroup];
      const inputs = this.inputs({
        groups: end - begin,
        rowsPerGroup,
        shared: shared.subarray(begin * sharedInputs, end * sharedInputs),
        rows: rows.subarray(first * rowInputs, last * rowInputs),
      });
      this.backpropagate(inputs, (outputs, out) => {
        lossGradient(outputs, out, first);
      });
    }
  }

  private inputs({ groups, rowsPerGroup, shared, rows }: MlpBatch): Inputs {
    const { sharedInputs, rowInputs } = this.shape;
    const count = groups * rowsPerGroup;
    if (shared.length !== groups * sharedInputs)
      throw new RangeError(`shared has ${shared.length} numbers; allowed: ${groups} × ${sharedInputs}`);
    if (rows.length !== count * rowInputs)
      throw new RangeError(`rows has ${rows.length} numbers; allowed: ${count} × ${rowInputs}`);
    return {
      ...(sharedInputs > 0 && { shared: [shared, [groups, sharedInputs]] }),
      rows: [rows, [count, rowInputs]],
    };
  }

  /** Multiplications of a forward pass. */
  private work({ groups, rowsPerGroup }: MlpBatch): number {
    const { sizes, shape } = this;
    const perRow = sizes.slice(2).reduce((sum, width, k) => sum + width * sizes[k + 1], shape.rowInputs * sizes[1]);
    return groups * (shape.sharedInputs * sizes[1] + rowsPerGroup * perRow);
  }
}

/** Forward pass with `h1`, `h2`, … and `outputs`, and backward pass. */
function mlpGraph({ sharedInputs, rowInputs }: MlpShape, sizes: readonly number[]): Graph {
  const g = new Graph();
  const depth = sizes.length - 1;
  const isSplit = sharedInputs > 0;
  const shapes = sizes.slice(1).flatMap((width, k) => [[k === 0 ? rowInputs : sizes[k], width], [width]]);
  if (isSplit) shapes.unshift([sharedInputs, sizes[1]]);
  const lengths = shapes.map((shape) => shape.reduce((a, b) => a * b));
  /** Matrix and bias of each layer, in pairs. */
  const w = g.split(g.input('parameters'), lengths).map((part, k) => g.reshape(part, shapes[k]));
  const ofShared = isSplit ? w.splice(0, 1)[0] : '';
  const nameOf = (k: number): string => (k === depth ? 'outputs' : `h${k}`);
  /** relu?(x·matrix + bias), one operation. */
  const affine = (x: string, matrix: string, bias: string, isLinear: boolean, name?: string): string => {
    const fused = isLinear ? 'list { s: "BiasAdd" }' : 'list { s: "BiasAdd" s: "Relu" }';
    return g.op('_FusedMatMul', [x, matrix, bias], { T: FLOAT, num_args: 'i: 1', fused_ops: fused }, name);
  };
  g.input('rows');
  /** [G, U, H]. */
  let grouped = '';
  if (isSplit) {
    const count = g.slice(g.op('Shape', [g.input('shared')]), [0], [1], INT);
    grouped = g.concat([count, g.ints([-1, sizes[1]])], undefined, INT);
    const common = g.reshape(affine('shared', ofShared, w[1], true), [-1, 1, sizes[1]]);
    const sum = g.op('AddV2', [common, g.reshape(g.matMul('rows', w[0]), grouped)]);
    g.reshape(depth > 1 ? g.op('Relu', [sum]) : sum, [-1, sizes[1]], nameOf(1));
  }
  for (let k = isSplit ? 1 : 0; k < depth; k++)
    affine(k === 0 ? 'rows' : `h${k}`, w[2 * k], w[2 * k + 1], k === depth - 1, nameOf(k + 1));

  /** xᵀ·dz; TensorFlow's product is up to four times faster with the smaller side first, so some are made transposed. */
  const product = (x: string, dz: string, isTransposed = false): string =>
    isTransposed ? g.op('Transpose', [g.matMul(dz, x, true), g.ints([1, 0])]) : g.matMul(x, dz, true);
  const gradients: string[] = [];
  let dz = g.reshape(g.input('dOutputs'), [-1, sizes[depth]]);
  for (let k = depth - 1; k > 0; k--) {
    gradients.unshift(product(`h${k}`, dz, sizes[k] > sizes[k + 1]), g.op('BiasAddGrad', [dz]));
    dz = g.op('ReluGrad', [g.matMul(dz, w[2 * k], false, true), `h${k}`]);
  }
  const first = [product('rows', dz)];
  if (isSplit) {
    dz = g.op('Sum', [g.reshape(dz, grouped), g.ints([1])]);
    first.unshift(product('shared', dz));
  }
  g.gradient([...first, g.op('BiasAddGrad', [dz]), ...gradients]);
  return g;
}
