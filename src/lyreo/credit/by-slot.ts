import { predictionQuality, redistributeToGo } from '../redistribution';
import { lambdaTargets } from '../returns';
import type { TrainingConfig } from '../training-config';
import { type CreditFactory, creditRule, predictorRule } from './credit';
import { type RewardStreams, headValues, rewardStreams, sharedCredit, streamCredit } from './streams';

/** A rule without a predictor whose latency reward is one of the streams; a slot's requests share its advantage. */
function bySlot(
  id: string,
  latency: keyof RewardStreams,
  lambdas: (training: TrainingConfig) => readonly [latency: number, immediate: number],
): CreditFactory {
  return creditRule(id, (rollout, values, { config, training }) => {
    const streams = rewardStreams(rollout, config);
    const [ofLatency, ofImmediate] = headValues(values).map((v, head) =>
      streamCredit(streams[head === 0 ? latency : 'immediate'], v, training.gamma, lambdas(training)[head]),
    );
    return sharedCredit(rollout, ofLatency, ofImmediate);
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

/**
 * Latency by assignment slot, redistributed slot by slot: r'_t is the change that the slot's decision makes in the
 * predicted return to go. The predictor learns y_t = c_t + γ·((1 − λ)·Q_{t+1} + λ·y_{t+1}) of the last rollouts; its
 * quality before it saw the new one decides the share of r' that is used. The immediate terms stay where they are.
 */
export const slot: CreditFactory = predictorRule({ id: 'slot' }, (rollout, values, setup, rng) => {
  const { config, predictor, learn } = setup;
  const { gamma, immediateLambda, returnToGoGamma, fullQuality } = setup.training;
  const { assigned: costs, immediate } = rewardStreams(rollout, config);
  const sequences = { count: 1, steps: rollout.slots, inputs: rollout.chi };
  const before = predictor.predict(sequences);
  const targets = lambdaTargets(costs, before, returnToGoGamma, 0.9);
  const quality = predictionQuality(before, targets);
  const predictorLoss = learn({ sequences, targets }, rng);
  const returnToGo = predictor.predict(sequences);
  const redistributed = redistributeToGo(returnToGo, costs, returnToGoGamma);
  const share = Math.min(1, quality / fullQuality);
  const mixed = redistributed.map((x, t) => share * x + (1 - share) * costs[t]);
  const [ofLatency, ofImmediate] = headValues(values);
  const credit = sharedCredit(
    rollout,
    streamCredit(mixed, ofLatency, share > 0 ? 0 : gamma, 0),
    streamCredit(immediate, ofImmediate, gamma, immediateLambda),
  );
  return { ...credit, quality, predictorLoss, redistributed, returnToGo };
});
