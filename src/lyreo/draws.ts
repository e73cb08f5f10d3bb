import type { Rng } from '../core/rng';
import { sample } from '../nn/categorical';

/** How the requests of a slot are drawn from their distributions over the servers. */
export type Draws = 'independent' | 'stratified';

/** Draws a server for each request on its own, [U], from log π(s | i), [U, S]. */
export function independentDraws(logProbs: Float32Array, U: number, S: number, rng: Rng, out: Int32Array): void {
  for (let i = 0; i < U; i++) out[i] = sample(logProbs, i * S, S, rng.uniform());
}

/** The permutation of the slot, kept between slots. */
let order = new Int32Array(0);

/**
 * Randomised systematic sampling: u_i = (u_0 + π(i)/U) mod 1 with one uniform u_0 and one random permutation π per slot,
 * and each request's own distribution inverted at u_i. Each u_i is uniform, so that every request keeps its exact
 * marginal; the U numbers lie evenly in [0, 1), so that a server's count comes within about one of its expectation.
 */
export function stratifiedDraws(logProbs: Float32Array, U: number, S: number, rng: Rng, out: Int32Array): void {
  if (order.length < U) order = new Int32Array(2 * U);
  const u0 = rng.uniform();
  // Fisher and Yates, inside out: π of the first i + 1 requests is a random permutation of 0..i.
  for (let i = 0; i < U; i++) {
    const j = rng.int(i + 1);
    order[i] = order[j];
    order[j] = i;
  }
  for (let i = 0; i < U; i++) out[i] = sample(logProbs, i * S, S, (u0 + order[i] / U) % 1);
}
