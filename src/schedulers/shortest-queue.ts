import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { drawn } from './allowed';
import { leastLoad } from './cost-tree';

/** Requests on server s at the slot's start. */
export function requestsOn({ running, waiting, prefilling }: SlotView, s: number): number {
  return running[s] + waiting[s] + prefilling[s];
}

/** Join the shortest queue: the server with the fewest requests, those of this slot counted as they are assigned. */
export const shortestQueue: SchedulerFactory = leastLoad(requestsOn, () => 1);

/** Power of two choices (Mitzenmacher 2001): of two servers drawn, the one with fewer requests. */
export const powerOfTwo: SchedulerFactory = (config, rng) => (view, assignment) => {
  const queued = new Float64Array(config.servers).map((_, s) => requestsOn(view, s));
  for (let i = 0; i < view.count; i++) {
    const [a, b] = [drawn(view, i, rng), drawn(view, i, rng)];
    const s = queued[b] < queued[a] ? b : a;
    assignment[i] = s;
    queued[s]++;
  }
};
