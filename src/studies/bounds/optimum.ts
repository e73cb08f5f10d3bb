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
 * It never exceeds what the beginning leads to. Later slots' requests are prefilled and admitted after the earlier ones
 * in order of arrival, so that by the time they can take effect every earlier request is prefilled and joins in the
 * same iteration as without them; iterations only become longer, by a running prefill or by a larger batch. What is
 * left is bounded by `leastAlone`. The deviation so far is final as well, η of a slot depending on the past only, and
 * can but grow.
 *
 * @param tolerance ε; default ∞, without the constraint.
 * @returns null when no assignment keeps the constraint.
 */
export function exactOptimum(costs: ServerCosts, tolerance: number = Infinity): Optimum | null {
  const { firstOfSlot, config, servers: specs, count } = costs.episode;
  const aloneFrom = new Float64Array(count + 1);
  const alone = leastAlone(costs.episode);
  for (let n = count - 1; n >= 0; n--) aloneFrom[n] = aloneFrom[n + 1] + alone[n];
  const secondsOf = (sets: Int32Array): number => sets.reduce((sum, set, s) => sum + costs.of(s, set).seconds, 0);
  const servers = new Int32Array(count);
  let nodes = 0;
  let least = Infinity;
  let best: Found | null = null;

  /** Goes through the assignments of slot t, the most promising first; `sets` are the requests on each server so far, [S]. */
  const from = (t: number, sets: Int32Array): void => {
    if (t === config.slots) {
      least = secondsOf(sets);
      best = { sets, servers: servers.slice() };
      return;
    }
    const branches: (Found & { readonly bound: number })[] = [];
    const [first, end] = [firstOfSlot[t], firstOfSlot[t + 1]];
    const assign = (n: number, soFar: Int32Array): void => {
      if (n < end) {
        for (let s = 0; s < soFar.length; s++) {
          const next = soFar.slice();
          next[s] |= 1 << n;
          servers[n] = s;
          assign(n + 1, next);
        }
        return;
      }
      nodes++;
      const bound = secondsOf(soFar) + aloneFrom[end];
      if (bound < least - ROUNDING && (tolerance === Infinity || worstDeviation(costs, soFar, t + 1) <= tolerance))
        branches.push({ sets: soFar, bound, servers: servers.slice(first, end) });
    };
    assign(first, sets);
    branches.sort((x, y) => x.bound - y.bound);
    for (const branch of branches) {
      if (branch.bound >= least - ROUNDING) return;
      servers.set(branch.servers, first);
      from(t + 1, branch.sets);
    }
  };
  from(0, new Int32Array(specs.length));

  const found = best as Found | null;
  if (found === null) return null;
  return {
    meanLatency: least / count,
    worstDeviation: worstDeviation(costs, found.sets, config.slots),
    assignments: Array.from({ length: config.slots }, (_, t) =>
      Array.from(found.servers.subarray(firstOfSlot[t], firstOfSlot[t + 1])),
    ),
    nodes,
  };
}

/** The requests on each server as sets, [S], and the server of each request. */
interface Found {
  readonly sets: Int32Array;
  readonly servers: Int32Array;
}

/** Rounding that may lie between equal sums added in different orders, s. */
const ROUNDING = 1e-9;

/** max_s 1/T·Σ Y_s over the first `slots` slots. */
function worstDeviation(costs: ServerCosts, sets: Int32Array, slots: number): number {
  const { servers, config } = costs.episode;
  const deviation = new Float64Array(servers.length);
  const sums = new Float64Array(servers.length);
  for (let t = 0; t < slots; t++) {
    balanceDeviation(
      Float64Array.from(sets, (set, s) => costs.of(s, set).eta[t]),
      deviation,
    );
    deviation.forEach((y, s) => (sums[s] += y));
  }
  return Math.max(...sums) / config.slots;
}
