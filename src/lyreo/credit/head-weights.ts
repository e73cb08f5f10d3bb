import { ASSIGNED_FEATURES, type Rollout } from '../rollout';
import { REQUEST_HEADS } from './server-returns';

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
 * @param gradients ∇Q of the three heads in what is assigned, [S·T, ASSIGNED_FEATURES] each.
 * @param predictions Q and `targets` y, [S·T, 3]; both of a rollout the predictor has not learned from.
 */
export function headWeights(
  rollout: Rollout,
  gradients: readonly Float32Array[],
  predictions: Float64Array,
  targets: Float64Array,
): number[] {
  const { slots: T, requests: U, servers: S } = rollout;
  const deviations = assignedDeviation(rollout);
  return gradients.map((gradient, head) => {
    const scale = medianSize(predictions, head);
    let se = 0;
    let sr = 0;
    const effects = new Float64Array(S * T);
    const surprises = new Float64Array(S * T);
    for (let row = 0; row < S * T; row++) {
      let effect = 0;
      for (let f = 0; f < ASSIGNED_FEATURES; f++)
        effect += gradient[row * ASSIGNED_FEATURES + f] * deviations[row * ASSIGNED_FEATURES + f];
      const k = row * REQUEST_HEADS + head;
      const weight = 1 / (Math.abs(predictions[k]) + scale + 1e-9);
      effects[row] = effect * weight;
      surprises[row] = (targets[k] - predictions[k] + effect) * weight;
      se += effects[row] ** 2;
      sr += effects[row] * surprises[row];
    }
    if (se === 0 || U === 0) return 0;
    const slope = sr / se;
    let variance = 0;
    for (let row = 0; row < S * T; row++) variance += (effects[row] * (surprises[row] - slope * effects[row])) ** 2;
    return Math.min(1, Math.max(0, slope - (2 * Math.sqrt(variance)) / se));
  });
}

/** The assignment to each server less the policy's mean assignment, [S·T, ASSIGNED_FEATURES]. */
function assignedDeviation(rollout: Rollout): Float64Array {
  const { slots: T, requests: U, servers: S, actions, allLogProbs, contribution } = rollout;
  const deviation = new Float64Array(S * T * ASSIGNED_FEATURES);
  for (let t = 0; t < T; t++)
    for (let d = t * U; d < (t + 1) * U; d++)
      for (let s = 0; s < S; s++) {
        const drawn = (actions[d] === s ? 1 : 0) - Math.exp(allLogProbs[d * S + s]);
        const from = (d * S + s) * ASSIGNED_FEATURES;
        const to = (s * T + t) * ASSIGNED_FEATURES;
        for (let f = 0; f < ASSIGNED_FEATURES; f++) deviation[to + f] += drawn * contribution[from + f];
      }
  return deviation;
}

function medianSize(predictions: Float64Array, head: number): number {
  const sizes = predictions.filter((_, k) => k % REQUEST_HEADS === head).map(Math.abs);
  return sizes.sort()[Math.floor(sizes.length / 2)];
}
