import { ASSIGNED_FEATURES, type Rollout } from '../rollout';
import { spread } from './own';
import { BALANCE, EARLIER, HEADS, LATER } from './server-returns';

/**
 * Bound of Z_s/unit as a weight of the balance credit. In an overloaded system Z grows without end while a single
 * request moves a full server's η by nothing; unbounded, that noise would drown the latency credit.
 */
const LARGEST_QUEUE = 50;

/**
 * The weight of each head's gradients, in [0, 1].
 *
 * A policy's draws are an experiment: the assignment to server s less the policy's mean assignment,
 * a = Σ_i (1[s_i = s] − π(s | i))·f_{i,s}, is independent of everything before. If the predicted effect e = ∇Q·a is
 * right, the outcome y − (Q − e) rises by 1 for each unit of e. The slope of that regression less two standard
 * errors, cut to [0, 1], is the share of the predicted effect that is used: a predictor with a good fit but wrong
 * gradients counts nothing.
 *
 * Note: RUDDER weighs by how well the return is predicted. In an overloaded system nearly all of the return is
 * predictable and next to nothing of it is due to the slot's decision, so that R² says little about credit.
 *
 * @param gradients ∇Q of the three heads by the assigned features, [S·T, ASSIGNED_FEATURES] each.
 * @param predictions Q and `targets` y, [S·T, 3]; both of a rollout the predictor has not learned from.
 */
export function headWeights(
  rollout: Rollout,
  gradients: readonly Float32Array[],
  predictions: Float64Array,
  targets: Float64Array,
): number[] {
  const deviations = assignedDeviation(rollout);
  return gradients.map((gradient, head) => {
    const [q, y] = [predictions, targets].map((all) => all.filter((_, k) => k % HEADS === head));
    const median = q.map(Math.abs).sort()[Math.floor(q.length / 2)];
    const weights = q.map((x) => 1 / (Math.abs(x) + median + 1e-9));
    const predicted = q.map((_, row) => {
      let effect = 0;
      for (let k = row * ASSIGNED_FEATURES; k < (row + 1) * ASSIGNED_FEATURES; k++)
        effect += gradient[k] * deviations[k];
      return effect;
    });
    const effects = predicted.map((e, row) => e * weights[row]);
    const surprises = predicted.map((e, row) => (y[row] - q[row] + e) * weights[row]);
    const squares = effects.reduce((sum, e) => sum + e ** 2, 0);
    if (squares === 0) return 0;
    const slope = effects.reduce((sum, e, row) => sum + e * surprises[row], 0) / squares;
    const variance = effects.reduce((sum, e, row) => sum + (e * (surprises[row] - slope * e)) ** 2, 0);
    return Math.min(1, Math.max(0, slope - (2 * Math.sqrt(variance)) / squares));
  });
}

/** The assignment to each server less the policy's mean assignment, [S·T, ASSIGNED_FEATURES]. */
function assignedDeviation({ slots: T, requests: U, servers: S, ...rollout }: Rollout): Float64Array {
  const { actions, allLogProbs, contribution } = rollout;
  const deviation = new Float64Array(S * T * ASSIGNED_FEATURES);
  for (let d = 0; d < T * U; d++)
    for (let s = 0; s < S; s++) {
      const drawn = (actions[d] === s ? 1 : 0) - Math.exp(allLogProbs[d * S + s]);
      const from = (d * S + s) * ASSIGNED_FEATURES;
      const to = (s * T + Math.floor(d / U)) * ASSIGNED_FEATURES;
      for (let f = 0; f < ASSIGNED_FEATURES; f++) deviation[to + f] += drawn * contribution[from + f];
    }
  return deviation;
}

/**
 * The marginal effect of request i on the others of server s, [T·U, S]: the predicted return to go of s, differentiated
 * along the request's contribution to χ_s, q_i(s) = ∇_χ(Q^later + Q^earlier + Z_s·Q^balance)·f_{i,s}, each head times its
 * weight.
 *
 * @param gradients of the three heads by the assigned features, [S·T, ASSIGNED_FEATURES] each.
 * @param weights of the three heads, see `headWeights`.
 */
export function marginalEffect(
  { slots: T, requests: U, servers: S, contribution, queue }: Rollout,
  gradients: readonly Float32Array[],
  weights: readonly number[],
  balanceUnit: number,
): Float64Array {
  const effect = new Float64Array(T * U * S);
  const slope = new Float64Array(S * ASSIGNED_FEATURES);
  for (let t = 0; t < T; t++) {
    for (let s = 0; s < S; s++) {
      const at = (s * T + t) * ASSIGNED_FEATURES;
      const z = Math.min(LARGEST_QUEUE, queue[t * S + s] / balanceUnit);
      for (let f = 0; f < ASSIGNED_FEATURES; f++)
        slope[s * ASSIGNED_FEATURES + f] =
          weights[LATER] * gradients[LATER][at + f] +
          weights[EARLIER] * gradients[EARLIER][at + f] +
          z * weights[BALANCE] * gradients[BALANCE][at + f];
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

/**
 * q_i(s_i) − Σ_s π(s | i)·q_i(s): the marginal effect of the chosen server less the policy's mean, [T·U]; scaled down
 * slot by slot to at most `most` times the spread of the observed credit, [T·U]. In an overloaded system returns to go
 * are hundreds of times larger than any one request's part in them, and an error of a few percent would drown the
 * observed latency.
 */
export function againstPolicy(
  { servers: S, requests: U, actions, allLogProbs }: Rollout,
  effect: Float64Array,
  observed: Float32Array,
  most: number,
): Float32Array {
  const credit = new Float32Array(actions.length);
  for (let d = 0; d < credit.length; d++) {
    let mean = 0;
    for (let k = d * S; k < (d + 1) * S; k++) mean += Math.exp(allLogProbs[k]) * effect[k];
    credit[d] = effect[d * S + actions[d]] - mean;
  }
  for (let from = 0; from < credit.length; from += U) {
    const slot = credit.subarray(from, from + U);
    const scale = Math.min(1, (most * spread(observed.subarray(from, from + U))) / (spread(slot) + 1e-12));
    for (let i = 0; i < U; i++) slot[i] = slot[i] * scale;
  }
  return credit;
}
