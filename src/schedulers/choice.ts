import type { Rng } from '../core/rng';
import type { SlotView } from '../env/slot-view';

/** The servers that request i may be sent to, at least one. */
export function allowed(view: SlotView, i: number): number[] {
  const all = Array.from({ length: view.serverCount }, (_, s) => s);
  return view.allFit ? all : all.filter((s) => view.isCandidate(i, s));
}

/** A server drawn uniformly among those that request i may be sent to. */
export function drawn(view: SlotView, i: number, rng: Rng): number {
  // When all servers can hold all requests, the list is not even made.
  if (view.allFit) return rng.int(view.serverCount);
  const servers = allowed(view, i);
  return servers[rng.int(servers.length)];
}

/** Index of the smallest of `cost[s]` among the servers that request i may be sent to; equals are drawn. */
export function cheapest(view: SlotView, i: number, cost: Float64Array, rng: Rng): number {
  let best = -1;
  let ties = 0;
  for (let s = 0; s < cost.length; s++) {
    if ((best >= 0 && !(cost[s] <= cost[best])) || !(view.allFit || view.isCandidate(i, s))) continue;
    ties = best >= 0 && cost[s] === cost[best] ? ties + 1 : 1;
    best = ties === 1 ? s : best;
  }
  if (ties === 1) return best;
  let skip = rng.int(ties);
  for (let s = best; s < cost.length; s++)
    if (cost[s] === cost[best] && (view.allFit || view.isCandidate(i, s)) && skip-- === 0) return s;
  return best;
}

/**
 * A cost per server whose least is known at any time: a tournament tree, in which a change replays log2(S) matches. With
 * thousands of servers it keeps the work per request from growing with them, unless several are equally cheap.
 */
export class CostTree {
  /** [S]; to be changed by `set`. */
  readonly cost: Float64Array;
  /** The least cost below every node: node n has the children 2n and 2n + 1, the leaves are the servers. */
  private readonly least: Float64Array;

  constructor(servers: number) {
    const leaves = 2 ** Math.ceil(Math.log2(servers));
    this.least = new Float64Array(2 * leaves).fill(Infinity);
    this.cost = this.least.subarray(leaves, leaves + servers);
  }

  set(s: number, cost: number): void {
    const { least } = this;
    let node = least.length / 2 + s;
    least[node] = cost;
    for (node >>= 1; node > 0; node >>= 1) least[node] = Math.min(least[2 * node], least[2 * node + 1]);
  }

  /** As the function `cheapest`. */
  cheapest(view: SlotView, i: number, rng: Rng): number {
    const { least } = this;
    const leaves = least.length / 2;
    let node = 1;
    while (view.allFit && node < leaves && least[2 * node] !== least[2 * node + 1])
      node = 2 * node + (least[2 * node + 1] < least[2 * node] ? 1 : 0);
    return node < leaves ? cheapest(view, i, this.cost, rng) : node - leaves;
  }
}
