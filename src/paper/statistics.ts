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

/**
 * The interval of the mean of b − a over the seeds that both have: seeds meet the same requests under every method, so
 * that what they have in common drops out.
 */
export function pairedDifference(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): Interval {
  return meanInterval([...a].flatMap(([seed, x]) => (b.has(seed) ? [(b.get(seed) ?? Number.NaN) - x] : [])));
}

/** Quantile of sorted or unsorted values, linear between order statistics (R's type 7). */
export function quantileOf(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

/** Which way a sequence of points goes. */
export interface Trend {
  readonly verdict: 'rises' | 'falls' | 'neither';
  /** Last point less the first, paired over seeds. */
  readonly change: Interval;
  /** Steps between neighbours that go significantly against the change, as indices of their first point. */
  readonly against: readonly number[];
}

/**
 * The rule for "rises with" and "falls with". A sequence rises if (1) the paired 95 % interval of last − first lies
 * above 0 and (2) no step between neighbours falls significantly, its paired 95 % interval below 0. It falls likewise.
 *
 * @param points one map per point, from seed to value, in the order of the swept quantity.
 */
export function trend(points: readonly ReadonlyMap<number, number>[]): Trend {
  const none = new Map<number, number>();
  const change = pairedDifference(points.at(0) ?? none, points.at(-1) ?? none);
  const direction = change.lo > 0 ? 1 : change.hi < 0 ? -1 : 0;
  const against = points.slice(1).flatMap((point, i) => {
    const step = pairedDifference(points[i], point);
    return (direction >= 0 && step.hi < 0) || (direction <= 0 && step.lo > 0) ? [i] : [];
  });
  if (direction === 0 || against.length > 0) return { verdict: 'neither', change, against };
  return { verdict: direction > 0 ? 'rises' : 'falls', change, against };
}
