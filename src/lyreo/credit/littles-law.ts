import { type CreditFactory, creditRule } from './credit';
import { headValues, rewardStreams, sharedCredit, streamCredit } from './streams';

/** −N(t)·Δ in place of latencies: by Little's law the same return, without delay and without a predictor. */
export const littlesLaw: CreditFactory = creditRule('littles-law', (rollout, values, { config, training }) => {
  const { gamma, gaeLambda } = training;
  const streams = rewardStreams(rollout, config);
  return sharedCredit(
    rollout,
    streamCredit(streams.presence, headValues(values, 0), gamma, gaeLambda),
    streamCredit(streams.immediate, headValues(values, 1), gamma, gaeLambda),
    streams.presence,
  );
});
