import { gather } from '../../nn/gather';
import { predictionQuality, redistributeReturn } from '../redistribution';
import type { ReturnPredictor, Sequences } from '../return-predictor';
import { generalisedAdvantage, truncatedReturn } from '../returns';
import { type CreditFactory, predictorRule } from './credit';
import { headValues, rewardStreams, slotCredit, streamCredit } from './streams';

/**
 * Redistribution as printed (IV-B2): ŷ_H of windows that begin every H slots, r' = g_t − g_{t−1}, GAE(λ) over r' within
 * the window. With `windowStride` windows overlap, and with `discountRedistributed` false GAE does not discount r' again.
 * Note: ŷ_H is discounted to its window's start and GAE discounts r' once more; the paper does not say otherwise.
 * Note: r' of a window already holds γ^H·V_φ(s_H), all that comes after it, so GAE ends there with value 0 (to continue
 * would count the future once per window), and V_φ is a head of its own that learns the raw rewards.
 */
export const printed: CreditFactory = predictorRule(
  { id: 'printed', defaults: { window: 250, predictorSteps: 20, predictorBatch: 8 } },
  (rollout, values, { config, training, predictor, learn }, rng) => {
    const { slots: T, chi } = rollout;
    const { gamma, gaeLambda, window, windowStride, discountRedistributed } = training;
    const streams = rewardStreams(rollout, config);
    const total = streams.delayed.map((x, t) => x + streams.immediate[t]);
    const [redistributedValue, stateValue] = headValues(values);
    const windows = windowsOf(T, Math.min(window, T), windowStride);
    const returns = windows.map(([begin, end]) => truncatedReturn(total.subarray(begin, end), gamma, stateValue[end]));
    const targets = Float64Array.from(
      windows.flatMap(([begin, end], k) => Array<number>(end - begin).fill(returns[k])),
    );
    const { sequences, predictions } = predicted(predictor, chi, windows, windowStride === 0);
    const quality = predictionQuality(predictions, targets);
    const predictorLoss = learn({ sequences, targets }, rng);
    const sums = Array.from({ length: 5 }, () => new Float64Array(T));
    let at = 0;
    windows.forEach(([begin, end], k) => {
      const g = predictions.subarray(at, (at += end - begin));
      const changes = redistributeReturn(g, returns[k]);
      const within = redistributedValue.slice(begin, end + 1).fill(0, end - begin);
      const advantage = generalisedAdvantage(changes, within, discountRedistributed ? gamma : 1, gaeLambda);
      const target = advantage.map((a, t) => a + within[t]);
      [changes, g, advantage, target, g.map(() => 1)].forEach((part, column) => {
        for (let t = begin; t < end; t++) sums[column][t] += part[t - begin];
      });
    });
    // A slot in several windows has the mean of their credit.
    const [redistributed, returnToGo, advantage, target] = sums.map((sum) => sum.map((x, t) => x / sums[4][t]));
    const raw = streamCredit(total, stateValue, gamma, gaeLambda).target;
    return { ...slotCredit(rollout, advantage, [target, raw]), quality, predictorLoss, redistributed, returnToGo };
  },
);

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
 * The predictions for the windows, one after the other, and the sequences from which the predictor learns: the whole
 * episode where windows lie side by side, so that it learns from windows anywhere in it, and else each window.
 */
function predicted(
  predictor: ReturnPredictor,
  chi: Float32Array,
  windows: readonly Window[],
  isOneSequence: boolean,
): { sequences: Sequences; predictions: Float64Array } {
  const { inputs: I, lstm, norm } = predictor;
  if (isOneSequence) {
    const predictions = windows.flatMap(([begin, end]) => [
      ...norm.restored(lstm.predict({ steps: end - begin, batch: 1, inputs: chi.subarray(begin * I, end * I) })),
    ]);
    return {
      sequences: { count: 1, steps: chi.length / I, inputs: chi },
      predictions: Float64Array.from(predictions),
    };
  }
  const steps = windows[0][1] - windows[0][0];
  const rows = windows.flatMap(([begin]) => Array.from({ length: steps }, (_, h) => begin + h));
  const sequences = { count: windows.length, steps, inputs: gather(chi, Int32Array.from(rows), I) };
  return { sequences, predictions: predictor.predict(sequences) };
}
