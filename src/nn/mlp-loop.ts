import { biasName, checkBatch, weightName, type MlpBatch, type MlpShape } from './mlp-shape';
import type { Parameters } from './parameters';

/**
 * A network's forward pass in plain loops over typed arrays, straight from `parameters.values`: for a few rows it is
 * done before TensorFlow has been called. Sums are in double precision; agrees with TensorFlow to 1e-5.
 */
export class MlpLoop {
  private readonly places: Int32Array;
  private readonly factors: Float64Array;
  private shared: Float32Array = new Float32Array(0);
  private hidden: [Float32Array, Float32Array] = [new Float32Array(0), new Float32Array(0)];

  constructor(
    private readonly shape: MlpShape,
    private readonly sizes: readonly number[],
    private readonly parameters: Parameters,
  ) {
    const widest = Math.max(...sizes);
    this.places = new Int32Array(widest);
    this.factors = new Float64Array(widest);
  }

  /** Outputs [G·U, O]. */
  predict(batch: MlpBatch): Float32Array {
    checkBatch(this.shape, batch);
    const { groups, rowsPerGroup, shared, rows } = batch;
    const { sharedInputs, rowInputs, outputs } = this.shape;
    const { parameters: p, sizes } = this;
    const depth = sizes.length - 1;
    const count = groups * rowsPerGroup;
    const out = new Float32Array(count * outputs);
    this.reserve(groups, count);
    const first = depth === 1 ? out : this.hidden[0];
    const w = p.view(weightName(0));
    const split = sharedInputs * sizes[1];
    if (rowInputs === 0) {
      this.layer(shared, count, sharedInputs, w, sizes[1], p.view(biasName(0)), count, depth > 1, first);
    } else {
      // The shared product takes the bias' place: one for every group.
      this.layer(shared, groups, sharedInputs, w, sizes[1], p.view(biasName(0)), groups, false, this.shared);
      this.layer(rows, count, rowInputs, w.subarray(split), sizes[1], this.shared, rowsPerGroup, depth > 1, first);
    }
    for (let k = 1; k < depth; k++) {
      const x = this.hidden[(k - 1) % 2];
      const y = k === depth - 1 ? out : this.hidden[k % 2];
      this.layer(x, count, sizes[k], p.view(weightName(k)), sizes[k + 1], p.view(biasName(k)), count, k < depth - 1, y);
    }
    return out;
  }

  /** y [R, N] = x [R, K]·w [K, N] + bias, negatives cut off if `relu`; every `perBias` rows have the next bias [N]. */
  private layer(
    x: Float32Array,
    rows: number,
    inputs: number,
    w: Float32Array,
    width: number,
    bias: Float32Array,
    perBias: number,
    relu: boolean,
    y: Float32Array,
  ): void {
    const { places, factors } = this;
    const floor = relu ? 0 : -Infinity;
    for (let r = 0; r < rows; r++) {
      // Half of what comes out of a ReLU is 0: only the others are multiplied.
      let count = 0;
      for (let k = 0, q = r * inputs; k < inputs; k++, q++) {
        if (x[q] === 0) continue;
        places[count] = k * width;
        factors[count++] = x[q];
      }
      const b = Math.floor(r / perBias) * width;
      const o = r * width;
      let j = 0;
      for (; j + 8 <= width; j += 8) {
        let a0 = bias[b + j];
        let a1 = bias[b + j + 1];
        let a2 = bias[b + j + 2];
        let a3 = bias[b + j + 3];
        let a4 = bias[b + j + 4];
        let a5 = bias[b + j + 5];
        let a6 = bias[b + j + 6];
        let a7 = bias[b + j + 7];
        for (let q = 0; q < count; q++) {
          const f = factors[q];
          const p = places[q] + j;
          a0 += f * w[p];
          a1 += f * w[p + 1];
          a2 += f * w[p + 2];
          a3 += f * w[p + 3];
          a4 += f * w[p + 4];
          a5 += f * w[p + 5];
          a6 += f * w[p + 6];
          a7 += f * w[p + 7];
        }
        y[o + j] = a0 < floor ? floor : a0;
        y[o + j + 1] = a1 < floor ? floor : a1;
        y[o + j + 2] = a2 < floor ? floor : a2;
        y[o + j + 3] = a3 < floor ? floor : a3;
        y[o + j + 4] = a4 < floor ? floor : a4;
        y[o + j + 5] = a5 < floor ? floor : a5;
        y[o + j + 6] = a6 < floor ? floor : a6;
        y[o + j + 7] = a7 < floor ? floor : a7;
      }
      for (; j < width; j++) {
        let a = bias[b + j];
        for (let q = 0; q < count; q++) a += factors[q] * w[places[q] + j];
        y[o + j] = a < floor ? floor : a;
      }
    }
  }

  private reserve(groups: number, rows: number): void {
    const { sizes } = this;
    const widest = Math.max(...sizes.slice(1));
    if (this.shared.length < groups * sizes[1]) this.shared = new Float32Array(groups * sizes[1]);
    if (this.hidden[0].length < rows * widest)
      this.hidden = [new Float32Array(rows * widest), new Float32Array(rows * widest)];
  }
}
