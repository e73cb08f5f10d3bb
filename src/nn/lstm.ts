import type { Rng } from '../core/rng';
import { addTo } from './accumulate';
import { uniformInit } from './init';
import { kernels as bestKernels, type Kernels, type LstmStates, type Tensor } from './kernels';
import { Parameters } from './parameters';

/** The sizes of a predictor. */
export interface LstmShape {
  /** I, inputs per step. */
  readonly inputs: number;
  /** H. Default 64. */
  readonly hidden?: number;
  /** Default 2. */
  readonly layers?: number;
  /** O, linear heads at every step. Default 1. */
  readonly outputs?: number;
  /** Start of the forget gate's bias, on top of the uniform draw. Default 1. */
  readonly forgetBias?: number;
}

/** Windows of T steps, B at a time. */
export interface LstmBatch {
  readonly steps: number;
  readonly batch: number;
  /** [T, B, I], time first. */
  readonly inputs: Float32Array;
}

/** A forward pass with what its backward pass needs; `backward` or `dispose` frees it. */
export interface LstmTape {
  /** [T, B, O]. Causal: a shorter sequence only needs its loss masked, that is a zero gradient behind its end. */
  readonly outputs: Float32Array;
  dispose(): void;
}

interface Activations {
  readonly steps: number;
  readonly batch: number;
  readonly inputs: Tensor;
  readonly layers: readonly LstmStates[];
}

interface Weights {
  readonly version: number;
  /** [I + H, 4H] and [4H] per layer. */
  readonly cells: readonly { readonly weights: Tensor; readonly bias: Tensor }[];
  readonly head: Tensor;
  readonly headBias: Tensor;
}

/** Inputs get zeros up to a multiple of this: TensorFlow's product takes up to four times as long for other widths. */
const LANES = 8;

/** The gates of `lstmStepGrad`, as numbers of those of the weights, i, f, g, o. */
const STEP_GATES = [0, 2, 1, 3];

/**
 * Stacked LSTM layers over a whole window with linear heads at every step; each sequence starts from a zero state.
 * Forward and backward are one fused operation per layer.
 */
export class LstmPredictor {
  readonly parameters: Parameters;
  readonly hidden: number;
  readonly layers: number;
  readonly outputs: number;
  private readonly given: Kernels | undefined;
  private weights: Weights | undefined;
  private readonly tapes = new WeakMap<LstmTape, Activations>();

  /** Draws all parameters from U(±1/√H), as PyTorch does. */
  constructor(
    readonly shape: LstmShape,
    rng: Rng,
    given?: Kernels,
  ) {
    this.given = given;
    this.hidden = shape.hidden ?? 64;
    this.layers = shape.layers ?? 2;
    this.outputs = shape.outputs ?? 1;
    const h = this.hidden;
    this.parameters = new Parameters([
      ...Array.from({ length: this.layers }, (_, layer) => [
        { name: `lstm ${layer} weights`, shape: [this.inputsOf(layer) + h, 4 * h] },
        { name: `lstm ${layer} bias`, shape: [4 * h] },
      ]).flat(),
      { name: 'head weights', shape: [h, this.outputs] },
      { name: 'head bias', shape: [this.outputs] },
    ]);
    uniformInit(this.parameters.values, 1 / Math.sqrt(h), rng);
    for (let layer = 0; layer < this.layers; layer++) {
      const bias = this.parameters.view(`lstm ${layer} bias`);
      for (let k = h; k < 2 * h; k++) bias[k] = bias[k] + (shape.forgetBias ?? 1);
    }
  }

  /** Outputs [T, B, O] alone. */
  predict(batch: LstmBatch): Float32Array {
    const tape = this.forward(batch);
    tape.dispose();
    return tape.outputs;
  }

