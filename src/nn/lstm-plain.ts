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
