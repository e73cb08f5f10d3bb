import type { Kernels, LstmStates, Tensor } from './kernels';

/**
 * The gradient of an LSTM layer's gates before their activations, from the last step to the first:
 * dh_t = dhOut_t + dz_{t+1}·Whᵀ, dc_t = dc_{t+1}·f_{t+1} + dh_t·o_t·(1 − tanh²c_t), and with them
 * dz_i = dc·g·i(1−i), dz_f = dc·c₋₁·f(1−f), dz_g = dc·i·(1−g²), dz_o = dh·tanh c·o(1−o).
 *
 * @param dhOut ∂loss/∂h from above [T, B, H].
 * @param fromHiddenT Whᵀ [4H, H].
 * @returns dz [T, B, 4H], gates i, f, g, o.
 */
export function lstmGateGradients(
  k: Kernels,
  states: LstmStates,
  dhOut: Float32Array,
  fromHiddenT: Tensor,
  steps: number,
  batch: number,
  hidden: number,
): Float32Array {
  const [I, F, O, G, C, TC] = [states.i, states.f, states.o, states.g, states.c, states.tanhC].map((s) =>
    k.read(s),
  ) as [Float32Array, Float32Array, Float32Array, Float32Array, Float32Array, Float32Array];
  const n = batch * hidden;
  const width = 4 * hidden;
  const dz = new Float32Array(steps * batch * width);
  const dc = new Float32Array(n);
  let dhNext: Float32Array = new Float32Array(n);
  for (let t = steps - 1; t >= 0; t--) {
    gateStep(t, n, hidden, I, F, O, G, C, TC, dhOut, dhNext, dc, dz);
    if (t > 0) dhNext = k.product(dz.subarray(t * batch * width, (t + 1) * batch * width), batch, fromHiddenT);
  }
  return dz;
}

/** One step of the above; `dc` arrives as dc_{t+1}·f_{t+1} and leaves as dc_t·f_t. */
function gateStep(
  t: number,
  n: number,
  hidden: number,
  I: Float32Array,
  F: Float32Array,
  O: Float32Array,
  G: Float32Array,
  C: Float32Array,
  TC: Float32Array,
  dhOut: Float32Array,
  dhNext: Float32Array,
  dc: Float32Array,
  dz: Float32Array,
): void {
  for (let row = 0, j = 0, q = t * n, z = 4 * t * n; row * hidden < n; row++, z += 3 * hidden) {
    for (let u = 0; u < hidden; u++, j++, q++, z++) {
      const i = I[q];
      const f = F[q];
      const o = O[q];
      const g = G[q];
      const tanhC = TC[q];
      const dh = dhOut[q] + dhNext[j];
      const d = dc[j] + dh * o * (1 - tanhC * tanhC);
      dz[z] = d * g * i * (1 - i);
      dz[z + hidden] = t === 0 ? 0 : d * C[q - n] * f * (1 - f);
      dz[z + 2 * hidden] = d * i * (1 - g * g);
      dz[z + 3 * hidden] = dh * tanhC * o * (1 - o);
      dc[j] = d * f;
    }
  }
}
