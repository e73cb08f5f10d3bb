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

/**
 * Backward through the same steps, last first: dh_t = dhOut_t + dz_{t+1}·Whᵀ, dc_t = dc_{t+1}·f_{t+1} + dh_t·o·(1 − tanh²c),
 * dz_i = dc·g·i(1−i), dz_f = dc·c₋₁·f(1−f), dz_g = dc·i·(1−g²), dz_o = dh·tanh c·o(1−o).
 */
export function plainLstmGrad(tf: Tfjs, x: Tensor, weights: Tensor, states: LstmStates, dhOut: Tensor): LstmGradients {
  const [count, batch, inputs] = x.shape;
  const hidden = weights.shape[1] / 4;
  const zero = tf.zeros([batch, hidden]);
  const xs = tf.unstack(x);
  const dhs = tf.unstack(dhOut);
  const [is, fs, os, gs, cs, ts, hs] = (['i', 'f', 'o', 'g', 'c', 'tanhC', 'h'] as const).map((n) =>
    tf.unstack(states[n]),
  );
  const product = (...factors: Tensor[]): Tensor => factors.reduce((a, b) => tf.mul(a, b));
  const slope = (y: Tensor): Tensor => tf.sub(y, tf.mul(y, y));
  const dxs: Tensor[] = [];
  let [dhNext, dcNext] = [zero, zero];
  let dWeights = tf.zeros(weights.shape);
  let dBias = tf.zeros([4 * hidden]);
  for (let t = count - 1; t >= 0; t--) {
    const [i, f, o, g, tanhC] = [is[t], fs[t], os[t], gs[t], ts[t]];
    const dh = tf.add(dhs[t], dhNext);
    const dho = tf.mul(dh, o);
    const dc = tf.add(dcNext, tf.sub(dho, product(dho, tanhC, tanhC)));
    const dci = tf.mul(dc, i);
    const dzf = product(dc, t === 0 ? zero : cs[t - 1], slope(f));
    const dz = tf.concat(
      [product(dc, g, slope(i)), dzf, tf.sub(dci, product(dci, g, g)), product(dh, tanhC, slope(o))],
      1,
    );
    const xh = tf.concat([xs[t], t === 0 ? zero : hs[t - 1]], 1);
    dWeights = tf.add(dWeights, tf.matMul(xh, dz, true));
    dBias = tf.add(dBias, tf.sum(dz, 0));
    const dxh = tf.matMul(dz, weights, false, true);
    dxs.unshift(tf.slice(dxh, [0, 0], [batch, inputs]));
    dhNext = tf.slice(dxh, [0, inputs], [batch, hidden]);
    dcNext = tf.mul(dc, f);
  }
  return { x: tf.stack(dxs), weights: dWeights, bias: dBias };
}
