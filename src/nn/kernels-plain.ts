import type { Kernels } from './kernels';
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
        const [groups = 0, width = 0] = shared.shape;
        const total = rows.shape[0] ?? 0;
        return tf.reshape(
          tf.add(tf.reshape(shared, [groups, 1, width]), tf.reshape(rows, [groups, total / groups, width])),
          [total, width],
        );
      }),
    sumGroups: (rows, groups) =>
      tf.tidy(() => {
        const [total = 0, width = 0] = rows.shape;
        return tf.sum(tf.reshape(rows, [groups, total / groups, width]), 1);
      }),
    sliceRows: (x, begin, count) => tf.slice(x, [begin, 0], [count, x.shape[1] ?? 0]),
    reshape: (x, shape) => tf.reshape(x, shape),
    product: (values, rows, weights) => {
      const x = tensor(values, [rows, weights.shape[0] ?? 0]);
      const y = matMul(x, weights);
      const out = y.dataSync();
      x.dispose();
      y.dispose();
      return out;
    },
    lstm: (x, weights, bias) =>
      tf.tidy(() => {
        const [batch = 0] = x.shape.slice(1);
        const hidden = (bias.shape[0] ?? 0) / 4;
        let h: Tensor = tf.zeros([batch, hidden]);
        let c: Tensor = tf.zeros([batch, hidden]);
        const kept: { i: Tensor[]; f: Tensor[]; o: Tensor[]; g: Tensor[]; c: Tensor[]; tanhC: Tensor[]; h: Tensor[] } =
          {
            i: [],
            f: [],
            o: [],
            g: [],
            c: [],
            tanhC: [],
            h: [],
          };
        for (const xt of tf.unstack(x)) {
          const gates = tf.add(tf.matMul(tf.concat([xt, h], 1), weights), bias);
          const [zi, zf, zg, zo] = tf.split(gates, 4, 1);
          const [i, f, g, o] = [tf.sigmoid(zi), tf.sigmoid(zf), tf.tanh(zg), tf.sigmoid(zo)];
          c = tf.add(tf.mul(f, c), tf.mul(i, g));
          const tanhC = tf.tanh(c);
          h = tf.mul(o, tanhC);
          for (const [name, value] of Object.entries({ i, f, o, g, c, tanhC, h }) as [keyof typeof kept, Tensor][])
            kept[name].push(value);
        }
        return {
          i: tf.stack(kept.i),
          f: tf.stack(kept.f),
          o: tf.stack(kept.o),
          g: tf.stack(kept.g),
          c: tf.stack(kept.c),
          tanhC: tf.stack(kept.tanhC),
          h: tf.stack(kept.h),
        };
      }),
  };
}
