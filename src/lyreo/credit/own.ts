import type { SystemConfig } from '../../system/config';
import type { Rollout } from '../rollout';
import { type Credit, type CreditFactory, type CreditSetup, creditRule } from './credit';
import { headValues, rewardStreams, sharedCredit, streamCredit } from './streams';

/** Each request is credited with its own latency, without a predictor; the slot's requests share the immediate terms. */
export const own: CreditFactory = creditRule('own', (rollout, values, setup) =>
  requestCredit(rollout, values, setup, ownLatencyCredit(rollout, setup.config), 1),
);

/** The mean over the answered requests of a slot; `valueOf` of the decision t·U + i. */
function slotMean({ requests: U, answered }: Rollout, t: number, valueOf: (d: number) => number): number {
  const decisions = Array.from({ length: U }, (_, i) => t * U + i).filter((d) => answered[d] === 1);
  return decisions.reduce((sum, d) => sum + valueOf(d) / decisions.length, 0);
}

/**
 * A request's own latency as its credit, [T·U]: −ν·(D_i − l̂_i·mean over the slot of D_j/l̂_j), so that a long answer
 * is not held against the server that gave it. Requests that were not answered have none.
 */
export function ownLatencyCredit(rollout: Rollout, config: SystemConfig): Float32Array {
  const { slots: T, requests: U, answered, latency, predicted } = rollout;
  const nu = config.latencyWeight / U;
  const perToken = Array.from({ length: T }, (_, t) => slotMean(rollout, t, (d) => latency[d] / predicted[d]));
  return new Float32Array(T * U).map((_, d) =>
    answered[d] === 1 ? -nu * (latency[d] - perToken[Math.floor(d / U)] * predicted[d]) : 0,
  );
}

/**
 * Credit by request, with the critic's targets of latency by assignment slot: each slot's mean is subtracted, the slot's
 * immediate advantage is added to each of its requests, and the sum is normalised per slot.
 *
 * A slot's credit is divided by its own spread plus the median spread of all slots. An overloaded stretch of an episode
 * has credit a hundred times that of sound slots; normalised, every slot counts, and a slot in which the choice made no
 * difference is not amplified.
 *
 * @param credit [T·U].
 * @param share of the immediate advantage that is added.
 */
export function requestCredit(
  rollout: Rollout,
  values: Float64Array,
  { config, training: { gamma, immediateLambda } }: CreditSetup,
  credit: Float32Array,
  share: number,
): Credit & { readonly shared: Float64Array } {
  const { slots: T, requests: U, answered } = rollout;
  const streams = rewardStreams(rollout, config);
  const [ofLatency, ofImmediate] = headValues(values);
  const latency = streamCredit(streams.assigned, ofLatency, gamma, 0);
  const immediate = streamCredit(streams.immediate, ofImmediate, gamma, immediateLambda);
  const shared = immediate.advantage.map((x) => share * x);
  const means = Float64Array.from({ length: T }, (_, t) => slotMean(rollout, t, (d) => credit[d]));
  const centred = credit
    .map((x, d) => (answered[d] === 1 ? x - means[Math.floor(d / U)] : 0))
    .map((x, d) => x + shared[Math.floor(d / U)]);
  const spreads = means.map((_, t) => spread(centred.subarray(t * U, (t + 1) * U)));
  const median = spreads.slice().sort()[Math.floor(T / 2)];
  return {
    ...sharedCredit(rollout, latency, immediate),
    advantages: centred.map((a, d) => a / (spreads[Math.floor(d / U)] + median + 1e-12)),
    shared,
  };
}

/** Root mean square. */
export function spread(values: Float32Array): number {
  let square = 0;
  for (const x of values) square += (x * x) / values.length;
  return Math.sqrt(square);
}
