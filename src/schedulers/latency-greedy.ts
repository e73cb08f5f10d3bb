import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { cheapest } from './allowed';
import { Forecast } from './forecast';

/**
 * Requests are assigned one after the other, each to the server of least cost by a forecast that counts those before it.
 *
 * @param costOf the cost of request i on server s.
 */
export function greedy<F extends Forecast>(
  make: (view: SlotView) => F,
  costOf: (forecast: F, i: number, s: number) => number,
): SchedulerFactory {
  return (config, rng) => {
    const cost = new Float64Array(config.servers);
    let forecast: F | undefined;
    return (view, assignment) => {
      forecast ??= make(view);
      forecast.begin(view);
      for (let i = 0; i < view.count; i++) {
        for (let s = 0; s < cost.length; s++) cost[s] = costOf(forecast, i, s);
        const s = cheapest(view, i, cost, rng);
        assignment[i] = s;
        forecast.assign(i, s);
      }
    };
  };
}

/** Latency-greedy: each request goes where its own forecast latency is least; it sees those assigned before it. */
export const latencyGreedy: SchedulerFactory = greedy(
  (view) => new Forecast(view),
  (forecast, i, s) => forecast.latency(i, s),
);
