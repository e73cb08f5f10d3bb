import type { Rng } from '../core/rng';
import { FLOAT, Graph, INT } from './graph';
import { type Inputs, type LossGradient, Network } from './network';
import { Parameters, type Shapes } from './parameters';

/** The sizes of a predictor. */
export interface LstmShape {
  /** I, inputs per step. */
  readonly inputs: number;
  /** H. */
  readonly hidden: number;
  readonly layers: number;
  /** O, linear heads at every step. */
  readonly outputs: number;
}

/** Windows of T steps, B at a time. */
export interface LstmBatch {
  readonly steps: number;
  readonly batch: number;
  /** [T, B, I], time first. */
  readonly inputs: Float32Array;
}

/** Inputs of the first layer with zeros up to a multiple of 8: TensorFlow's product takes up to four times as long else. */
const widthOf = (inputs: number): number => 8 * Math.ceil(inputs / 8);

const layersOf = ({ layers }: LstmShape): number[] => Array.from({ length: layers }, (_, k) => k);

/** The seven outputs of a layer's operation: i, c, f, o, g, tanh c and h. */
const statesOf = (k: number): string[] => Array.from({ length: 7 }, (_, port) => `lstm${k}:${port}`);

/**
 * Stacked LSTM layers over a whole window with linear heads at every step, [T, B, O]; each sequence starts from a zero
 * state. Causal: a shorter sequence only needs its loss masked, that is a zero gradient behind its end.
 */
export class LstmPredictor extends Network {
  /**
   * Draws all parameters from U(±1/√H), as PyTorch does; the forget gates' biases are 1 on top. The parameters are
   * `lstm k weights` [I + H, 4H] with gates i, f, g, o, `lstm k bias`, `head weights` [H, O] and `head bias`.
   */
  constructor(
    readonly shape: LstmShape,
    rng: Rng,
  ) {
    const { inputs, hidden: h, outputs } = shape;
    const ofLayers = layersOf(shape).flatMap((k): Shapes => [
      [`lstm ${k} weights`, [(k === 0 ? inputs : h) + h, 4 * h]],
      [`lstm ${k} bias`, [4 * h]],
    ]);
    const parameters = new Parameters([...ofLayers, ['head weights', [h, outputs]], ['head bias', [outputs]]]);
    super(parameters, () => lstmGraph(shape), layersOf(shape).flatMap(statesOf));
    const { values } = parameters;
    for (let k = 0; k < values.length; k++) values[k] = (2 * rng.uniform() - 1) * (1 / Math.sqrt(h));
    for (const layer of layersOf(shape)) {
      const forget = parameters.view(`lstm ${layer} bias`).subarray(h, 2 * h);
      forget.forEach((bias, k) => (forget[k] = bias + 1));
    }
  }

  /** Outputs [T, B, O] alone. */
  predict(batch: LstmBatch): Float32Array {
    return this.fetch(this.inputs(batch))[0];
  }

  /** Adds ∂loss/∂parameters of a batch to the gradient; outputs are [T, B, O]. */
  learn(batch: LstmBatch, lossGradient: LossGradient): void {
    this.backpropagate(this.inputs(batch), lossGradient);
  }

  /**
   * Outputs [T, B, O], and the change of a step's outputs for a small change of that same step's inputs, all earlier
   * steps held as they were: ∂y_t/∂x_t, one [T, B, count] per head. Unlike `learn` it does not run through time.
   *
   * @param from the first of `count` neighbouring inputs.
   */
  stepGradients(batch: LstmBatch, from: number, count: number): { outputs: Float32Array; gradients: Float32Array[] } {
    const width = widthOf(this.shape.inputs);
    const heads = Array.from({ length: this.shape.outputs }, (_, head) => `steps${head}`);
    const [outputs, ...wholes] = this.fetch(this.inputs(batch), ['outputs', ...heads]);
    const gradients = wholes.map((whole) => {
      const gradient = new Float32Array(batch.steps * batch.batch * count);
      return gradient.map((_, k) => whole[Math.floor(k / count) * width + from + (k % count)]);
    });
    return { outputs, gradients };
  }

  private inputs({ steps, batch, inputs }: LstmBatch): Inputs {
    const { inputs: width } = this.shape;
    if (inputs.length !== steps * batch * width)
      throw new RangeError(`inputs has ${inputs.length} numbers; allowed: ${steps} × ${batch} × ${width}`);
    return { x: [inputs, [steps, batch, width]] };
  }
}

/**
 * Forward pass, one fused operation `lstmK` per layer with outputs [T, B, H]; backward pass; and `stepsO`, ∂y/∂x of every
 * step alone for head O, [T·B, width].
 */
