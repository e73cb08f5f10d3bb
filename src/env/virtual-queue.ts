/** Mean over servers, [S]. */
export function meanOver(values: Float64Array): number {
  let mean = 0;
  for (const x of values) mean += x / values.length;
  return mean;
}

/** Load-balancing deviation, III-E: Y_s = (η_s − η̄)², η̄ the mean over servers; η_s(t) [S], `out` receives Y_s(t), [S]. */
export function balanceDeviation(eta: Float64Array, out: Float64Array): void {
  const mean = meanOver(eta);
  for (let s = 0; s < eta.length; s++) out[s] = (eta[s] - mean) ** 2;
}

/** The virtual queue of a server, IV-A: Z_s(t+1) = max(Z_s(t) + Y_s(t) − ε, 0); Z(1) = 0. */
export function nextQueue(z: number, y: number, epsilon: number): number {
  return Math.max(z + y - epsilon, 0);
}

/** {@link nextQueue} of every server, in place: Z_s, [S], with Y_s(t), [S], and the tolerance ε. */
export function updateVirtualQueue(queue: Float64Array, deviation: Float64Array, tolerance: number): void {
  for (let s = 0; s < queue.length; s++) queue[s] = nextQueue(queue[s], deviation[s], tolerance);
}

/** Lyapunov function, IV-A: L(Z) = ½·Σ Z_s². */
export function lyapunov(queue: Float64Array): number {
  return queue.reduce((sum, z) => sum + z * z, 0) / 2;
}

/** The right-hand side of the drift bound, IV-A: L(Z(t+1)) − L(Z(t)) ≤ ½·Σ (Y_s − ε)² + Σ Z_s·(Y_s − ε). */
export function driftBound(queue: Float64Array, deviation: Float64Array, tolerance: number): number {
  let bound = 0;
  for (let s = 0; s < queue.length; s++) {
    const excess = deviation[s] - tolerance;
    bound += (excess * excess) / 2 + queue[s] * excess;
  }
  return bound;
}
