import type { SchedulerFactory } from '../env/scheduler';
import { cheapest } from './allowed';
import { Forecast } from './forecast';

/**
 * Drift-plus-penalty greedy: requests are assigned one after the other to the server that adds least to the objective
 * of P2 (IV-A), ν·Σ D_tot + Σ_s Z_s·Y_s. The latency counts the request's own and what it costs the others in the
 * running batch; the deviation is that of the forecast KV occupation, for as long as the request stays.
 */
export const driftPlusPenalty: SchedulerFactory = (config) => {
  const { servers, latencyWeight, balanceUnit, slotSeconds } = config;
  const cost = new Float64Array(servers);
  const share = new Float64Array(servers);
  let forecast: Forecast | undefined;
  return (view, assignment) => {
    forecast ??= new Forecast(view, servers);
    forecast.begin(view);
    for (let s = 0; s < servers; s++) share[s] = Math.min(1, forecast.occupation(s) / (view.maxTokens[s] as number));
    for (let i = 0; i < view.count; i++) {
      const balance = balanceOf(view.queue, share);
      for (let s = 0; s < servers; s++) {
        const stay = (view.predictedTokens[i] as number) * forecast.iterationSeconds(i, s);
        const imbalance = balance.growth(s, forecast.meanTokens(i) / (view.maxTokens[s] as number)) / (balanceUnit * balanceUnit);
        cost[s] = latencyWeight * (forecast.latency(i, s) + forecast.delayToOthers(i, s)) + (imbalance * stay) / slotSeconds;
      }
      const s = cheapest(view, i, cost);
      assignment[i] = s;
      forecast.assign(i, s);
      share[s] = Math.min(1, forecast.occupation(s) / (view.maxTokens[s] as number));
    }
  };
};

/** Σ_s Z_s·(x_s − x̄)² as a quadratic form, so that one server's share can be raised in constant time. */
function balanceOf(queue: Float64Array, share: Float64Array): { growth(s: number, by: number): number } {
  const n = share.length;
  let zxx = 0;
  let zx = 0;
  let z = 0;
  let sum = 0;
  for (let s = 0; s < n; s++) {
    const q = queue[s] as number;
    const x = share[s] as number;
    zxx += q * x * x;
    zx += q * x;
    z += q;
    sum += x;
  }
  const value = (a: number, b: number, mean: number): number => a - 2 * mean * b + mean * mean * z;
  const before = value(zxx, zx, sum / n);
  return {
    growth(s, by): number {
      const q = queue[s] as number;
      const x = share[s] as number;
      return value(zxx + q * by * (2 * x + by), zx + q * by, (sum + by) / n) - before;
    },
  };
}
