import { gather } from '../../nn/gather';
import { predictionQuality, redistributeReturn } from '../redistribution';
import type { ReturnPredictor, Sequences } from '../return-predictor';
import { truncatedReturn } from '../returns';
import { PREDICTOR_FEATURES } from '../rollout';
import type { CreditFactory } from './credit';
import { predictorMemory } from './predictor-memory';
import { headValues, rewardStreams, slotCredit, streamCredit } from './streams';

/**
 * Redistribution as printed (IV-B2): ŷ_H of windows that begin every H slots, r' = g_t − g_{t−1}, GAE(λ) over r' within
 * the window. With `windowStride` windows overlap, and with `discountRedistributed` false GAE does not discount r' again.
 * Note: ŷ_H is discounted to its window's start and GAE discounts r' once more; the paper does not say otherwise.
 * Note: r' of a window already holds γ^H·V_φ(s_H), all that comes after it, so GAE ends there with value 0 (to continue
 * would count the future once per window), and V_φ is a head of its own that learns the raw rewards.
 */
export const printed: CreditFactory = {
  id: 'printed',
  defaults: { window: 250, predictorSteps: 20, predictorBatch: 8 },
  create({ config, training, rng: init }) {
    const memory = predictorMemory(config.servers * PREDICTOR_FEATURES, 1, Infinity, training, init);
    const { gamma, gaeLambda, window, windowStride, discountRedistributed } = training;
    return {
      id: 'printed',
      ...memory,
      assign(rollout, values, rng) {
        const { slots: T, chi } = rollout;
        const streams = rewardStreams(rollout, config);
        const total = streams.delayed.map((x, t) => x + streams.immediate[t]);
        const [redistributedValue, stateValue] = [headValues(values, 0), headValues(values, 1)];
        const windows = windowsOf(T, Math.min(window, T), windowStride);
        const returns = windows.map(([begin, end]) =>
          truncatedReturn(total.subarray(begin, end), gamma, stateValue[end]),
        );
        const targets = Float64Array.from(
          windows.flatMap(([begin, end], k) => Array<number>(end - begin).fill(returns[k])),
        );
        const { sequences, predictions } = predicted(memory.predictor, chi, windows, windowStride === 0);
        const quality = predictionQuality(predictions, targets);
        const predictorLoss = memory.learn({ sequences, targets }, rng);
        const columns = Array.from({ length: 4 }, () => new Float64Array(T));
        const [redistributed, returnToGo, advantage, target] = columns;
        const covering = new Float64Array(T);
        let at = 0;
        windows.forEach(([begin, end], k) => {
          const g = predictions.subarray(at, (at += end - begin));
          const changes = redistributeReturn(g, returns[k]);
          const within = redistributedValue.slice(begin, end + 1).fill(0, end - begin);
          const credit = streamCredit(changes, within, discountRedistributed ? gamma : 1, gaeLambda);
          for (let t = begin; t < end; t++) {
            redistributed[t] += changes[t - begin];
            returnToGo[t] += g[t - begin];
            advantage[t] += credit.advantage[t - begin];
            target[t] += credit.target[t - begin];
            covering[t]++;
          }
        });
        // A slot in several windows has the mean of their credit.
        for (const column of columns) for (let t = 0; t < T; t++) column[t] /= covering[t];
        const raw = streamCredit(total, stateValue, gamma, gaeLambda).target;
        return {
          ...slotCredit(rollout, advantage, [target, raw]),
          quality,
          predictorLoss,
          redistributed,
          returnToGo,
        };
      },
    };
  },
};

/** Slots begin..end−1. */
type Window = readonly [begin: number, end: number];

/** Windows of H slots that begin every `stride` slots, the last one at the episode's end; stride 0: side by side. */
function windowsOf(T: number, H: number, stride: number): Window[] {
  if (stride === 0) return Array.from({ length: Math.ceil(T / H) }, (_, k) => [k * H, Math.min(T, (k + 1) * H)]);
  return Array.from({ length: Math.ceil((T - H) / stride) + 1 }, (_, k) => {
    const begin = Math.min(k * stride, T - H);
    return [begin, begin + H];
  });
}

/**
 * The predictions for the windows, one after the other, and the sequences from which the predictor learns. Windows that
 * lie side by side are one sequence, the whole episode, so that it learns from windows anywhere in it. Otherwise each
 * window is a sequence of its own.
 */
function predicted(
  predictor: ReturnPredictor,
  chi: Float32Array,
  windows: readonly Window[],
  isOneSequence: boolean,
): { sequences: Sequences; predictions: Float64Array } {
  const { inputs: I, lstm, norm } = predictor;
  const inputsOf = ([begin, end]: Window): Float32Array => chi.subarray(begin * I, end * I);
  if (isOneSequence) {
    const predictions = windows.flatMap((window) => {
      const inputs = inputsOf(window);
      return [...norm.restored(lstm.predict({ steps: inputs.length / I, batch: 1, inputs }))];
    });
    const sequences = { count: 1, steps: chi.length / I, inputs: chi };
    return { sequences, predictions: Float64Array.from(predictions) };
  }
  const steps = windows[0][1] - windows[0][0];
  const rows = Int32Array.from(
    { length: windows.length * steps },
    (_, k) => windows[Math.floor(k / steps)][0] + (k % steps),
  );
  const sequences = { count: windows.length, steps, inputs: gather(chi, rows, I) };
  return { sequences, predictions: predictor.predict(sequences) };
}
