/** The bootstrapped return of a window (IV-B2), rewards r_1..r_H: ŷ_H = Σ_{h<H} γ^h·r_{h+1} + γ^H·V_φ(s_H). */
export function truncatedReturn(rewards: Float64Array, gamma: number, value: number): number {
  return rewards.reduceRight((y, reward) => reward + gamma * y, value);
}

/**
 * Generalised advantage estimation (Schulman et al. 2016): δ_t = r_t + γ·V(s_{t+1}) − V(s_t),
 * Â_t = Σ_h (γλ)^h·δ_{t+h}. The cut at T is a truncation: the state after it has a value.
 *
 * @param rewards r, [T].
 * @param values V(s_0)..V(s_T), [T + 1]; the last is the value of the state where the sequence was cut.
 */
export function generalisedAdvantage(
  rewards: Float64Array,
  values: Float64Array,
  gamma: number,
  lambda: number,
): Float64Array {
  const T = rewards.length;
  if (values.length !== T + 1)
    throw new RangeError(`values has ${values.length} numbers; allowed: ${T + 1}, one more than rewards`);
  const advantage = new Float64Array(T);
  let next = 0;
  for (let t = T - 1; t >= 0; t--) {
    const delta = rewards[t] + gamma * values[t + 1] - values[t];
    next = delta + gamma * lambda * next;
    advantage[t] = next;
  }
  return advantage;
}

/**
 * Targets of a return-to-go estimate Q of costs c, [T] each, between one step and the whole return:
 * y_t = c_t + γ·((1 − λ)·Q_{t+1} + λ·y_{t+1}); behind the end Q keeps its last value.
 */
export function lambdaTargets(
  costs: Float64Array,
  estimates: Float64Array,
  gamma: number,
  lambda: number,
): Float64Array {
  const T = costs.length;
  const y = new Float64Array(T);
  let next = T === 0 ? 0 : estimates[T - 1];
  for (let t = T - 1; t >= 0; t--) {
    const q = estimates[Math.min(t + 1, T - 1)];
    next = costs[t] + gamma * ((1 - lambda) * q + lambda * next);
    y[t] = next;
  }
  return y;
}
