import { balanceDeviation } from '../../env/virtual-queue';
import { leastAlone } from './alone';
import type { ServerCosts } from './server-costs';

/** The best assignment of an episode's requests, found with all of them known. */
export interface Optimum {
  /** Least mean D_tot, s; NaN without requests. */
  readonly meanLatency: number;
  /** Largest mean over slots of Y_s, over servers. */
  readonly worstDeviation: number;
  /** Server of every request, [T][requests of the slot]; one of the best, if there are several. */
  readonly assignments: readonly (readonly number[])[];
  /** Beginnings of episodes that were examined. */
  readonly nodes: number;
}

/**
 * The least mean latency over all S^N assignments of an episode's requests (P1, III-E, over T slots with everything
 * known), by depth-first branch and bound over slots:
 *   min Σ D_tot   subject to   1/T·Σ_t Y_s(t) ≤ tolerance for every s.
 *
 * A beginning, the assignments of slots 0 … t, is given up when this is not below the best found:
 *   Σ_s (Σ D_tot of the requests sent so far, if nothing else came) + Σ_later (least latency alone).
 * It never exceeds the cost of an episode that begins so. Later slots' requests are prefilled and admitted after the
 * earlier ones in order of arrival, so that by the time they can take effect every earlier request is prefilled and joins
 * in the same iteration as without them; iterations only become longer, by a running prefill or by a larger batch. Later
 * requests themselves are bounded by `leastAlone`. The deviation so far is final as well, η of a slot depending on the past only, and
 * can but grow.
 *
 * @param tolerance ε; default ∞, without the constraint.
 * @returns null when no assignment keeps the constraint.
 */
export function exactOptimum(costs: ServerCosts, tolerance: number = Infinity): Optimum | null {
  const { config, servers, requests } = costs.episode;
  /** Σ over requests n, n + 1, …, [N + 1]. */
  const aloneFrom = [...leastAlone(costs.episode), 0];
  for (let n = requests.length - 1; n >= 0; n--) aloneFrom[n] += aloneFrom[n + 1];
  let nodes = 0;
  let least = Infinity;
  let best: Assigned | null = null;

  /** Goes through the assignments of slot t, the most promising first. */
  const follow = (beginning: Assigned, t: number): void => {
    if (t === config.slots) {
      least = secondsOf(costs, beginning);
      best = beginning;
      return;
    }
    let longer = [beginning];
    for (const { slot } of requests)
      if (slot === t) longer = longer.flatMap((assigned) => servers.map((_, s) => [...assigned, s]));
    nodes += longer.length;
    const branches = longer
      .map((assigned) => ({ assigned, bound: secondsOf(costs, assigned) + aloneFrom[assigned.length] }))
      .filter(({ bound }) => bound < least - ROUNDING)
      .filter(({ assigned }) => tolerance === Infinity || worstDeviation(costs, assigned, t + 1) <= tolerance)
      .sort((x, y) => x.bound - y.bound);
    for (const { assigned, bound } of branches) if (bound < least - ROUNDING) follow(assigned, t + 1);
  };
  follow([], 0);

  const found = best as Assigned | null;
  if (found === null) return null;
  return {
    meanLatency: least / requests.length,
    worstDeviation: worstDeviation(costs, found, config.slots),
    assignments: Array.from({ length: config.slots }, (_, t) => found.filter((_s, n) => requests[n].slot === t)),
    nodes,
  };
}

/** The servers of the first requests of an episode. */
type Assigned = readonly number[];

/** Rounding that may lie between equal sums added in different orders, s. */
const ROUNDING = 1e-9;

/** Σ D_tot if nothing else came. */
function secondsOf(costs: ServerCosts, assigned: Assigned): number {
  return costs.of(assigned).reduce((sum, { seconds }) => sum + seconds, 0);
}

/** max_s 1/T·Σ Y_s over the first `slots` slots. */
function worstDeviation(costs: ServerCosts, assigned: Assigned, slots: number): number {
  const outcomes = costs.of(assigned);
  const deviation = new Float64Array(outcomes.length);
  const sums = new Float64Array(outcomes.length);
  for (let t = 0; t < slots; t++) {
    const eta = Float64Array.from(outcomes, (outcome) => outcome.eta[t]);
    balanceDeviation(eta, deviation);
    deviation.forEach((y, s) => (sums[s] += y));
  }
  return Math.max(...sums) / costs.episode.config.slots;
}
