import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { allowed } from './allowed';
import { CostTree } from './cost-tree';

/** Join the shortest queue: the server with the fewest requests, those of this slot counted as they are assigned. */
export const shortestQueue: SchedulerFactory = (config, rng) => {
  const queued = new CostTree(config.servers);
  const atStart = new Float64Array(config.servers);
  return (view, assignment) => {
    for (let s = 0; s < atStart.length; s++) atStart[s] = requestsOn(view, s);
    queued.setAll(atStart);
    for (let i = 0; i < view.count; i++) {
      const s = queued.cheapest(view, i, rng);
      assignment[i] = s;
      queued.set(s, queued.cost[s] + 1);
    }
  };
};

/** Power of two choices (Mitzenmacher 2001): of two servers drawn, the one with fewer requests. */
export const powerOfTwo: SchedulerFactory = (config, rng) => {
  const queued = new Float64Array(config.servers);
  const candidates = new Int32Array(config.servers);
  return (view, assignment) => {
    for (let s = 0; s < queued.length; s++) queued[s] = requestsOn(view, s);
    for (let i = 0; i < view.count; i++) {
      const n = view.allFit ? candidates.length : allowed(view, i, candidates);
      const a = drawn(view, candidates, rng.int(n));
      const b = drawn(view, candidates, rng.int(n));
      const s = queued[b] < queued[a] ? b : a;
      assignment[i] = s;
      queued[s]++;
    }
  };
};

/** The k-th server that can hold the request; when all can, the list is not even made. */
function drawn(view: SlotView, candidates: Int32Array, k: number): number {
  return view.allFit ? k : candidates[k];
}

function requestsOn(
  view: { running: Float64Array; waiting: Float64Array; prefilling: Float64Array },
  s: number,
): number {
  return view.running[s] + view.waiting[s] + view.prefilling[s];
}
