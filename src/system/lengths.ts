import { invalid } from '../core/errors';

/** Φ to about 1e-15: 1/2 + φ(z)·(z + z³/3 + z⁵/15 + …) (Marsaglia 2004, Evaluating the normal distribution). */
export function normalCdf(z: number): number {
  if (z < -8) return 0;
  if (z > 8) return 1;
  let sum = z;
  let term = z;
  for (let n = 3; Math.abs(term) > 1e-17; n += 2) {
    term *= (z * z) / n;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** Cells of the guide table; each says where the search for a uniform in it begins. */
const CELLS = 4096;
/** Lengths whose probability is tabulated; longer ones are found by bisection. */
const TABULATED = 8192;
/** More tokens than any model takes. */
const LONGEST = 2 ** 24;

/**
 * Log-normal lengths in whole tokens, exp(μ + σ·n) with μ = ln(mean) − σ²/2, rounded and at least 1, by inversion: the
 * answer is the first length whose distribution function exceeds u. The table is made once; a draw from it needs no
 * logarithm (method of guide tables, Chen and Asau 1974). The longest length is 8192 tokens, doubled until the cut
 * takes less than a thousandth off the mean.
 *
 * @param field the name of the mean in error messages.
 * @returns the length that belongs to u, uniform on (0, 1).
 * @throws UserError when whole lengths from 1 to 2^24 tokens with this spread miss the mean by more than 1 %.
 */
export function logNormalTokens(field: string, mean: number, sigma: number): (u: number) => number {
  const mu = Math.log(mean) - (sigma * sigma) / 2;
  const spread = Math.max(sigma, 1e-9);
  /** P(l ≤ n); rounding takes all below n + 1/2 to n. */
  const probability = (n: number): number => normalCdf((Math.log(n + 0.5) - mu) / spread);
  /** E[(x − n)⁺] of the log-normal x: the loss of the mean by a cut at n. */
  const beyond = (n: number): number => {
    const z = (Math.log(n) - mu) / spread;
    return mean * normalCdf(spread - z) - n * normalCdf(-z);
  };
  let longest = TABULATED;
  while (beyond(longest) > mean / 1000 && longest < LONGEST) longest *= 2;
  const cdf = new Float64Array(TABULATED).fill(1);
  for (let n = 1; n < longest && n <= TABULATED; n++) {
    cdf[n - 1] = probability(n);
    if (cdf[n - 1] === 1) break;
  }
  const drawn = 1 + cdf.reduce((sum, p) => sum + 1 - p, 0) + beyond(TABULATED) - beyond(longest);
  if (Math.abs(drawn - mean) > mean / 100)
    throw invalid(
      field,
      mean,
      `a mean that whole lengths from 1 to ${LONGEST} tokens can have with a spread of ${sigma} (here ${Number(drawn.toPrecision(4))})`,
    );
  const guide = new Int32Array(CELLS);
  for (let cell = 0, n = 0; cell < CELLS; cell++) {
    while (n < TABULATED - 1 && cdf[n] <= cell / CELLS) n++;
    guide[cell] = n;
  }
  return (u) => {
    if (u >= cdf[TABULATED - 1]) return firstAbove(u, TABULATED + 1, longest);
    let n = guide[Math.floor(u * CELLS)];
    while (cdf[n] <= u) n++;
    return n + 1;
  };

  function firstAbove(u: number, low: number, high: number): number {
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (probability(middle) > u) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
