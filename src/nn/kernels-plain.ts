import type { Kernels } from './kernels';
import { plainLstm, plainLstmGrad } from './lstm-plain';
import type { Tensor, Tfjs } from './tfjs';

/** The same operations as `nativeKernels` in public tfjs calls; the LSTM is a loop over its steps. */
export function plainKernels(tf: Tfjs): Kernels {
  const matMul = (a: Tensor, b: Tensor, ta = false, tb = false): Tensor => tf.matMul(a, b, ta, tb);
  const tensor = (values: Float32Array, shape: readonly number[]): Tensor =>
    tf.tensor(values.slice(), shape, 'float32');
  return {
    native: false,
    tensor,
    read: (x) => x.dataSync(),
    matMul,
    biasAdd: (x, bias) => tf.add(x, bias),
    relu: (x) => tf.relu(x),
    reluGrad: (dy, y) => tf.tidy(() => tf.mul(dy, tf.step(y))),
    sumRows: (x) => tf.sum(x, 0),
    addGroups: (shared, rows) =>
      tf.tidy(() => {
        const [groups, width] = shared.shape;
        const total = rows.shape[0];
        return tf.reshape(
          tf.add(tf.reshape(shared, [groups, 1, width]), tf.reshape(rows, [groups, total / groups, width])),
          [total, width],
        );
      }),
    sumGroups: (rows, groups) =>
      tf.tidy(() => {
        const [total, width] = rows.shape;
        return tf.sum(tf.reshape(rows, [groups, total / groups, width]), 1);
      }),
    reshape: (x, shape) => tf.reshape(x, shape),
    lstm: (x, weights, bias) => tf.tidy(() => plainLstm(tf, x, weights, bias)),
    lstmGrad: (x, weights, _bias, states, dh) => tf.tidy(() => plainLstmGrad(tf, x, weights, states, dh)),
  };
}
