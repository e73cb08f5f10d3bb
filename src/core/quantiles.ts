/**
 * Quantiles of a stream in little memory: counts in bins that split every octave [2^e, 2^(e+1)) into 2^13 equal parts,
 * so that a quantile is within a relative error of 2^−14, 0.006 %. An octave takes 64 kB from its first value on. The bin of a value is the upper bits of its floating
 * point form, so no logarithm is taken (HdrHistogram, G. Tene; DDSketch, Masson et al., VLDB 2019).
 */
const MANTISSA_BITS = 13;
const STEPS: number = 2 ** MANTISSA_BITS;
/** Values below 2^−20, a microsecond in seconds, count as that. Above there is no limit. */
const LEAST_EXPONENT = -20;
const LEAST: number = 2 ** LEAST_EXPONENT;

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

export class Quantiles {
  count = 0;
  /** Counts by octave from the least, undefined without a value. */
  private readonly octaves: (Float64Array | undefined)[] = [];

  /** NaN is counted like a value below all others. */
  add(value: number): void {
    const bin = value >= LEAST ? upperBits(value) - FIRST : 0;
    const octave = Math.floor(bin / STEPS);
    const counts = (this.octaves[octave] ??= new Float64Array(STEPS));
    counts[bin % STEPS]++;
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
    for (const [octave, counts] of this.octaves.entries()) {
      if (counts === undefined) continue;
      for (let step = 0; step < STEPS; step++) {
        seen += counts[step];
        if (seen >= rank) return middleOf(octave, step);
      }
    }
    throw new Error(`Quantiles.quantile: q is ${q}; allowed: 0 to 1`);
  }
}

function middleOf(octave: number, step: number): number {
  return 2 ** (LEAST_EXPONENT + octave) * (1 + (step + 0.5) / STEPS);
}
