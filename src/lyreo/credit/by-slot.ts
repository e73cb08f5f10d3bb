import type { TrainingConfig } from '../training-config';
import { type CreditFactory, creditRule } from './credit';
import { type RewardStreams, headValues, rewardStreams, sharedCredit, streamCredit } from './streams';

/** A rule without a predictor whose latency reward is one of the streams; a slot's requests share its advantage. */
function bySlot(
  id: string,
  latency: keyof RewardStreams,
  lambdas: (training: TrainingConfig) => readonly [latency: number, immediate: number],
): CreditFactory {
  return creditRule(id, (rollout, values, { config, training }) => {
    const streams = rewardStreams(rollout, config);
    const [ofLatency, ofImmediate] = lambdas(training);
    return sharedCredit(
      rollout,
      streamCredit(streams[latency], headValues(values, 0), training.gamma, ofLatency),
      streamCredit(streams.immediate, headValues(values, 1), training.gamma, ofImmediate),
    );
  });
}

/** The rule of Ly-PPO and PPO: latency counts when a request completes, as the reward is printed; GAE(λ) as published. */
export const delayed: CreditFactory = bySlot('delayed', 'delayed', ({ gaeLambda }) => [gaeLambda, gaeLambda]);

/** −N(t)·Δ in place of latencies: by Little's law the same return, without delay. */
export const littlesLaw: CreditFactory = bySlot('littles-law', 'presence', ({ gaeLambda }) => [gaeLambda, gaeLambda]);

/**
 * Latency by assignment slot: once a request has completed, its latency counts in the slot that assigned it, with
 * λ = 0; the immediate terms have a small λ. This is LYREO without the LSTM.
 */
export const assigned: CreditFactory = bySlot('assigned', 'assigned', ({ immediateLambda }) => [0, immediateLambda]);
