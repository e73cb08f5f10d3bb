import type { SystemConfig } from '../../system/config';
import type { Rollout } from '../rollout';
import { assignedCredit } from './assigned';
import { type CreditFactory, creditRule } from './credit';
import { addImmediate, centre, normalisedPerSlot } from './per-request';
import { headValues, rewardStreams, streamCredit } from './streams';

/** Each request is credited with its own latency, without a predictor; the slot's requests share the immediate terms. */
export const own: CreditFactory = creditRule('own', (rollout, values, setup) => {
  const { gamma, immediateLambda } = setup.training;
  const streams = rewardStreams(rollout, setup.config);
  const immediate = streamCredit(streams.immediate, headValues(values, 1), gamma, immediateLambda).advantage;
  const advantages = ownLatencyCredit(rollout, setup.config);
  centre(advantages, rollout);
  addImmediate(advantages, immediate, rollout, 1);
  return {
    ...assignedCredit(rollout, values, streams, setup),
    advantages: normalisedPerSlot(advantages, rollout.requests),
  };
});

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
