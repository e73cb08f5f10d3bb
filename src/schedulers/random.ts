import type { SchedulerFactory } from '../env/scheduler';
import { allowed } from './allowed';

/** Random (V-B): every request to a server drawn uniformly among those that can hold it. */
export const random: SchedulerFactory = (config, rng) => {
  const candidates = new Int32Array(config.servers);
  return (view, assignment) => {
    for (let i = 0; i < view.count; i++) {
      if (view.allFit) assignment[i] = rng.int(view.serverCount);
      else assignment[i] = candidates[rng.int(allowed(view, i, candidates))];
    }
  };
};
