import type { SlotView } from '../env/slot-view';

/** Writes the servers that can ever hold request i to `out`; returns how many. All of them when none can. */
export function allowed(view: SlotView, i: number, out: Int32Array): number {
  let n = 0;
  for (let s = 0; s < view.serverCount; s++) if (view.allFit || view.fits(i, s)) out[n++] = s;
  if (n > 0) return n;
  for (let s = 0; s < view.serverCount; s++) out[s] = s;
  return view.serverCount;
}

/** Index of the smallest of `cost[s]` among the servers that can hold request i; the first of equals. */
export function cheapest(view: SlotView, i: number, cost: Float64Array): number {
  let best = -1;
  let least = Infinity;
  for (let s = 0; s < cost.length; s++) {
    const c = cost[s];
    if (c < least && (view.allFit || view.fits(i, s))) {
      best = s;
      least = c;
    }
  }
  return best === -1 ? 0 : best;
}
