import { ASSIGNED_AT, ASSIGNED_FEATURES, PREDICTOR_FEATURES, type Rollout } from '../rollout';
import { BALANCE, EARLIER, LATER } from './server-returns';

/**
 * Bound of Z_s/unit as a weight of the balance credit. In an overloaded system Z grows without end while a single
 * request moves a full server's η by nothing; unbounded, that noise would drown the latency credit.
 */
const LARGEST_QUEUE = 50;

/**
 * The marginal effect of request i on the others of server s, [T·U, S]: the predicted return to go of s, differentiated
 * along the request's contribution to χ_s, q_i(s) = ∇_χ(Q^later + Q^earlier + Z_s·Q^balance)·f_{i,s}, each head times its
 * weight.
 *
 * @param gradients of the three heads, [S·T, PREDICTOR_FEATURES] each.
 * @param weights of the three heads, see `headWeights`.
 */
export function marginalEffect(
  rollout: Rollout,
  gradients: readonly Float32Array[],
  weights: readonly number[],
  balanceUnit: number,
): Float64Array {
  const { slots: T, requests: U, servers: S, contribution } = rollout;
  const effect = new Float64Array(T * U * S);
  const slope = new Float64Array(S * ASSIGNED_FEATURES);
  for (let t = 0; t < T; t++) {
    for (let s = 0; s < S; s++) {
      const at = (s * T + t) * PREDICTOR_FEATURES + ASSIGNED_AT;
      const queue = Math.min(LARGEST_QUEUE, rollout.queue[t * S + s] / balanceUnit);
      for (let f = 0; f < ASSIGNED_FEATURES; f++)
        slope[s * ASSIGNED_FEATURES + f] =
          weights[LATER] * gradients[LATER][at + f] +
          weights[EARLIER] * gradients[EARLIER][at + f] +
          queue * weights[BALANCE] * gradients[BALANCE][at + f];
    }
    // Request by request, as the contributions lie in memory.
    for (let k = t * U * S; k < (t + 1) * U * S; k++) {
      const from = (k % S) * ASSIGNED_FEATURES;
      let q = 0;
      for (let f = 0; f < ASSIGNED_FEATURES; f++) q += slope[from + f] * contribution[k * ASSIGNED_FEATURES + f];
      effect[k] = q;
    }
  }
  return effect;
}

/** q_i(s_i) − Σ_s π(s | i)·q_i(s): the marginal effect of the chosen server less the policy's mean, [T·U]. */
export function againstPolicy(rollout: Rollout, effect: Float64Array): Float32Array {
  const { servers: S } = rollout;
  return Float32Array.from(rollout.actions, (action, d) => {
    let mean = 0;
    for (let s = 0; s < S; s++) mean += Math.exp(rollout.allLogProbs[d * S + s]) * effect[d * S + s];
    return effect[d * S + action] - mean;
  });
}
