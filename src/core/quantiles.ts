/**
 * Quantiles of a stream in constant memory: counts in bins whose edges grow geometrically, so that every quantile is
 * within a relative error of `ACCURACY` (DDSketch, Masson et al., VLDB 2019). Values below LEAST count as LEAST.
 */
const ACCURACY = 1e-4;
const LEAST = 1e-6;
const GREATEST = 1e7;
const LOG_GAMMA = Math.log((1 + ACCURACY) / (1 - ACCURACY));
const BINS = Math.ceil(Math.log(GREATEST / LEAST) / LOG_GAMMA) + 1;

export class Quantiles {
  /** Values added. */
  count = 0;
  private readonly bins: Float64Array = new Float64Array(BINS);

  add(value: number): void {
    const bin = value <= LEAST ? 0 : Math.min(BINS - 1, Math.ceil(Math.log(value / LEAST) / LOG_GAMMA));
    this.bins[bin]!++;
    this.count++;
  }

  /**
   * The q-quantile, q in [0, 1]: the value that a share q of all values does not exceed, within 0.01 %; NaN without
   * values.
   */
  quantile(q: number): number {
    const rank = q * (this.count - 1);
    let seen = 0;
    for (let bin = 0; bin < BINS; bin++) {
      seen += this.bins[bin] as number;
      if (seen > rank) return bin === 0 ? LEAST : (LEAST * 2 * Math.exp(bin * LOG_GAMMA)) / (Math.exp(LOG_GAMMA) + 1);
    }
    return Number.NaN;
  }
}
