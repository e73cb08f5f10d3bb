import { predictionQuality, redistributeReturn } from '../redistribution';
import type { ReturnPredictor, Sequences } from '../return-predictor';
import { truncatedReturn } from '../returns';
import { PREDICTOR_FEATURES } from '../rollout';
import type { CreditFactory } from './credit';
import { predictorMemory } from './predictor-memory';
import { headValues, rewardStreams, slotCredit, streamCredit, sum } from './streams';

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
        const { slots: T } = rollout;
        const streams = rewardStreams(rollout, config);
        const total = sum(streams.delayed, streams.immediate);
        const [redistributedValue, stateValue] = [headValues(values, 0), headValues(values, 1)];
        const windows = windowsOf(T, Math.min(window, T), windowStride);
        const ofWindow = ({ begin, end }: Window): number =>
          truncatedReturn(total.subarray(begin, end), gamma, stateValue[end]);
        const makeBatch = windowStride === 0 ? inOneSequence : inSequences;
        const { sequences, targets, predictions } = makeBatch(
          memory.predictor,
          rollout.chi,
          windows,
          windows.map(ofWindow),
        );
        const quality = predictionQuality(predictions, targets);
        const predictorLoss = memory.learn({ sequences, targets }, rng);
        const redistributed = new Float64Array(T);
        const returnToGo = new Float64Array(T);
        const advantage = new Float64Array(T);
        const target = new Float64Array(T);
        const covering = new Float64Array(T);
        let at = 0;
        for (const { begin, end } of windows) {
          const g = predictions.subarray(at, at + end - begin);
          const changes = redistributeReturn(g, targets[at]);
          const within = redistributedValue.slice(begin, end + 1).fill(0, end - begin);
          const credit = streamCredit(changes, within, discountRedistributed ? gamma : 1, gaeLambda);
          for (let t = begin; t < end; t++) {
            redistributed[t] += changes[t - begin];
            returnToGo[t] += g[t - begin];
            advantage[t] += credit.advantage[t - begin];
            target[t] += credit.target[t - begin];
            covering[t]++;
          }
          at += end - begin;
        }
        // A slot in several windows has the mean of their credit.
        for (const column of [redistributed, returnToGo, advantage, target])
          for (let t = 0; t < T; t++) column[t] /= covering[t];
        const raw = streamCredit(total, stateValue, gamma, gaeLambda).target;
        return {
          ...slotCredit(rollout, advantage, [target, raw], total),
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
interface Window {
  readonly begin: number;
  readonly end: number;
}

/** Windows of H slots that begin every `stride` slots, the last one at the episode's end; stride 0: side by side. */
function windowsOf(T: number, H: number, stride: number): Window[] {
  if (stride === 0)
    return Array.from({ length: Math.ceil(T / H) }, (_, k) => ({ begin: k * H, end: Math.min(T, (k + 1) * H) }));
  const count = Math.ceil((T - H) / stride) + 1;
  return Array.from({ length: count }, (_, k) => Math.min(k * stride, T - H)).map((begin) => ({
    begin,
    end: begin + H,
  }));
}

/** A rollout's windows as the predictor sees them; targets and predictions window after window. */
interface WindowBatch {
  readonly sequences: Sequences;
  readonly targets: Float64Array;
  readonly predictions: Float64Array;
}

/** Windows side by side: the whole episode is one sequence, and the predictor learns from windows anywhere in it. */
function inOneSequence(
  predictor: ReturnPredictor,
  chi: Float32Array,
  windows: readonly Window[],
  returns: readonly number[],
): WindowBatch {
  const { inputs: I, lstm, norm } = predictor;
  const T = chi.length / I;
  const targets = new Float64Array(T);
  const predictions = new Float64Array(T);
  windows.forEach(({ begin, end }, k) => {
    targets.fill(returns[k], begin, end);
    const inputs = chi.subarray(begin * I, end * I);
    predictions.set(norm.restored(lstm.predict({ steps: end - begin, batch: 1, inputs })), begin);
  });
  return { sequences: { count: 1, steps: T, inputs: chi }, targets, predictions };
}

/** Windows of equal length that overlap: each is a sequence of its own. */
function inSequences(
  predictor: ReturnPredictor,
  chi: Float32Array,
  windows: readonly Window[],
  returns: readonly number[],
): WindowBatch {
  const { inputs: I } = predictor;
  const H = windows[0].end - windows[0].begin;
  const inputs = new Float32Array(windows.length * H * I);
  const targets = new Float64Array(windows.length * H);
  windows.forEach(({ begin, end }, k) => {
    inputs.set(chi.subarray(begin * I, end * I), k * H * I);
    targets.fill(returns[k], k * H, (k + 1) * H);
  });
  const sequences = { count: windows.length, steps: H, inputs };
  return { sequences, targets, predictions: predictor.predict(sequences) };
}
