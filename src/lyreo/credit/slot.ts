import { predictionQuality, redistributeToGo } from '../redistribution';
import type { Sequences } from '../return-predictor';
import { lambdaTargets } from '../returns';
import { PREDICTOR_FEATURES } from '../rollout';
import type { CreditFactory } from './credit';
import { predictorMemory } from './predictor-memory';
import { headValues, rewardStreams, sharedCredit, streamCredit } from './streams';

/**
 * Latency by assignment slot, redistributed slot by slot: r'_t is the change that the slot's decision makes in the
 * predicted return to go. The predictor learns y_t = c_t + γ·((1 − λ)·Q_{t+1} + λ·y_{t+1}) of the last rollouts; its
 * quality before it saw the new one decides the share of r' that is used. The immediate terms stay where they are.
 */
export const slot: CreditFactory = {
  id: 'slot',
  create({ config, training, rng: init }) {
    const memory = predictorMemory(config.servers * PREDICTOR_FEATURES, 1, Infinity, training, init);
    const { gamma, immediateLambda, returnToGoGamma, fullQuality } = training;
    return {
      id: 'slot',
      ...memory,
      assign(rollout, values, rng) {
        const streams = rewardStreams(rollout, config);
        const costs = streams.assigned;
        const sequences: Sequences = { count: 1, steps: rollout.slots, inputs: rollout.chi };
        const before = memory.predictor.predict(sequences);
        const targets = lambdaTargets(costs, before, returnToGoGamma, 0.9);
        const quality = predictionQuality(before, targets);
        const predictorLoss = memory.learn({ sequences, targets }, rng);
        const returnToGo = memory.predictor.predict(sequences);
        const redistributed = redistributeToGo(returnToGo, costs, returnToGoGamma);
        const share = Math.min(1, quality / fullQuality);
        const mixed = redistributed.map((x, t) => share * x + (1 - share) * costs[t]);
        const latency = streamCredit(mixed, headValues(values, 0), share > 0 ? 0 : gamma, 0);
        const immediate = streamCredit(streams.immediate, headValues(values, 1), gamma, immediateLambda);
        return {
          ...sharedCredit(rollout, latency, immediate),
          quality,
          predictorLoss,
          redistributed,
          returnToGo,
        };
      },
    };
  },
};
