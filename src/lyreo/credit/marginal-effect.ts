import { ASSIGNED_FEATURES, type Rollout } from '../rollout';
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
 * @param gradients of the three heads in what is assigned, [S·T, ASSIGNED_FEATURES] each.
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
      const at = (s * T + t) * ASSIGNED_FEATURES;
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
export function againstPolicy({ servers: S, actions, allLogProbs }: Rollout, effect: Float64Array): Float32Array {
  const credit = new Float32Array(actions.length);
  for (let d = 0; d < credit.length; d++) {
    let mean = 0;
    for (let k = d * S; k < (d + 1) * S; k++) mean += Math.exp(allLogProbs[k]) * effect[k];
    credit[d] = effect[d * S + actions[d]] - mean;
  }
  return credit;
}
