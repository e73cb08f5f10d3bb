import type { Rng } from '../core/rng';
import { uniformInit } from './init';
import { kernels as bestKernels, type Kernels, type LstmStates, type Tensor } from './kernels';
import { lstmGateGradients } from './lstm-backward';
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
  readonly cells: readonly {
    readonly all: Tensor;
    readonly fromInputs: Tensor;
    readonly fromHiddenT: Tensor;
    readonly bias: Tensor;
  }[];
  readonly head: Tensor;
  readonly headBias: Tensor;
}

/**
 * Stacked LSTM layers over a whole window with linear heads at every step; each sequence starts from a zero state.
 * Forward is one fused operation per layer. Backward runs through time on the gates' gradient alone, one small
 * product per step, and leaves the weights' gradients to three large products (TensorFlow's fused gradient makes them
 * step by step, which takes longer, the more so the smaller the batch).
 */
export class LstmPredictor {
  readonly parameters: Parameters;
  readonly hidden: number;
  readonly layers: number;
  readonly outputs: number;
  private weights: Weights | undefined;
  private readonly tapes = new WeakMap<LstmTape, Activations>();

  /** Draws all parameters from U(±1/√H), as PyTorch does. */
  constructor(
    readonly shape: LstmShape,
    rng: Rng,
    private readonly given?: Kernels,
  ) {
    this.hidden = shape.hidden ?? 64;
    this.layers = shape.layers ?? 2;
    this.outputs = shape.outputs ?? 1;
    const h = this.hidden;
    this.parameters = new Parameters([
      ...Array.from({ length: this.layers }, (_, layer) => [
        { name: `lstm ${String(layer)} weights`, shape: [this.inputsOf(layer) + h, 4 * h] },
        { name: `lstm ${String(layer)} bias`, shape: [4 * h] },
      ]).flat(),
      { name: 'head weights', shape: [h, this.outputs] },
      { name: 'head bias', shape: [this.outputs] },
    ]);
    uniformInit(this.parameters.values, 1 / Math.sqrt(h), rng);
    for (let layer = 0; layer < this.layers; layer++) {
      const bias = this.parameters.view(`lstm ${String(layer)} bias`);
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
      throw new RangeError(
        `inputs has ${String(inputs.length)} numbers; allowed: ${String(steps)} × ${String(batch)} × ${String(this.shape.inputs)}`,
      );
    }
    const k = this.kernels();
    const w = this.upload(k);
    const x0 = k.tensor(inputs, [steps, batch, this.shape.inputs]);
    const layers: LstmStates[] = [];
    let x = x0;
    for (const cell of w.cells) {
      const states = k.lstm(x, cell.all, cell.bias);
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
        for (const t of [x0, ...layers.flatMap((s) => Object.values(s) as Tensor[])]) t.dispose();
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
    this.tapes.delete(tape);
    const { steps, batch, inputs, layers } = found;
    const rows = steps * batch;
    if (dOutputs.length !== rows * this.outputs)
      throw new RangeError(
        `dOutputs has ${String(dOutputs.length)} numbers; the outputs are ${String(rows * this.outputs)}`,
      );
    const k = this.kernels();
    const w = this.upload(k);
    const p = this.parameters;

    const dy = k.tensor(dOutputs, [rows, this.outputs]);
    const top = k.reshape(layers[this.layers - 1]?.h ?? inputs, [rows, this.hidden]);
    const dHead = k.matMul(top, dy, true);
    const dHeadBias = k.sumRows(dy);
    add(p.gradientView('head weights'), k.read(dHead));
    add(p.gradientView('head bias'), k.read(dHeadBias));
    let dh: Tensor | undefined = k.matMul(dy, w.head, false, true);
    for (const t of [dy, top, dHead, dHeadBias]) t.dispose();

    for (let layer = this.layers - 1; layer >= 0; layer--) {
      const states = layers[layer];
      const cell = w.cells[layer];
      const gates = lstmGateGradients(k, states, k.read(dh as Tensor), cell.fromHiddenT, steps, batch, this.hidden);
      (dh as Tensor).dispose();
      dh = undefined;
      const dz = k.tensor(gates, [rows, 4 * this.hidden]);
      const below = layer === 0 ? inputs : layers[layer - 1].h;
      this.addWeights(k, layer, below, states.h, dz, gates, rows, batch);
      if (layer > 0 || wantInputs) dh = k.matMul(dz, cell.fromInputs, false, true);
      dz.dispose();
    }
    tape.dispose();
    if (dh === undefined) return new Float32Array(0);
    const dInputs = k.read(dh);
    dh.dispose();
    return dInputs;
  }

  /** Frees the copies on the device; the network can still be used. */
  dispose(): void {
    const w = this.weights;
    this.weights = undefined;
    if (w !== undefined)
      for (const t of [w.head, w.headBias, ...w.cells.flatMap((c) => Object.values(c) as Tensor[])]) t.dispose();
  }

  /** Adds ∂loss/∂[Wx; Wh] = [xᵀ; h₋₁ᵀ]·dz and ∂loss/∂b = Σ dz of one layer. */
  private addWeights(
    k: Kernels,
    layer: number,
    x: Tensor,
    h: Tensor,
    dz: Tensor,
    gates: Float32Array,
    rows: number,
    batch: number,
  ): void {
    const inputs = this.inputsOf(layer);
    const width = 4 * this.hidden;
    const gradient = this.parameters.gradientView(`lstm ${String(layer)} weights`);
    const x2 = k.reshape(x, [rows, inputs]);
    const dWx = k.matMul(x2, dz, true);
    add(gradient.subarray(0, inputs * width), k.read(dWx));
    const db = k.sumRows(dz);
    add(this.parameters.gradientView(`lstm ${String(layer)} bias`), k.read(db));
    for (const t of [x2, dWx, db]) t.dispose();
    if (rows === batch) return;
    // h of step t−1 meets dz of step t; the state before the first step is zero.
    const h2 = k.reshape(h, [rows, this.hidden]);
    const before = k.sliceRows(h2, 0, rows - batch);
    const after = k.tensor(gates.subarray(batch * width), [rows - batch, width]);
    const dWh = k.matMul(before, after, true);
    add(gradient.subarray(inputs * width), k.read(dWh));
    for (const t of [h2, before, after, dWh]) t.dispose();
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
    const cells = Array.from({ length: this.layers }, (_, layer) => {
      const inputs = this.inputsOf(layer);
      const all = p.view(`lstm ${String(layer)} weights`);
      const recurrent = all.subarray(inputs * 4 * h);
      const transposed = new Float32Array(4 * h * h);
      for (let r = 0; r < h; r++) for (let c = 0; c < 4 * h; c++) transposed[c * h + r] = recurrent[r * 4 * h + c];
      return {
        all: k.tensor(all, [inputs + h, 4 * h]),
        fromInputs: k.tensor(all.subarray(0, inputs * 4 * h), [inputs, 4 * h]),
        fromHiddenT: k.tensor(transposed, [4 * h, h]),
        bias: k.tensor(p.view(`lstm ${String(layer)} bias`), [4 * h]),
      };
    });
    const head = k.tensor(p.view('head weights'), [h, this.outputs]);
    this.weights = { version: p.version, cells, head, headBias: k.tensor(p.view('head bias'), [this.outputs]) };
    return this.weights;
  }
}

function add(out: Float32Array, values: Float32Array): void {
  for (let k = 0; k < values.length; k++) out[k] = out[k] + values[k];
}
