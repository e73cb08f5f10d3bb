/**
 * Φ, the standard normal distribution function, to about 1e-15: the series 1/2 + φ(z)·(z + z³/3 + z⁵/15 + …)
 * (Marsaglia 2004, Evaluating the normal distribution).
 */
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

/**
 * Log-normal lengths in whole tokens, exp(μ + σ·n) with μ = ln(mean) − σ²/2, rounded and kept within [1, maxTokens], by
 * inversion: the answer is the first length whose distribution function exceeds u. The table is made once; a draw then
 * needs no logarithm (method of guide tables, Chen and Asau 1974).
 *
 * @param mean tokens.
 * @param sigma spread of the logarithm.
 * @returns the length that belongs to u, uniform on (0, 1).
 */
export function logNormalTokens(mean: number, sigma: number, maxTokens: number): (u: number) => number {
  const mu = Math.log(mean) - (sigma * sigma) / 2;
  const spread = Math.max(sigma, 1e-9);
  // cdf[n]: the probability of n + 1 tokens or fewer; rounding takes all below n + 1.5 to them.
  const cdf = new Float64Array(maxTokens).fill(1);
  for (let n = 0; n < maxTokens - 1; n++) {
    cdf[n] = normalCdf((Math.log(n + 1.5) - mu) / spread);
    if (cdf[n] === 1) break;
  }
  const guide = new Int32Array(CELLS);
  for (let cell = 0, n = 0; cell < CELLS; cell++) {
    while (cdf[n] <= cell / CELLS) n++;
    guide[cell] = n;
  }
  return (u) => {
    let n = guide[Math.floor(u * CELLS)];
    while (cdf[n] <= u) n++;
    return n + 1;
  };
}
