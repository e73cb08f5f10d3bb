import { mean } from '../core/statistics';
import { truncatedReturn } from './returns';

/** The terms of Π. */
export interface TruncationTerms {
  readonly gamma: number;
  /** H, slots. */
  readonly horizon: number;
  /** ε_v, largest error of V_φ. */
  readonly valueError: number;
  /** r_max, largest |r|. */
  readonly largestReward: number;
}

/** Π = γ^H·ε_v + 2·γ^H·r_max/(1 − γ), which bounds |y_∞ − ŷ_H| (IV-C). */
export function truncationError({ gamma, horizon, valueError, largestReward }: TruncationTerms): number {
  const left = gamma ** horizon;
  return left * valueError + (2 * left * largestReward) / (1 - gamma);
}

/** The bound (37): J(π*) − J(π̂) ≤ 4/(1 − γ)·(Π + ε_r) + ε_PPO; ε_r is the largest error of the predicted return. */
export function performanceBound(
  terms: TruncationTerms & { readonly predictionError: number; readonly policyError: number },
): number {
  return (4 / (1 - terms.gamma)) * (truncationError(terms) + terms.predictionError) + terms.policyError;
}

/** The effect of truncating returns at H slots on a recorded run, with its ε_v and r_max. */
export interface TruncationCheck extends TruncationTerms {
  /** |y_∞ − ŷ_H| of every start: its mean and its largest. */
  readonly meanError: number;
  readonly largestError: number;
  /** Π. */
  readonly bound: number;
  readonly holds: boolean;
}

/**
 * The first step of the proof of (37), on a recorded run: |y_∞ − ŷ_H| ≤ Π, for every start and every H. ε_v is the
 * largest |V(s_t) − y_∞(t)| of the run, r_max its largest |r|.
 *
 * Note: a recorded run ends. y_∞ counts V for the time after the run, whose weight is at most γ^tail.
 *
 * @param rewards r_1..r_T, [T].
 * @param values V(s_0)..V(s_T), [T + 1].
 * @param tail slots at the run's end that only serve as the future of earlier ones.
 */
export function truncationChecks(
  rewards: Float64Array,
  values: Float64Array,
  gamma: number,
  horizons: readonly number[],
  tail: number,
): TruncationCheck[] {
  const T = rewards.length;
  const y = rewards.map((_, t) => truncatedReturn(rewards.subarray(t), gamma, values[T]));
  const known = T - tail;
  const largest = (all: Float64Array): number => all.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  const largestReward = largest(rewards);
  const valueError = largest(y.subarray(0, known).map((x, t) => x - values[t]));
  return horizons.map((horizon) => {
    if (!(horizon >= 1 && horizon < known))
      throw new RangeError(`horizon is ${horizon}; allowed: 1 to ${known - 1}, so that a window ends before the tail`);
    const errors = new Float64Array(known - horizon).map((_, t) =>
      Math.abs(y[t] - truncatedReturn(rewards.subarray(t, t + horizon), gamma, values[t + horizon])),
    );
    const terms = { gamma, horizon, valueError, largestReward };
    const bound = truncationError(terms);
    const largestError = largest(errors);
    return { ...terms, meanError: mean(errors), largestError, bound, holds: largestError <= bound };
  });
}
