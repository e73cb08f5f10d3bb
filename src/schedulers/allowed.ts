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
