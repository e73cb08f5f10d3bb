import { returnsToGo, truncatedReturn, truncationError } from './returns';

/** What truncating returns at H slots does on a recorded run. */
export interface TruncationCheck {
  /** H. */
  readonly horizon: number;
  /** |y_∞ − ŷ_H| of every start: its mean and its largest. */
  readonly meanError: number;
  readonly largestError: number;
  /** ε_v and r_max of the run. */
  readonly valueError: number;
  readonly largestReward: number;
  /** Π with them. */
  readonly bound: number;
  readonly holds: boolean;
}

/**
 * The first step of the proof of (37), on a recorded run: |y_∞ − ŷ_H| ≤ Π, for every start and every H. ε_v is the
 * largest |V(s_t) − y_∞(t)| of the run, r_max its largest |r|.
 *
 * Note: a recorded run ends. y_∞ counts V for what comes after the run, whose weight is at most γ^tail.
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
  const y = returnsToGo(rewards, gamma, values[T]);
  const known = T - tail;
  const largestReward = largest(rewards);
  const valueError = largest(y.subarray(0, known).map((x, t) => x - values[t]));
  return horizons.map((horizon) => {
    if (!(horizon >= 1 && horizon < known))
      throw new RangeError(`horizon is ${horizon}; allowed: 1 to ${known - 1}, so that a window ends before the tail`);
    const errors = Float64Array.from({ length: known - horizon }, (_, t) =>
      Math.abs(y[t] - truncatedReturn(rewards.subarray(t, t + horizon), gamma, values[t + horizon])),
    );
    const bound = truncationError({ gamma, horizon, valueError, largestReward });
    const largestError = largest(errors);
    const meanError = errors.reduce((a, b) => a + b, 0) / errors.length;
    return { horizon, meanError, largestError, valueError, largestReward, bound, holds: largestError <= bound };
  });
}

function largest(values: Float64Array): number {
  let most = 0;
  for (const x of values) most = Math.max(most, Math.abs(x));
  return most;
}
