import type { Rollout } from '../rollout';
import { type Credit, type CreditFactory, type CreditSetup, creditRule } from './credit';
import { type RewardStreams, headValues, rewardStreams, sharedCredit, streamCredit } from './streams';

/**
 * Latency by assignment slot: once a request has completed, its latency counts in the slot that assigned it, with
 * λ = 0; the immediate terms have a small λ. There is no predictor: this is LYREO without the LSTM.
 */
export const assigned: CreditFactory = creditRule('assigned', (rollout, values, setup) =>
  assignedCredit(rollout, values, rewardStreams(rollout, setup.config), setup),
);

/** The credit of `assigned` from streams that are at hand. */
export function assignedCredit(
  rollout: Rollout,
  values: Float64Array,
  streams: RewardStreams,
  { training: { gamma, immediateLambda } }: Pick<CreditSetup, 'training'>,
): Credit {
  return sharedCredit(
    rollout,
    streamCredit(streams.assigned, headValues(values, 0), gamma, 0),
    streamCredit(streams.immediate, headValues(values, 1), gamma, immediateLambda),
    streams.assigned,
  );
}
