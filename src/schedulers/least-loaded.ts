import type { SchedulerFactory } from '../env/scheduler';
import { allowed } from './allowed';
import { leastLoad } from './cost-tree';

/**
 * LL as published (V-B): the server with the least current workload, remaining KV memory-time. The workload is read
 * once at the slot's start, so that all of a slot's requests see the same value and go to the same server; ties are
 * drawn.
 */
export const leastLoaded: SchedulerFactory = (_, rng) => (view, assignment) => {
  /** The servers of least workload among those that can hold request i. */
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

/** LL with the workload updated inside the slot: each request sees those assigned before it. */
export const leastLoadedInSlot: SchedulerFactory = leastLoad(
  (view, s) => view.workload[s],
  (view, i, s) => view.requestWorkload(i, s),
);
