import { estimate, mean } from '../core/statistics';

export { mean };

/** A mean with its 95 % interval. */
export interface Interval {
  readonly mean: number;
  /** Ends of the interval; NaN with fewer than two values. */
  readonly lo: number;
  readonly hi: number;
  /** Values. */
  readonly n: number;
}

/** Sample standard deviation, the root of Σ(x − x̄)²/(n − 1); NaN with fewer than two values. */
export function sampleDeviation(values: readonly number[]): number {
  if (values.length < 2) return Number.NaN;
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (values.length - 1));
}

/**
 * Student's 95 % interval of the mean over seeds, x̄ ± t_{0.975, n−1}·s/√n.
 *
 * @param values one per seed.
 */
export function meanInterval(values: readonly number[]): Interval {
  const n = values.length;
  const { mean: centre, halfWidth } = estimate(values);
  return { mean: centre, lo: centre - halfWidth, hi: centre + halfWidth, n };
}

/** The probability of at least k heads in n throws of a fair coin, Σ_{j≥k} C(n, j)/2ⁿ: the sign test's level. */
export function signTail(k: number, n: number): number {
  let [tail, ways] = [0, 1];
  for (let j = n; j >= k; j--) {
    tail += ways;
    ways = (ways * j) / (n - j + 1);
  }
  return tail / 2 ** n;
}

/** Quantile of sorted or unsorted values, linear between order statistics (R's type 7). */
export function quantileOf(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}
