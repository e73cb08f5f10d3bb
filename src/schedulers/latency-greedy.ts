import type { SchedulerFactory } from '../env/scheduler';
import { cheapest } from './allowed';
import { Forecast } from './forecast';

/** Latency-greedy: each request goes where its own forecast latency is least; it sees those assigned before it. */
export const latencyGreedy: SchedulerFactory = (config, rng) => {
  const cost = new Float64Array(config.servers);
  let forecast: Forecast | undefined;
  return (view, assignment) => {
    forecast ??= new Forecast(view);
    forecast.begin(view);
    for (let i = 0; i < view.count; i++) {
      for (let s = 0; s < cost.length; s++) cost[s] = forecast.latency(i, s);
      const s = cheapest(view, i, cost, rng);
      assignment[i] = s;
      forecast.assign(i, s);
    }
  };
};
