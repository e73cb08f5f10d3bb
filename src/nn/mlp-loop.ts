import type { Mlp, MlpBatch } from './mlp';

/**
 * A network's outputs [G·U, O] in plain loops over typed arrays, straight from its parameters: for a few rows it is done
 * before TensorFlow has been called. Sums are in double precision; agrees with TensorFlow to 1e-5.
 */
export function mlpLoop(net: Mlp, { groups, rowsPerGroup, shared, rows }: MlpBatch): Float32Array {
  const { sharedInputs, rowInputs } = net.shape;
  const count = groups * rowsPerGroup;
  const [weights, bias] = net.layer(0);
  // The shared product takes the bias' place: one for every group.
  const common = layer(shared, groups, sharedInputs, weights, bias, groups, false);
  const own = weights.subarray(sharedInputs * bias.length);
  let y = layer(rows, count, rowInputs, own, common, rowsPerGroup, net.depth > 1);
  for (let k = 1; k < net.depth; k++) y = layer(y, count, net.sizes[k], ...net.layer(k), count, k < net.depth - 1);
  return y;
}

/** y [R, N] = x [R, K]·w [K, N] + bias, negatives cut off if `relu`; every `perBias` rows have the next bias [N]. */
function layer(
  x: Float32Array,
  rows: number,
  inputs: number,
  w: Float32Array,
  bias: Float32Array,
  perBias: number,
  relu: boolean,
): Float32Array {
  const width = bias.length / (rows / perBias);
  const y = new Float32Array(rows * width);
  // A row's inputs that are not 0, where their weights begin, and its sums.
  const factors = new Float64Array(inputs + 3);
  const places = new Int32Array(inputs + 3);
  const sums = new Float64Array(width);
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
  return y;
}
