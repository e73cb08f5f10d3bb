import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { allowed } from './allowed';
import { CostTree } from './cost-tree';

/**
 * LL as published (V-B): the server with the least current workload, remaining KV memory-time. The workload is read
 * once at the slot's start, so that all of a slot's requests see the same value and go to the same server; ties are
 * drawn.
 */
export const leastLoaded: SchedulerFactory = (config, rng) => {
  const candidates = new Int32Array(config.servers);
  return (view, assignment) => {
    // When all servers can hold all requests, the least loaded are the same for the whole slot.
    let ties = view.allFit ? leastOf(view, 0, candidates) : 0;
    for (let i = 0; i < view.count; i++) {
      if (!view.allFit) ties = leastOf(view, i, candidates);
      assignment[i] = candidates[ties === 1 ? 0 : rng.int(ties)];
    }
  };
};

/** Writes the servers of least workload among those that can hold request i to `out`; returns how many. */
function leastOf(view: SlotView, i: number, out: Int32Array): number {
  const n = allowed(view, i, out);
  let least = Infinity;
  let ties = 0;
  for (let k = 0; k < n; k++) {
    const s = out[k];
    const load = view.workload[s];
    if (load < least) {
      least = load;
      ties = 0;
    }
    if (load === least) out[ties++] = s;
  }
  return ties;
}

/** LL with the workload updated inside the slot: each request sees those assigned before it. */
export const leastLoadedInSlot: SchedulerFactory = (config, rng) => {
  const load = new CostTree(config.servers);
  return (view, assignment) => {
    load.setAll(view.workload);
    for (let i = 0; i < view.count; i++) {
      const s = load.cheapest(view, i, rng);
      assignment[i] = s;
      load.set(s, load.cost[s] + view.requestWorkload(i, s));
    }
  };
};
