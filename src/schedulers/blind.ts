/** Schedulers that do not look at the servers' state. */
import type { SchedulerFactory } from '../env/scheduler';
import { cheapest, drawn } from './choice';

/** Random (V-B): every request to a server drawn uniformly among those that can hold it. */
export const random: SchedulerFactory = (_, rng) => (view, assignment) => {
  for (let i = 0; i < view.count; i++) assignment[i] = drawn(view, i, rng);
};

/**
 * Weighted round robin, the smooth form: with each request every server pays off debt in proportion to its weight; the
 * server with the least debt takes the request, which costs the sum of the weights. A weight is the server's speed at
 * serving KV memory-time: pool size over iteration time with a full pool. Ties are drawn.
 */
export const weightedRoundRobin: SchedulerFactory = (config, rng) => {
  const debt = new Float64Array(config.servers);
  return (view, assignment) => {
    const weight = view.maxTokens.map((tokens, s) => tokens / view.iterationSeconds(s, tokens));
    const total = weight.reduce((sum, w) => sum + w, 0);
    for (let i = 0; i < view.count; i++) {
      for (let s = 0; s < debt.length; s++) debt[s] -= weight[s];
      const s = cheapest(view, i, debt, rng);
      debt[s] += total;
      assignment[i] = s;
    }
  };
};
