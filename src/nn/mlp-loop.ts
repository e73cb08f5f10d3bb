import type { Mlp, MlpBatch } from './mlp';

/** Kept between calls: what is between layers, and a row's inputs that are not 0, its sums, and where weights begin. */
let kept = [0, 1, 2].map(() => new Float32Array(0));
let [factors, sums] = [0, 1].map(() => new Float64Array(0));
let places = new Int32Array(0);

/**
 * A network's outputs [G·U, O] in plain loops over typed arrays, straight from its parameters: for a few rows it is done
 * before TensorFlow has been called. Sums are in double precision; agrees with TensorFlow to 1e-5.
 */
export function mlpLoop({ shape, sizes, depth, parameters: p }: Mlp, batch: MlpBatch): Float32Array {
  const { groups, rowsPerGroup, shared, rows } = batch;
  const { sharedInputs, rowInputs, outputs } = shape;
  const count = groups * rowsPerGroup;
  const widest = Math.max(...sizes);
  if (places.length < widest + 4) {
    [factors, sums] = [0, 1].map(() => new Float64Array(widest + 4));
    places = new Int32Array(widest + 4);
  }
  if (kept[0].length < count * widest) kept = kept.map(() => new Float32Array(count * widest));
  const out = new Float32Array(count * outputs);
  const weights = p.view('layer 0 weights');
  // The shared product takes the bias' place: one for every group.
  layer(shared, groups, sharedInputs, weights, p.view('layer 0 bias'), groups, sizes[1], false, kept[2]);
  const own = weights.subarray(sharedInputs * sizes[1]);
  layer(rows, count, rowInputs, own, kept[2], rowsPerGroup, sizes[1], depth > 1, depth === 1 ? out : kept[0]);
  for (let k = 1; k < depth; k++) {
    const [w, b] = [p.view(`layer ${k} weights`), p.view(`layer ${k} bias`)];
    const y = k === depth - 1 ? out : kept[k % 2];
    layer(kept[(k - 1) % 2], count, sizes[k], w, b, count, sizes[k + 1], k < depth - 1, y);
  }
  return out;
}

/** y [R, N] = x [R, K]·w [K, N] + bias, negatives cut off if `relu`; every `perBias` rows have the next bias [N]. */
function layer(
  x: Float32Array,
  rows: number,
  inputs: number,
  w: Float32Array,
  bias: Float32Array,
  perBias: number,
  width: number,
  relu: boolean,
  y: Float32Array,
): void {
  for (let r = 0; r < rows; r++) {
    // Half of the outputs of a ReLU are 0: only the others are multiplied.
    let count = 0;
    for (let k = 0; k < inputs; k++) {
      const factor = x[r * inputs + k];
      if (factor === 0) continue;
      places[count] = k * width;
      factors[count++] = factor;
    }
    factors.fill(0, count, count + 3);
    places.fill(0, count, count + 3);
    const b = Math.floor(r / perBias) * width;
    for (let j = 0; j < width; j++) sums[j] = bias[b + j];
    // Four inputs at once: twice as fast as one after the other.
    for (let q = 0; q < count; q += 4) {
      const [f0, f1, f2, f3] = [factors[q], factors[q + 1], factors[q + 2], factors[q + 3]];
      const [p0, p1, p2, p3] = [places[q], places[q + 1], places[q + 2], places[q + 3]];
      for (let j = 0; j < width; j++)
        sums[j] = sums[j] + f0 * w[p0 + j] + f1 * w[p1 + j] + f2 * w[p2 + j] + f3 * w[p3 + j];
    }
    for (let j = 0; j < width; j++) y[r * width + j] = relu && sums[j] < 0 ? 0 : sums[j];
  }
}
