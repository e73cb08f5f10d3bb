import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { CostTree, allowed, drawn } from './choice';

/**
 * Each request goes to the server of least load, with those counted that were assigned before it.
 *
 * @param loadOf the load of server s at the slot's start.
 * @param addedBy the load that request i adds.
 */
function leastLoad(
  loadOf: (view: SlotView, s: number) => number,
  addedBy: (view: SlotView, i: number, s: number) => number,
): SchedulerFactory {
  return (config, rng) => {
    const load = new CostTree(config.servers);
    return (view, assignment) => {
      for (let s = 0; s < config.servers; s++) load.set(s, loadOf(view, s));
      for (let i = 0; i < view.count; i++) {
        const s = load.cheapest(view, i, rng);
        assignment[i] = s;
        load.set(s, load.cost[s] + addedBy(view, i, s));
      }
    };
  };
}

/** LL with the workload, remaining KV memory-time, updated inside the slot. */
export const leastLoadedInSlot: SchedulerFactory = leastLoad(
  (view, s) => view.workload[s],
  (view, i, s) => view.requestWorkload(i, s),
);

/** Join the shortest queue: the server with the fewest requests. */
export const shortestQueue: SchedulerFactory = leastLoad(
  (view, s) => view.requestsOn(s),
  () => 1,
);

/** Power of two choices (Mitzenmacher 2001): of two servers drawn, the one with fewer requests. */
export const powerOfTwo: SchedulerFactory = (_, rng) => (view, assignment) => {
  const queued = view.running.map((_n, s) => view.requestsOn(s));
  for (let i = 0; i < view.count; i++) {
    const [a, b] = [drawn(view, i, rng), drawn(view, i, rng)];
    const s = queued[b] < queued[a] ? b : a;
    assignment[i] = s;
    queued[s]++;
  }
};

/**
 * LL as published (V-B): the server with the least current workload. It is read once at the slot's start, so that all of
 * a slot's requests see the same value and go to the same server; ties are drawn.
 */
export const leastLoaded: SchedulerFactory = (_, rng) => (view, assignment) => {
  const leastOf = (i: number): number[] => {
    const servers = allowed(view, i);
    const least = Math.min(...servers.map((s) => view.workload[s]));
    return servers.filter((s) => view.workload[s] === least);
  };
  // When all servers can hold all requests, the least loaded are the same for the whole slot.
  const ofAll = view.allFit ? leastOf(0) : [];
  for (let i = 0; i < view.count; i++) {
    const ties = view.allFit ? ofAll : leastOf(i);
    assignment[i] = ties[ties.length === 1 ? 0 : rng.int(ties.length)];
  }
};
