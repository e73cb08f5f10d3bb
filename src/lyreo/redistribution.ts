/**
 * Redistribution as printed (IV-B2): r'_{t+1} = g_t − g_{t−1} with g_{−1} = 0, where g_t predicts the window's return.
 * The remainder y − g_{H−1}, which the predictor did not foresee, goes to the last step, so that Σ r' = y exactly.
 * Note: how the remainder is handed back is not printed.
 *
 * @param predictions g, [H].
 * @param returned y.
 */
export function redistributeReturn(predictions: Float64Array, returned: number): Float64Array {
  const H = predictions.length;
  const redistributed = predictions.map((g, t) => g - (t === 0 ? 0 : predictions[t - 1]));
  if (H > 0) redistributed[H - 1] += returned - predictions[H - 1];
  return redistributed;
}

/**
 * Redistribution by return to go, [T]: with Q_t the predicted Σ_{h≥0} γ^h·c_{t+h} after the decision of slot t,
 *   r'_t = Q_t − (Q_{t−1} − c_{t−1})/γ,   r'_0 = Q_0,
 * the change that slot t's decision made in the return to go. A right one leaves r' with mean zero for all later
 * slots, so a decision is judged by its own slot's r'. The last step gets c_{T−1} − Q_{T−1} on top, and
 * Σ γ^t·r'_t = Σ γ^t·c_t exactly.
 *
 * Note: departs from the paper, whose fixed-start return weighs late steps by γ^t (about 0.006 at 250) and so gives
 * the end of a window next to no signal.
 */
export function redistributeToGo(estimates: Float64Array, costs: Float64Array, gamma: number): Float64Array {
  const T = estimates.length;
  const redistributed = estimates.map((q, t) => (t === 0 ? q : q - (estimates[t - 1] - costs[t - 1]) / gamma));
  if (T > 0) redistributed[T - 1] += costs[T - 1] - estimates[T - 1];
  return redistributed;
}

/**
 * How good a predictor is, in [0, 1]: the share of the targets' variance that it explains, R² cut off at 0. A bad
 * predictor has quality 0, and its redistribution is not used.
 */
export function predictionQuality(predictions: Float64Array, targets: Float64Array): number {
  const centre = targets.reduce((sum, y) => sum + y / targets.length, 0);
  const residual = targets.reduce((sum, y, k) => sum + (y - predictions[k]) ** 2, 0);
  const total = targets.reduce((sum, y) => sum + (y - centre) ** 2, 0);
  const quality = 1 - residual / total;
  return quality > 0 && total > 0 ? quality : 0;
}
