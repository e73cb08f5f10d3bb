import type { Rng } from '../core/rng';
import { orthogonalInit } from './init';
import { kernels, type Kernels } from './kernels';
import { MlpLoop } from './mlp-loop';
import { checkBatch, mlpSizes, mlpSpecs, mlpWork, weightName, type MlpBatch, type MlpShape } from './mlp-shape';
import type { MlpPass, MlpPasses } from './mlp-passes';
import { Parameters } from './parameters';

/** Multiplications below which loops are faster than TensorFlow (measured: 0.5 ns each against about 0.08 ms). */
const LOOP_WORK = 150_000;

/** A forward pass with what its backward pass needs; `backward` or `dispose` frees it. */
export interface MlpTape {
  /** [G·U, O]. */
  readonly outputs: Float32Array;
  dispose(): void;
}

/**
 * A fully connected network with ReLUs whose first layer is split: h₁ = relu(xs·Ws + xr·Wr + b), where the shared
 * product is computed once per group and added to its U rows. Equal to one matrix [Ws; Wr] on the concatenation [xs, xr].
 *
 * Forward and written-out backward are one call of TensorFlow each (`mlpGraph`); autograd would dispatch a hundred.
 */
export class Mlp {
  readonly parameters: Parameters;
  /** [Fs + Fr, hidden…, O]. */
  readonly sizes: readonly number[];
  /** Layers with weights, the output's included. */
  readonly depth: number;
  private readonly loop: MlpLoop;
  private readonly given: Kernels | undefined;
  private made: MlpPasses | undefined;
  private readonly tapes = new WeakMap<MlpTape, MlpPass>();

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
    if (mlpWork(this.shape, this.sizes, batch) < LOOP_WORK || !(this.given ?? kernels()).native)
      return this.loop.predict(batch);
    checkBatch(this.shape, batch);
    return this.passes().forward(batch, false).outputs;
  }

  /** Outputs and what `backward` needs. */
  forward(batch: MlpBatch): MlpTape {
    checkBatch(this.shape, batch);
    const pass = this.passes().forward(batch, true);
    const tape: MlpTape = {
      outputs: pass.outputs,
      dispose: () => {
        if (this.tapes.delete(tape)) pass.dispose();
      },
    };
    this.tapes.set(tape, pass);
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
    found.backward(dOutputs);
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
    rowsAtOnce = 4000,
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
    this.made?.dispose();
  }

  private passes(): MlpPasses {
    this.made ??= (this.given ?? kernels()).mlp(this.shape, this.sizes, this.parameters);
    return this.made;
  }
}
