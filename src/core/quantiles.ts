const MANTISSA_BITS = 13;
const STEPS: number = 2 ** MANTISSA_BITS;
/** Values below 2^−20, a microsecond in seconds, count as that. Above there is no limit. */
const LEAST_EXPONENT = -20;
const LEAST: number = 2 ** LEAST_EXPONENT;

const value64: Float64Array = new Float64Array(1);
const halves: Uint32Array = new Uint32Array(value64.buffer);
/** Which half holds sign, exponent and the first 20 bits of the mantissa. */
const UPPER: number = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

function upperBits(value: number): number {
  value64[0] = value;
  return halves[UPPER] >>> (20 - MANTISSA_BITS);
}

const FIRST: number = upperBits(LEAST);

/**
 * Quantiles of a stream in little memory: counts in bins that split every octave [2^e, 2^(e+1)) into 2^13 equal parts,
 * so that a quantile is within a relative error of 2^−14, 0.006 %. An octave takes 64 kB, up to the largest value's. The
 * bin of a value is the upper bits of its floating point form, so no logarithm is taken (HdrHistogram, G. Tene; DDSketch,
 * Masson et al., VLDB 2019).
 */
export class Quantiles {
  count = 0;
  private counts = new Float64Array(0);

  /** NaN is counted like a value below all others. */
  add(value: number): void {
    const bin = value >= LEAST ? upperBits(value) - FIRST : 0;
    if (bin >= this.counts.length) {
      const grown = new Float64Array((Math.floor(bin / STEPS) + 1) * STEPS);
      grown.set(this.counts);
      this.counts = grown;
    }
    this.counts[bin]++;
    this.count++;
  }

  /**
   * The q-quantile, q in [0, 1]: the value that a share q of all values does not exceed, within 0.01 %; NaN without
   * values.
   */
  quantile(q: number): number {
    if (this.count === 0) return Number.NaN;
    // 0.55 · 24000 is 13200.000000000002 in floating point, and still the 13200th.
    const rank = Math.max(1, Math.ceil(q * this.count * (1 - 1e-12)));
    let seen = 0;
    const bin = this.counts.findIndex((count) => (seen += count) >= rank);
    if (bin < 0) throw new Error(`Quantiles.quantile: q is ${q}; allowed: 0 to 1`);
    return 2 ** (LEAST_EXPONENT + Math.floor(bin / STEPS)) * (1 + ((bin % STEPS) + 0.5) / STEPS);
  }
}
