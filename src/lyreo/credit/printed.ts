import { predictionQuality, redistributeReturn } from '../redistribution';
import type { ReturnPredictor, Sequences } from '../return-predictor';
import { truncatedReturn } from '../returns';
import { PREDICTOR_FEATURES } from '../rollout';
import type { CreditFactory } from './credit';
import { PredictorMemory, remembering } from './predictor-memory';
import { headValues, rewardStreams, slotCredit, streamCredit, sum } from './streams';

/**
 * Redistribution as printed (IV-B2): ŷ_H of windows that begin every H slots, r' = g_t − g_{t−1}, GAE(λ) over r' within
 * the window.
 * Note: ŷ_H is discounted to its window's start and GAE discounts r' once more; the paper does not say otherwise.
 * Note: r' of a window already holds γ^H·V_φ(s_H), all that comes after it, so GAE ends there with value 0 (to continue
 * would count the future once per window), and V_φ is a head of its own that learns the raw rewards.
 */
export const printed: CreditFactory = {
  id: 'printed',
  defaults: { window: 250, predictorSteps: 20, predictorBatch: 8 },
  create({ config, training, rng: init }) {
    const memory = new PredictorMemory(config.servers * PREDICTOR_FEATURES, 1, Infinity, training, init);
    const { gamma, gaeLambda, window } = training;
    return {
      id: 'printed',
      ...remembering(memory),
      assign(rollout, values, rng) {
        const { slots: T } = rollout;
        const streams = rewardStreams(rollout, config);
        const total = sum(streams.delayed, streams.immediate);
        const [redistributedValue, stateValue] = [headValues(values, 0), headValues(values, 1)];
        const H = Math.min(window, T);
        const windows = Array.from({ length: Math.ceil(T / H) }, (_, k) => ({
          begin: k * H,
          end: Math.min(T, (k + 1) * H),
        }));
        // The target at every t of a window is the window's return.
        const returns = new Float64Array(T);
        for (const { begin, end } of windows)
          returns.fill(truncatedReturn(total.subarray(begin, end), gamma, stateValue[end]), begin, end);
        const sequences: Sequences = { count: 1, steps: T, inputs: rollout.chi };
        const predictions = windowPredictions(memory.predictor, sequences, H);
        const quality = predictionQuality(predictions, returns);
        const predictorLoss = memory.learn({ sequences, targets: returns }, rng);
        const redistributed = new Float64Array(T);
        const advantage = new Float64Array(T);
        const target = new Float64Array(T);
        for (const { begin, end } of windows) {
          redistributed.set(redistributeReturn(predictions.subarray(begin, end), returns[begin]), begin);
          const within = redistributedValue.slice(begin, end + 1).fill(0, end - begin);
          const credit = streamCredit(redistributed.subarray(begin, end), within, gamma, gaeLambda);
          advantage.set(credit.advantage, begin);
          target.set(credit.target, begin);
        }
        const raw = streamCredit(total, stateValue, gamma, gaeLambda).target;
        return {
          ...slotCredit(rollout, advantage, [target, raw], total),
          quality,
          predictorLoss,
          redistributed,
          returnToGo: predictions,
        };
      },
    };
  },
};

/** Predictions of windows that begin every H slots, each from a zero state. */
function windowPredictions(predictor: ReturnPredictor, sequences: Sequences, H: number): Float64Array {
  const { inputs: I, lstm, norm } = predictor;
  const out = new Float64Array(sequences.steps);
  for (let begin = 0; begin < sequences.steps; begin += H) {
    const steps = Math.min(H, sequences.steps - begin);
    const inputs = sequences.inputs.subarray(begin * I, (begin + steps) * I);
    out.set(norm.restored(lstm.predict({ steps, batch: 1, inputs })), begin);
  }
  return out;
}
