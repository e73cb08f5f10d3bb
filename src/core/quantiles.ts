/**
 * Quantiles of a stream in constant memory: counts in bins that split every octave [2^e, 2^(e+1)) into 2^13 equal parts,
 * so that a quantile is within a relative error of 2^−14, 0.006 %. The bin of a value is the upper bits of its floating
 * point form, so no logarithm is taken (HdrHistogram, G. Tene; DDSketch, Masson et al., VLDB 2019).
 */
const MANTISSA_BITS = 13;
/** Values outside [2^−20, 2^24) count as the nearest end: 1 µs to half a year, in seconds. */
const LEAST = 2 ** -20;
const GREATEST = 2 ** 24;

const value64: Float64Array = new Float64Array(1);
const halves: Uint32Array = new Uint32Array(value64.buffer);
/** Which half holds sign, exponent and the first 20 bits of the mantissa. */
const UPPER: number = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** The upper bits of a positive number: its exponent and the first bits of its mantissa. */
function upperBits(value: number): number {
  value64[0] = value;
  return halves[UPPER] >>> (20 - MANTISSA_BITS);
}

const FIRST: number = upperBits(LEAST);
const BINS: number = upperBits(GREATEST) - FIRST;

export class Quantiles {
  /** Values added. */
  count = 0;
  private readonly bins: Float64Array = new Float64Array(BINS);

  /** NaN is counted like a value below all others. */
  add(value: number): void {
    const bin = value >= LEAST ? Math.min(BINS - 1, upperBits(value) - FIRST) : 0;
    this.bins[bin]++;
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
    for (let bin = 0; bin < BINS; bin++) {
      seen += this.bins[bin];
      if (seen >= rank) return middleOf(bin);
    }
    return middleOf(BINS - 1);
  }
}

/** The middle of a bin. */
function middleOf(bin: number): number {
  const steps = 2 ** MANTISSA_BITS;
  return LEAST * 2 ** Math.floor(bin / steps) * (1 + ((bin % steps) + 0.5) / steps);
}
