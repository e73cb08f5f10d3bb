/** Arithmetic mean; NaN without values. Note: summed in order, so that a stored mean comes back to the last bit. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < values.length; k++) sum += values[k];
  return sum / values.length;
}

const quantiles: readonly number[] = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604, 2.1448, 2.1314,
  2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
];

/** The 97.5 % quantile of Student's t with v degrees of freedom; beyond 30 degrees of freedom from that of the normal (Cornish and Fisher). */
export function studentQuantile(v: number): number {
  if (v < 1) return Number.NaN;
  if (v <= quantiles.length) return quantiles[v - 1];
  const z = 1.959964;
  return z + (z ** 3 + z) / (4 * v) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * v * v);
}

/** A mean of n values with the ends of its 95 % interval; NaN with fewer than two. */
export interface Interval {
  readonly mean: number;
  readonly lo: number;
  readonly hi: number;
  readonly n: number;
}

/** Sample variance, Σ(x − x̄)²/(n − 1); NaN with fewer than two values. */
export function sampleVariance(values: readonly number[]): number {
  const centre = mean(values);
  return values.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (values.length - 1);
}

/** Student's 95 % interval of the mean of independent values, x̄ ± t_{0.975, n−1}·s/√n. */
export function meanInterval(values: readonly number[]): Interval {
  const n = values.length;
  const centre = mean(values);
  const halfWidth = studentQuantile(n - 1) * Math.sqrt(sampleVariance(values) / n);
  return { mean: centre, lo: centre - halfWidth, hi: centre + halfWidth, n };
}

/**
 * P(T > t) of Student's t with an even number of degrees of freedom v, in closed form (Abramowitz and Stegun 26.7.4):
 * P(|T| ≤ t) = sin θ·(1 + ½·cos² θ + … + (1·3⋯(v−3))/(2·4⋯(v−2))·cos^{v−2} θ), θ = atan(t/√v).
 *
 * @throws RangeError when v is not even and positive.
 */
export function studentUpperTail(t: number, degreesOfFreedom: number): number {
  const v = degreesOfFreedom;
  if (!(v > 0 && v % 2 === 0)) throw new RangeError(`degreesOfFreedom is ${v}; allowed: an even number > 0`);
  const angle = Math.atan(t / Math.sqrt(v));
  const square = Math.cos(angle) ** 2;
  let term = 1;
  let sum = 1;
  for (let k = 1; 2 * k <= v - 2; k++) {
    term *= (square * (2 * k - 1)) / (2 * k);
    sum += term;
  }
  return (1 - Math.sin(angle) * sum) / 2;
}
