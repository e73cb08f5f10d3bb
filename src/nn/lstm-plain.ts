import type { LstmGradients, LstmStates } from './kernels';
import type { Tensor, Tfjs } from './tfjs';

/** One LSTM layer over a window, step by step: z = [x, h₋₁]·W + b, c = σ(z_f)·c₋₁ + σ(z_i)·tanh(z_g), h = σ(z_o)·tanh c. */
export function plainLstm(tf: Tfjs, x: Tensor, weights: Tensor, bias: Tensor): LstmStates {
  const hidden = bias.shape[0] / 4;
  let h = tf.zeros([x.shape[1], hidden]);
  let c = h;
  const steps = tf.unstack(x).map((xt) => {
    const [zi, zf, zg, zo] = tf.split(tf.add(tf.matMul(tf.concat([xt, h], 1), weights), bias), 4, 1);
    const [i, f, g, o] = [tf.sigmoid(zi), tf.sigmoid(zf), tf.tanh(zg), tf.sigmoid(zo)];
    c = tf.add(tf.mul(f, c), tf.mul(i, g));
    const tanhC = tf.tanh(c);
    h = tf.mul(o, tanhC);
    return { i, f, o, g, c, tanhC, h };
  });
  const all = (name: keyof LstmStates): Tensor => tf.stack(steps.map((s) => s[name]));
  return { i: all('i'), f: all('f'), o: all('o'), g: all('g'), c: all('c'), tanhC: all('tanhC'), h: all('h') };
}

/** Backward through the same steps, by autograd. */
export function plainLstmGrad(tf: Tfjs, x: Tensor, weights: Tensor, bias: Tensor, dh: Tensor): LstmGradients {
  const backward = tf.grads((...p) => plainLstm(tf, p[0], p[1], p[2]).h);
  const [dx, dWeights, dBias] = backward([x, weights, bias], dh);
  return { x: dx, weights: dWeights, bias: dBias };
}

/** c₋₁ of every step, [T, B, H]: the cell state one step later, zero at first. */
export function earlierStates(tf: Tfjs, c: Tensor): Tensor {
  const [steps, batch, hidden] = c.shape;
  return tf.concat([tf.zeros([1, batch, hidden]), tf.slice(c, [0, 0, 0], [steps - 1, batch, hidden])], 0);
}

/**
 * dh·∂h/∂z of every step alone, gates in the order i, g, f, o: with ∂h/∂c = o·(1 − tanh²c), ∂h/∂z is ∂h/∂c·g·i(1−i),
 * ∂h/∂c·i·(1−g²), ∂h/∂c·c₋₁·f(1−f) and tanh c·o(1−o).
 */
export function plainStepGrad(tf: Tfjs, states: LstmStates, dh: Tensor): Tensor {
  const { i, f, o, g, c, tanhC } = states;
  const d = tf.reshape(dh, c.shape);
  const slope = (y: Tensor): Tensor => tf.sub(y, tf.mul(y, y));
  const dc = tf.mul(d, tf.sub(o, tf.mul(o, tf.mul(tanhC, tanhC))));
  const dg = tf.mul(dc, i);
  const gates = [
    tf.mul(tf.mul(dc, g), slope(i)),
    tf.sub(dg, tf.mul(dg, tf.mul(g, g))),
    tf.mul(tf.mul(dc, earlierStates(tf, c)), slope(f)),
    tf.mul(tf.mul(d, tanhC), slope(o)),
  ];
  return tf.reshape(tf.concat(gates, 2), [dh.shape[0], 4 * dh.shape[1]]);
}