function lstmGraph(shape: LstmShape): Graph {
  const g = new Graph();
  const { inputs, hidden: h, layers, outputs } = shape;
  const width = widthOf(inputs);
  const downward = layersOf(shape).reverse();
  /** Rows of a layer's matrix: inputs, zeros, outputs of the step before. */
  const rowsOf = (k: number): number[] => (k === 0 ? [inputs, width - inputs, h] : [h, 0, h]);
  const sizes = layersOf(shape).flatMap((k) => [rowsOf(k)[0] * 4 * h, 4 * h * h, 4 * h]);
  const parts = g.split(g.input('parameters'), [...sizes, h * outputs, outputs]);
  const cells = layersOf(shape).map((k) => {
    const [ofInputs, ofState, bias] = parts.slice(3 * k);
    const zeros = rowsOf(k)[1];
    const all = [ofInputs, ...(zeros > 0 ? [g.zeros(zeros * 4 * h)] : []), ofState];
    return { weights: g.reshape(g.concat(all), [-1, 4 * h]), bias };
  });
  const [headWeights, headBias] = parts.slice(3 * layers);
  const head = g.reshape(headWeights, [h, outputs]);

  const x = g.op('Pad', [g.input('x'), g.ints([0, 0, 0, 0, 0, width - inputs], [3, 2])]);
  const sizeOfX = g.op('Shape', [x]);
  const [steps, batch] = [0, 1].map((k) => g.slice(sizeOfX, [k], [1], INT));
  const scalar = g.op('Reshape', [steps, g.ints([])], { T: INT });
  const count = g.op('Cast', [scalar], { SrcT: INT, DstT: 'type: DT_INT64' });
  const state = g.op('Fill', [g.concat([batch, g.ints([h])], undefined, INT), g.zeros()]);
  const peephole = g.zeros(h);
  const unused = [peephole, peephole, peephole];
  const attributes = { T: FLOAT, use_peephole: 'b: false' };
  const inputsOf = (k: number): string[] => {
    const { weights, bias } = cells[k];
    return [count, k === 0 ? x : `lstm${k - 1}:6`, state, state, weights, ...unused, bias];
  };
  for (const k of layersOf(shape)) g.op('BlockLSTMV2', inputsOf(k), attributes, `lstm${k}`);
  const top = g.reshape(`lstm${layers - 1}:6`, [-1, h]);
  // Not BiasAdd, which TensorFlow fuses with the product; the sums then round otherwise.
  g.op('AddV2', [g.matMul(top, head), headBias], { T: FLOAT }, 'outputs');

  const dy = g.reshape(g.input('dOutputs'), [-1, outputs]);
  const gradients = [g.matMul(top, dy, true), g.op('BiasAddGrad', [dy])];
  let dh = g.reshape(g.matMul(dy, head, false, true), g.op('Shape', [`lstm${layers - 1}:6`]));
  for (const k of downward) {
    const all = [...inputsOf(k), ...statesOf(k), g.op('ZerosLike', [dh]), dh];
    dh = g.op('BlockLSTMGradV2', all, attributes);
    const [ofInputs, , ofState] = g.split(`${dh}:3`, rowsOf(k));
    gradients.unshift(ofInputs, ofState, `${dh}:7`);
  }
  g.gradient(gradients);

  // Every step alone. Without peepholes the operation reads no weights, biases, inputs or outputs: only their shapes
  // must fit. Its gates are in the order i, g, f, o.
  const [weights, bias] = [g.zeros(1 + h, 4 * h), g.zeros(4 * h)];
  const cellsOf = layersOf(shape).map((k) => {
    const [i, c, f, o, candidate, tanhC] = statesOf(k);
    const later = g.op('Pad', [c, g.ints([1, 0, 0, 0, 0, 0], [3, 2])]);
    const bounds = [0, -1, 1].map((bound) => g.ints([bound]));
    const earlier = g.op('StridedSlice', [later, ...bounds], { T: FLOAT, Index: INT });
    const [before, ...states] = [earlier, i, c, f, o, candidate, tanhC].map((y) => g.reshape(y, [-1, h]));
    const none = g.op('ZerosLike', [before]);
    const one = g.slice(none, [0, 0], [-1, 1]);
    return { inputs: [one, before, none, weights, ...unused, bias, ...states, none], none };
  });
  /** ∂/∂z of a layer's gates for ∂/∂h, [T·B, 4H]. */
  const gatesOf = (k: number, d: string): string =>
    `${g.op('LSTMBlockCellGrad', [...cellsOf[k].inputs, d], attributes)}:1`;
  // ∂y/∂h of the top layer, the column of each head, is the same for every step and goes with the weights.
  const ofTop = gatesOf(layers - 1, g.op('OnesLike', [cellsOf[layers - 1].none]));
  for (let o = 0; o < outputs; o++) {
    const column = g.reshape(g.slice(head, [0, o], [h, 1]), [h]);
    let d = '';
    for (const k of downward) {
      const own = g.reshape(g.slice(cells[k].weights, [0, 0], [rowsOf(k)[0] + rowsOf(k)[1], -1]), [-1, 4, h]);
      const types = { Tparams: FLOAT, Tindices: INT, Taxis: INT };
      const ordered = g.op('GatherV2', [own, g.ints([0, 2, 1, 3]), g.ints([1], [])], types);
      const isTop = k === layers - 1;
      const w = g.reshape(isTop ? g.op('Mul', [ordered, column]) : ordered, [-1, 4 * h]);
      d = g.matMul(isTop ? ofTop : gatesOf(k, d), w, false, true);
    }
    g.reshape(d, [-1, width], `steps${o}`);
  }
  return g;
}
