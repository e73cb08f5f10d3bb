import type { Rng } from '../core/rng';
import type { SlotView } from '../env/slot-view';

/** Writes the servers that request i may be sent to, at least one, to `out`; returns how many. */
export function allowed(view: SlotView, i: number, out: Int32Array): number {
  let n = 0;
  for (let s = 0; s < view.serverCount; s++) if (view.allFit || view.isCandidate(i, s)) out[n++] = s;
  return n;
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
