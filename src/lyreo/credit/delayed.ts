import { type CreditFactory, creditRule } from './credit';
import { headValues, rewardStreams, sharedCredit, streamCredit } from './streams';

/** The rule of Ly-PPO and PPO: latency counts when a request completes, as the reward is printed; GAE(λ) as published. */
export const delayed: CreditFactory = creditRule('delayed', (rollout, values, { config, training }) => {
  const { gamma, gaeLambda } = training;
  const streams = rewardStreams(rollout, config);
  return sharedCredit(
    rollout,
    streamCredit(streams.delayed, headValues(values, 0), gamma, gaeLambda),
    streamCredit(streams.immediate, headValues(values, 1), gamma, gaeLambda),
    streams.delayed,
  );
});