  /** Outputs and what `backward` needs. */
  forward({ steps, batch, inputs }: LstmBatch): LstmTape {
    if (inputs.length !== steps * batch * this.shape.inputs) {
      throw new RangeError(`inputs has ${inputs.length} numbers; allowed: ${steps} × ${batch} × ${this.shape.inputs}`);
    }
    const k = this.kernels();
    const w = this.upload(k);
    const x0 = k.tensor(widened(inputs, this.shape.inputs, this.widthOf(0)), [steps, batch, this.widthOf(0)]);
    const layers: LstmStates[] = [];
    let x = x0;
    for (const cell of w.cells) {
      const states = k.lstm(x, cell.weights, cell.bias);
      layers.push(states);
      x = states.h;
    }
    const top = k.reshape(x, [steps * batch, this.hidden]);
    const product = k.matMul(top, w.head);
    const y = k.biasAdd(product, w.headBias);
    const outputs = k.read(y);
    for (const t of [top, product, y]) t.dispose();
    const tape: LstmTape = {
      outputs,
      dispose: () => {
        if (!this.tapes.delete(tape)) return;
        for (const t of [x0, ...layers.flatMap(({ i, f, o, g, c, tanhC, h }) => [i, f, o, g, c, tanhC, h])])
          t.dispose();
      },
    };
    this.tapes.set(tape, { steps, batch, inputs: x0, layers });
    return tape;
  }

  /**
   * Adds the gradient of the parameters to `parameters.gradient`; frees the tape.
   *
   * @param dOutputs ∂loss/∂outputs [T, B, O].
   */
  backward(tape: LstmTape, dOutputs: Float32Array): void {
    const found = this.tapes.get(tape);
    if (found === undefined) throw new Error('backward: this tape is not of this network, or was used');
    const { steps, batch, inputs, layers } = found;
    const rows = steps * batch;
    if (dOutputs.length !== rows * this.outputs)
      throw new RangeError(`dOutputs has ${dOutputs.length} numbers; the outputs are ${rows * this.outputs}`);
    const k = this.kernels();
    const w = this.upload(k);
    const p = this.parameters;

    const dy = k.tensor(dOutputs, [rows, this.outputs]);
    const top = k.reshape(layers[this.layers - 1]?.h ?? inputs, [rows, this.hidden]);
    const dHead = k.matMul(top, dy, true);
    const dHeadBias = k.sumRows(dy);
    addTo(p.gradientView('head weights'), k.read(dHead));
    addTo(p.gradientView('head bias'), k.read(dHeadBias));
    const dTop = k.matMul(dy, w.head, false, true);
    let dh = k.reshape(dTop, [steps, batch, this.hidden]);
    for (const t of [dy, top, dHead, dHeadBias, dTop]) t.dispose();

    for (let layer = this.layers - 1; layer >= 0; layer--) {
      const cell = w.cells[layer];
      const x = layer === 0 ? inputs : layers[layer - 1].h;
      const gradients = k.lstmGrad(x, cell.weights, cell.bias, layers[layer], dh);
      const dWeights = k.read(gradients.weights);
      const own = p.gradientView(`lstm ${layer} weights`);
      const fromInputs = 4 * this.hidden * this.inputsOf(layer);
      addTo(own.subarray(0, fromInputs), dWeights.subarray(0, fromInputs));
      addTo(own.subarray(fromInputs), dWeights.subarray(4 * this.hidden * this.widthOf(layer)));
      addTo(p.gradientView(`lstm ${layer} bias`), k.read(gradients.bias));
      for (const t of [gradients.weights, gradients.bias, dh]) t.dispose();
      dh = gradients.x;
    }
    dh.dispose();
    tape.dispose();
  }

