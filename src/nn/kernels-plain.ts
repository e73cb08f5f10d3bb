import type { Kernels } from './kernels';
import { plainLstm, plainLstmGrad, plainStepGrad } from './lstm-plain';
import { plainMlp } from './mlp-plain';
import type { Tensor, Tfjs } from './tfjs';

/** The same operations as `nativeKernels` in public tfjs calls; the LSTM is a loop over its steps. */
export function plainKernels(tf: Tfjs): Kernels {
  const matMul = (a: Tensor, b: Tensor, ta = false, tb = false): Tensor => tf.matMul(a, b, ta, tb);
  const tensor = (values: Float32Array, shape: readonly number[]): Tensor =>
    tf.tensor(values.slice(), shape, 'float32');
  return {
    native: false,
    mlp: (...network) => plainMlp(tf, ...network),
    tensor,
    read: (x) => x.dataSync(),
    matMul,
    biasAdd: (x, bias) => tf.add(x, bias),
    sumRows: (x) => tf.sum(x, 0),
    reshape: (x, shape) => tf.reshape(x, shape),
    lstm: (x, weights, bias) => tf.tidy(() => plainLstm(tf, x, weights, bias)),
    lstmGrad: (x, weights, bias, _states, dh) => tf.tidy(() => plainLstmGrad(tf, x, weights, bias, dh)),
    lstmStepGrad: (states, dhs) => tf.tidy(() => dhs.map((dh) => plainStepGrad(tf, states, dh))),
  };
}
