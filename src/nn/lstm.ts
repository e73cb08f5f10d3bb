import type { Rng } from '../core/rng';
import { addTo } from './accumulate';
import { uniformInit } from './init';
import { kernels as bestKernels, type Kernels, type LstmStates, type Tensor } from './kernels';
import { tensorflow } from './backend';
import { Parameters } from './parameters';
import type { Tfjs } from './tfjs';

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

/** Rows at once in `stepGradients`: temporary arrays of all rows cost more memory traffic than the sums. */
const PIECE_ROWS = 2000;

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
    const x0 = k.tensor(inputs, [steps, batch, this.shape.inputs]);
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
   * @returns ∂loss/∂inputs [T, B, I] if `wantInputs`, else an empty array.
   */
  backward(tape: LstmTape, dOutputs: Float32Array, wantInputs = false): Float32Array {
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
      addTo(p.gradientView(`lstm ${layer} weights`), k.read(gradients.weights));
      addTo(p.gradientView(`lstm ${layer} bias`), k.read(gradients.bias));
      for (const t of [gradients.weights, gradients.bias, dh]) t.dispose();
      dh = gradients.x;
    }
    const dInputs = wantInputs ? k.read(dh) : new Float32Array(0);
    dh.dispose();
    tape.dispose();
    return dInputs;
  }

  /**
   * The change of a step's outputs for a small change of that same step's inputs, all earlier steps held as they were:
   * ∂y_t/∂x_t, for every step of every sequence. Unlike `backward` it does not run through time, and the tape stays
   * usable.
   *
   * @returns one [T, B, I] per head.
   */
  stepGradients(tape: LstmTape): Float32Array[] {
    const found = this.tapes.get(tape);
    if (found === undefined) throw new Error('stepGradients: this tape is not of this network, or was used');
    const { steps, batch, layers } = found;
    const k = this.kernels();
    const { tf } = tensorflow();
    const h = this.hidden;
    const w = this.upload(k);
    const gradients = Array.from({ length: this.outputs }, () => new Float32Array(steps * batch * this.shape.inputs));
    const atOnce = Math.max(1, Math.round(PIECE_ROWS / batch));
    const piece = (from: number, count: number): void => {
      // ∂y/∂h of the top layer: the column of each head, the same for every step and sequence.
      let dh = tf.split(tf.reshape(w.head, [h, this.outputs]), this.outputs, 1).map((d) => tf.reshape(d, [1, h]));
      for (let layer = this.layers - 1; layer >= 0; layer--) {
        const slopes = tf.reshape(gateSlopes(tf, layers[layer], from, count), [count * batch, 4 * h]);
        const fromInputs = tf.slice(w.cells[layer].weights, [0, 0], [this.inputsOf(layer), 4 * h]);
        dh = dh.map((d) => {
          const all = tf.concat([d, d, d, d], 1);
          return layer === this.layers - 1
            ? tf.matMul(slopes, tf.mul(fromInputs, all), false, true)
            : tf.matMul(tf.mul(slopes, all), fromInputs, false, true);
        });
      }
      dh.forEach((d, o) => {
        gradients[o].set(d.dataSync(), from * batch * this.shape.inputs);
      });
    };
    for (let from = 0; from < steps; from += atOnce)
      tf.tidy(() => {
        piece(from, Math.min(atOnce, steps - from));
      });
    return gradients;
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

  private kernels(): Kernels {
    return this.given ?? bestKernels();
  }

  private upload(k: Kernels): Weights {
    const p = this.parameters;
    if (this.weights?.version === p.version) return this.weights;
    this.dispose();
    const h = this.hidden;
    const cells = Array.from({ length: this.layers }, (_, layer) => ({
      weights: k.tensor(p.view(`lstm ${layer} weights`), p.shape(`lstm ${layer} weights`)),
      bias: k.tensor(p.view(`lstm ${layer} bias`), p.shape(`lstm ${layer} bias`)),
    }));
    const head = k.tensor(p.view('head weights'), [h, this.outputs]);
    this.weights = { version: p.version, cells, head, headBias: k.tensor(p.view('head bias'), [this.outputs]) };
    return this.weights;
  }
}

/**
 * ∂h/∂z of `count` steps, each alone, z being a layer's gates i, f, g, o before their activations, [count, B, 4H]: with
 * ∂h/∂c = o·(1 − tanh²c), it is ∂h/∂c·g·i(1−i), ∂h/∂c·c₋₁·f(1−f), ∂h/∂c·i·(1−g²) and tanh c·o(1−o).
 */
function gateSlopes(tf: Tfjs, states: LstmStates, from: number, count: number): Tensor {
  const [, batch, hidden] = states.c.shape;
  const cut = (x: Tensor, at = from, n = count): Tensor => tf.slice(x, [at, 0, 0], [n, batch, hidden]);
  const slope = (y: Tensor): Tensor => tf.sub(y, tf.mul(y, y));
  const [i, f, o, g, tanhC] = [states.i, states.f, states.o, states.g, states.tanhC].map((x) => cut(x));
  const dc = tf.sub(o, tf.mul(o, tf.mul(tanhC, tanhC)));
  const before =
    from > 0 ? cut(states.c, from - 1) : tf.concat([tf.zeros([1, batch, hidden]), cut(states.c, 0, count - 1)], 0);
  const dci = tf.mul(dc, i);
  const parts = [
    tf.mul(tf.mul(dc, g), slope(i)),
    tf.mul(tf.mul(dc, before), slope(f)),
    tf.sub(dci, tf.mul(dci, tf.mul(g, g))),
    tf.mul(tanhC, slope(o)),
  ];
  return tf.concat(parts, 2);
}
