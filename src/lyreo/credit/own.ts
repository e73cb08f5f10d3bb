import type { SystemConfig } from '../../system/config';
import type { Rollout } from '../rollout';
import { type Credit, type CreditFactory, type CreditSetup, creditRule } from './credit';
import { headValues, rewardStreams, sharedCredit, streamCredit } from './streams';

/** Each request is credited with its own latency, without a predictor; the slot's requests share the immediate terms. */
export const own: CreditFactory = creditRule('own', (rollout, values, setup) =>
  requestCredit(rollout, values, setup, ownLatencyCredit(rollout, setup.config), 1),
);

/**
 * A request's own latency as its credit, [T·U]: −ν·(D_i − l̂_i·mean over the slot of D_j/l̂_j), so that a long answer
 * is not held against the server that gave it. Requests that were not answered have none.
 */
export function ownLatencyCredit(rollout: Rollout, config: SystemConfig): Float32Array {
  const { slots: T, requests: U } = rollout;
  const nu = config.latencyWeight / U;
  const credit = new Float32Array(T * U);
  for (let t = 0; t < T; t++) {
    let perToken = 0;
    let count = 0;
    for (let d = t * U; d < (t + 1) * U; d++) count += rollout.answered[d];
    for (let d = t * U; d < (t + 1) * U; d++) perToken += rollout.latency[d] / rollout.predicted[d] / count;
    for (let d = t * U; d < (t + 1) * U; d++)
      if (rollout.answered[d] === 1) credit[d] = -nu * (rollout.latency[d] - perToken * rollout.predicted[d]);
  }
  return credit;
}

/**
 * Credit by request, with the critic's targets of latency by assignment slot: each slot's mean is subtracted, the slot's
 * immediate advantage is added to each of its requests, and the sum is normalised per slot.
 *
 * A slot's credit is divided by its own spread plus the median spread of all slots. An overloaded stretch of an episode
 * has credit a hundred times that of sound slots; normalised, every slot counts, and a slot in which the choice made no
 * difference is not amplified.
 *
 * @param credit [T·U]; changed in place.
 * @param share of the immediate advantage that is added.
 */
export function requestCredit(
  rollout: Rollout,
  values: Float64Array,
  { config, training: { gamma, immediateLambda } }: Pick<CreditSetup, 'config' | 'training'>,
  credit: Float32Array,
  share: number,
): Credit & { readonly shared: Float64Array } {
  const { slots: T, requests: U, answered } = rollout;
  const streams = rewardStreams(rollout, config);
  const latency = streamCredit(streams.assigned, headValues(values, 0), gamma, 0);
  const immediate = streamCredit(streams.immediate, headValues(values, 1), gamma, immediateLambda);
  const shared = immediate.advantage.map((x) => share * x);
  const spreads = new Float64Array(T);
  for (let t = 0; t < T; t++) {
    let count = 0;
    let mean = 0;
    for (let d = t * U; d < (t + 1) * U; d++) count += answered[d];
    for (let d = t * U; d < (t + 1) * U; d++) if (answered[d] === 1) mean += credit[d] / count;
    for (let d = t * U; d < (t + 1) * U; d++) {
      credit[d] = answered[d] === 1 ? credit[d] - mean : 0;
      credit[d] += shared[t];
    }
    spreads[t] = spread(credit.subarray(t * U, (t + 1) * U));
  }
  const median = spreads.slice().sort()[Math.floor(T / 2)];
  return {
    ...sharedCredit(rollout, latency, immediate),
    advantages: credit.map((a, d) => a / (spreads[Math.floor(d / U)] + median + 1e-12)),
    shared,
  };
}

/** Root mean square. */
export function spread(values: Float32Array): number {
  let square = 0;
  for (const x of values) square += (x * x) / values.length;
  return Math.sqrt(square);
}
