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
  const search = new Search(costs, tolerance);
  search.from(0, new Int32Array(costs.episode.servers.length));
  return search.best();
}

/** Rounding that may lie between equal sums added in different orders, s. */
const ROUNDING = 1e-9;

class Search {
  private nodes = 0;
  private least = Infinity;
  private bestServers: number[] | null = null;
  private readonly servers: number[];
  /** Σ of the least latencies alone of requests n, n + 1, …, [N + 1]. */
  private readonly aloneFrom: Float64Array;

  constructor(
    private readonly costs: ServerCosts,
    private readonly tolerance: number,
  ) {
    const { episode } = costs;
    this.servers = Array.from({ length: episode.count }, () => 0);
    this.aloneFrom = new Float64Array(episode.count + 1);
    leastAlone(episode).forEach((_, i, alone) => {
      const n = episode.count - 1 - i;
      this.aloneFrom[n] = this.aloneFrom[n + 1] + alone[n];
    });
  }

  /**
   * Goes through the assignments of slot t, the most promising first.
   *
   * @param sets requests on each server so far, [S].
   */
  from(t: number, sets: Int32Array): void {
    const { episode } = this.costs;
    if (t === episode.config.slots) {
      this.least = this.secondsOf(sets);
      this.bestServers = this.servers.slice();
      return;
    }
    const branches: { readonly sets: Int32Array; readonly bound: number; readonly servers: number[] }[] = [];
    const first = episode.firstOfSlot[t];
    const end = episode.firstOfSlot[t + 1];
    const assign = (n: number, soFar: Int32Array): void => {
      if (n < end) {
        for (let s = 0; s < soFar.length; s++) {
          const next = soFar.slice();
          next[s] |= 1 << n;
          this.servers[n] = s;
          assign(n + 1, next);
        }
        return;
      }
      this.nodes++;
      const bound = this.secondsOf(soFar) + this.aloneFrom[end];
      if (bound < this.least - ROUNDING && this.keepsBalance(soFar, t + 1))
        branches.push({ sets: soFar, bound, servers: this.servers.slice(first, end) });
    };
    assign(first, sets);
    branches.sort((a, b) => a.bound - b.bound);
    for (const branch of branches) {
      if (branch.bound >= this.least - ROUNDING) return;
      branch.servers.forEach((s, i) => (this.servers[first + i] = s));
      this.from(t + 1, branch.sets);
    }
  }

  best(): Optimum | null {
    const { episode } = this.costs;
    const { bestServers, nodes } = this;
    if (bestServers === null) return null;
    const { firstOfSlot, config, servers, count } = episode;
    const sets = new Int32Array(servers.length);
    bestServers.forEach((s, n) => (sets[s] |= 1 << n));
    return {
      meanLatency: this.least / count,
      worstDeviation: this.worstDeviation(sets, config.slots),
      assignments: Array.from({ length: config.slots }, (_, t) =>
        bestServers.slice(firstOfSlot[t], firstOfSlot[t + 1]),
      ),
      nodes,
    };
  }

  private secondsOf(sets: Int32Array): number {
    let sum = 0;
    for (let s = 0; s < sets.length; s++) sum += this.costs.of(s, sets[s]).seconds;
    return sum;
  }

  private keepsBalance(sets: Int32Array, slots: number): boolean {
    return this.tolerance === Infinity || this.worstDeviation(sets, slots) <= this.tolerance;
  }

  /** max_s 1/T·Σ Y_s over the first `slots` slots. */
  private worstDeviation(sets: Int32Array, slots: number): number {
    const eta = Array.from(sets, (set, s) => this.costs.of(s, set).eta);
    const inSlot = new Float64Array(sets.length);
    const deviation = new Float64Array(sets.length);
    const sums = new Float64Array(sets.length);
    for (let t = 0; t < slots; t++) {
      for (let s = 0; s < sets.length; s++) inSlot[s] = eta[s][t];
      balanceDeviation(inSlot, deviation);
      for (let s = 0; s < sets.length; s++) sums[s] += deviation[s];
    }
    return Math.max(...sums) / this.costs.episode.config.slots;
  }
}