  /**
   * The change of a step's outputs for a small change of that same step's inputs, all earlier steps held as they were:
   * ∂y_t/∂x_t of chosen steps of chosen sequences. Unlike `backward` it does not run through time, and the tape stays
   * usable.
   *
   * @param rows t·B + b of each of the n steps, [n].
   * @param from the first of `count` neighbouring inputs.
   * @returns one [n, count] per head.
   */
  stepGradients(tape: LstmTape, rows: Int32Array, from: number, count: number): Float32Array[] {
    const found = this.tapes.get(tape);
    if (found === undefined) throw new Error('stepGradients: this tape is not of this network, or was used');
    const { steps, batch, layers } = found;
    const k = this.kernels();
    const [h, top] = [this.hidden, this.layers - 1];
    // ∂y/∂h of the top layer, the column of each head, is the same for every step and goes with the weights.
    let dh = [k.tensor(new Float32Array(steps * batch * h).fill(1), [steps * batch, h])];
    for (let layer = top; layer >= 0; layer--) {
      const gates = k.lstmStepGrad(layers[layer], dh);
      const below = Array.from({ length: this.outputs }, (_, head) => {
        const weights = k.tensor(this.stepWeights(layer, head), [this.widthOf(layer), 4 * h]);
        const product = k.matMul(gates[layer === top ? 0 : head], weights, false, true);
        weights.dispose();
        return product;
      });
      for (const t of [...dh, ...gates]) t.dispose();
      dh = below;
    }
    const width = this.widthOf(0);
    return dh.map((d) => {
      const values = k.read(d);
      d.dispose();
      const gradient = new Float32Array(rows.length * count);
      rows.forEach((row, r) => {
        gradient.set(values.subarray(row * width + from, row * width + from + count), r * count);
      });
      return gradient;
    });
  }

  /** A layer's weights from its inputs, [widthOf(layer), 4H], gates in the order of `lstmStepGrad`; the top layer's times a head's. */
  private stepWeights(layer: number, head: number): Float32Array {
    const { hidden: h, outputs: O, parameters: p } = this;
    const [weights, heads] = [p.view(`lstm ${layer} weights`), p.view('head weights')];
    const out = new Float32Array(this.widthOf(layer) * 4 * h);
    for (let at = 0; at < this.inputsOf(layer) * 4 * h; at += 4 * h)
      STEP_GATES.forEach((gate, k) => {
        for (let unit = 0; unit < h; unit++)
          out[at + k * h + unit] =
            weights[at + gate * h + unit] * (layer === this.layers - 1 ? heads[unit * O + head] : 1);
      });
    return out;
  }

  /** Frees the copies on the device; the network can still be used. */
  dispose(): void {
    const w = this.weights;
    this.weights = undefined;
    if (w !== undefined)
      for (const t of [w.head, w.headBias, ...w.cells.flatMap((c) => [c.weights, c.bias])]) t.dispose();
  }

  private inputsOf(layer: number): number {
    return layer === 0 ? this.shape.inputs : this.hidden;
  }

  /** Inputs of a layer on the device. */
  private widthOf(layer: number): number {
    return layer === 0 ? LANES * Math.ceil(this.shape.inputs / LANES) : this.hidden;
  }

  private kernels(): Kernels {
    return this.given ?? bestKernels();
  }

  private upload(k: Kernels): Weights {
    const p = this.parameters;
    if (this.weights?.version === p.version) return this.weights;
    this.dispose();
    const h = this.hidden;
    const cells = Array.from({ length: this.layers }, (_, layer) => {
      const width = this.widthOf(layer);
      const own = p.view(`lstm ${layer} weights`);
      const inputs = 4 * h * this.inputsOf(layer);
      const weights = new Float32Array(4 * h * (width + h));
      weights.set(own.subarray(0, inputs));
      weights.set(own.subarray(inputs), 4 * h * width);
      return {
        weights: k.tensor(weights, [width + h, 4 * h]),
        bias: k.tensor(p.view(`lstm ${layer} bias`), p.shape(`lstm ${layer} bias`)),
      };
    });
    const head = k.tensor(p.view('head weights'), [h, this.outputs]);
    this.weights = { version: p.version, cells, head, headBias: k.tensor(p.view('head bias'), [this.outputs]) };
    return this.weights;
  }
}

/** Rows of `from` numbers with zeros behind them up to `to`. */
function widened(values: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return values;
  const rows = values.length / from;
  const out = new Float32Array(rows * to);
  for (let r = 0; r < rows; r++) out.set(values.subarray(r * from, (r + 1) * from), r * to);
  return out;
}
