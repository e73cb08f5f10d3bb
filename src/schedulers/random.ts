import type { SchedulerFactory } from '../env/scheduler';
import { drawn } from './allowed';

/** Random (V-B): every request to a server drawn uniformly among those that can hold it. */
export const random: SchedulerFactory = (_, rng) => (view, assignment) => {
  for (let i = 0; i < view.count; i++) assignment[i] = drawn(view, i, rng);
};
