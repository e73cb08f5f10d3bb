import { tensorflow } from './backend';
import { nativeKernels } from './kernels-native';
import { plainKernels } from './kernels-plain';
import type { MlpPasses } from './mlp-passes';
import type { MlpShape } from './mlp-shape';
import type { Parameters } from './parameters';
import type { Tensor } from './tfjs';

export type { Tensor } from './tfjs';

/** What an LSTM layer's forward pass keeps for its backward pass; all [T, B, H]. */
export interface LstmStates {
  /** Input gate, after the sigmoid. */
  readonly i: Tensor;
  /** Forget gate, after the sigmoid. */
  readonly f: Tensor;
  /** Output gate, after the sigmoid. */
  readonly o: Tensor;
  /** Candidate, after tanh. */
  readonly g: Tensor;
  /** Cell state c = f·c₋₁ + i·g. */
  readonly c: Tensor;
  /** tanh(c). */
  readonly tanhC: Tensor;
  /** Output h = o·tanh(c). */
  readonly h: Tensor;
}

/** Gradients of an LSTM layer. */
export interface LstmGradients {
  /** [T, B, I]. */
  readonly x: Tensor;
  /** [I + H, 4H]. */
  readonly weights: Tensor;
  /** [4H]. */
  readonly bias: Tensor;
}

/**
 * The operations that the networks are made of. Two implementations agree to rounding: TensorFlow's own kernels, called directly
 * (no autograd), and plain tfjs operations.
 */
export interface Kernels {
  readonly native: boolean;
  /** Copies `values`, row by row, into a matrix; the array may be changed afterwards. */
  tensor(values: Float32Array, shape: readonly number[]): Tensor;
  /** The values, row by row. */
  read(x: Tensor): Float32Array;
  /** a·b, where `a` and `b` are first transposed if asked. */
  matMul(a: Tensor, b: Tensor, transposeA?: boolean, transposeB?: boolean): Tensor;
  /** x [R, H] + bias [H]. */
  biasAdd(x: Tensor, bias: Tensor): Tensor;
  /** Σ over rows: [R, H] → [H]. */
  sumRows(x: Tensor): Tensor;
  /** The same values in another shape. */
  reshape(x: Tensor, shape: readonly number[]): Tensor;
  /** A whole window: x [T, B, I], weights [I + H, 4H] with gates i, f, g, o, bias [4H]; zero initial state. */
  lstm(x: Tensor, weights: Tensor, bias: Tensor): LstmStates;
  /** Backward through the same window, given ∂loss/∂h [T, B, H]. */
  lstmGrad(x: Tensor, weights: Tensor, bias: Tensor, states: LstmStates, dh: Tensor): LstmGradients;
  /**
   * Backward through every step alone: ∂loss/∂z for each of several ∂loss/∂h [T·B, H], z being the gates before their
   * activations, in the order i, g, f, o, [T·B, 4H].
   */
  lstmStepGrad(states: LstmStates, dh: readonly Tensor[]): Tensor[];
  /** The passes of a fully connected network with these parameters. */
  mlp(shape: MlpShape, sizes: readonly number[], parameters: Parameters): MlpPasses;
}

let chosen: Kernels | undefined;

/** The fastest kernels that this machine has; loads TensorFlow at the first call. */
export function kernels(): Kernels {
  if (chosen === undefined) {
    const found = tensorflow();
    chosen = found.kind === 'native' ? nativeKernels(found.tf, found.backend) : plainKernels(found.tf);
  }
  return chosen;
}
