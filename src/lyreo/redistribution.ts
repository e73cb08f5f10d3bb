/**
 * Redistribution as printed (IV-B2): r'_{t+1} = g_t − g_{t−1} with g_{−1} = 0, where g_t predicts the window's return.
 * The remainder y − g_{H−1}, which the predictor did not foresee, goes to the last step, so that Σ r' = y exactly.
 * Note: how the remainder is handed back is not printed.
 *
 * @param predictions g, [H].
 * @param returned y, the window's return.
 */
export function redistributeReturn(predictions: Float64Array, returned: number): Float64Array {
  const H = predictions.length;
  const redistributed = new Float64Array(H);
  let before = 0;
  for (let t = 0; t < H; t++) {
    redistributed[t] = predictions[t] - before;
    before = predictions[t];
  }
  if (H > 0) redistributed[H - 1] += returned - before;
  return redistributed;
}

/**
 * Redistribution by return to go: with Q_t the predicted Σ_{h≥0} γ^h·c_{t+h} after the decision of slot t,
 *   r'_t = Q_t − (Q_{t−1} − c_{t−1})/γ,   r'_0 = Q_0,
 * what slot t's decision changed in the prospect. A prospect that was right leaves r' with mean zero whatever comes
 * later, so a decision is judged by its own slot's r'. The last step gets c_{T−1} − Q_{T−1} on top, and
 * Σ γ^t·r'_t = Σ γ^t·c_t exactly.
 *
 * Note: departs from the paper, whose fixed-start return weighs late steps by γ^t (about 0.006 at 250) and so gives
 * the end of a window next to no signal.
 *
 * @param estimates Q, [T].
 * @param costs c, [T].
 */
export function redistributeToGo(estimates: Float64Array, costs: Float64Array, gamma: number): Float64Array {
  const T = estimates.length;
  const redistributed = new Float64Array(T);
  for (let t = 0; t < T; t++)
    redistributed[t] = t === 0 ? estimates[0] : estimates[t] - (estimates[t - 1] - costs[t - 1]) / gamma;
  if (T > 0) redistributed[T - 1] += costs[T - 1] - estimates[T - 1];
  return redistributed;
}

/**
 * How good a predictor is, in [0, 1]: the share of the targets' variance that it explains, R² cut off at 0. A bad
 * predictor has quality 0, and its redistribution is not used.
 */
export function predictionQuality(predictions: Float64Array, targets: Float64Array): number {
  const n = targets.length;
  if (n === 0) return 0;
  let mean = 0;
  for (const y of targets) mean += y / n;
  let residual = 0;
  let total = 0;
  for (let k = 0; k < n; k++) {
    residual += (targets[k] - predictions[k]) ** 2;
    total += (targets[k] - mean) ** 2;
  }
  const quality = 1 - residual / total;
  return quality > 0 && total > 0 ? quality : 0;
}
