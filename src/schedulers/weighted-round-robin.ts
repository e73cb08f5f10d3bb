import type { SchedulerFactory } from '../env/scheduler';

/**
 * Weighted round robin, the smooth form: every server gains credit in proportion to its weight with each request, the
 * one with the most credit takes it and pays it back. A weight is the server's speed at serving KV memory-time: pool
 * size over iteration time with a full pool. Blind to state.
 */
export const weightedRoundRobin: SchedulerFactory = (config) => {
  const credit = new Float64Array(config.servers);
  const weight = new Float64Array(config.servers);
  let total = 0;
  return (view, assignment) => {
    if (total === 0) {
      for (let s = 0; s < weight.length; s++) {
        const tokens = view.maxTokens[s];
        weight[s] = tokens / view.iterationSeconds(s, tokens);
        total += weight[s];
      }
    }
    for (let i = 0; i < view.count; i++) {
      let best = -1;
      for (let s = 0; s < weight.length; s++) {
        credit[s] += weight[s];
        if ((view.allFit || view.isCandidate(i, s)) && (best === -1 || credit[s] > credit[best])) best = s;
      }
      credit[best] -= total;
      assignment[i] = best;
    }
  };
};
