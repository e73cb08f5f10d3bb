import { Quantiles } from '../core/quantiles';
import { mean } from '../core/statistics';
import type { LatencyParts, RunMetrics } from '../env/metrics';
import type { SchedulerFactory } from '../env/scheduler';
import { type SimulateAsyncOptions, simulateAsync } from '../env/simulate';
import type { Stability } from '../env/stability';
import type { SystemConfig } from '../system/config';

/** The probabilities at which stored quantiles stand: 0, 0.05, …, 1. */
export const quantileLevels: readonly number[] = Array.from({ length: 21 }, (_, k) => k / 20);

/** The numbers of an episode's report that are kept; the whole evaluation has them too. */
type EpisodeMetric = (typeof fields)[number];

const fields = [
  'meanLatency',
  'deviation',
  'worstDeviation',
  'p99Latency',
  'highKvPercent',
  'meanQueue',
  'finalQueue',
  'meanEta',
] as const;

/**
 * The results of a method on held-out episodes: means over episodes, P99 and quantiles over all requests or slots. An
 * episode without a completed request has no latency, and does not enter the mean; without any it is NaN.
 */
export interface Evaluation extends Pick<RunMetrics, EpisodeMetric> {
  readonly episodes: number;
  readonly slots: number;
  readonly completed: number;
  readonly rejected: number;
  /** Mean seconds per request, part by part; their sum is the mean latency. */
  readonly parts: LatencyParts;
  /** OVERLOADED when an episode is; otherwise STABLE when all are. The reason is that of the first such episode. */
  readonly stability: Stability;
  /** Quantiles of D_tot over all requests, s, at `quantileLevels`. */
  readonly latencyQuantiles: readonly number[];
  /** Quantiles of the slots' mean Y over servers, at `quantileLevels`. */
  readonly deviationQuantiles: readonly number[];
  /**
   * Mean Z and Y over servers and episodes in each eighth of the slots. A deviation that changes from one to the next is a
   * transient. Absent in runs that were stored before there were such parts.
   */
  readonly overTime?: { readonly queue: readonly number[]; readonly deviation: readonly number[] };
  /** Each of the report's numbers, episode by episode. */
  readonly perEpisode: Readonly<Record<EpisodeMetric, readonly number[]>>;
}

/** Parts of an episode in `overTime`. */
const TIME_PARTS = 8;

/** An object with the value of each key. */
function each<K extends string, V>(keys: readonly K[], of: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<K, V>;
}

/** Quantile of sorted values, linear between order statistics (R's type 7). */
function quantileOf(sorted: readonly number[], q: number): number {
  const at = q * (sorted.length - 1);
  const low = Math.floor(at);
  return sorted[low] + (at - low) * (sorted[Math.ceil(at)] - sorted[low]);
}

/**
 * Runs a scheduler on whole episodes and keeps what the figures show; it pauses regularly, so that signals are heard.
 *
 * @param seeds one per episode; the same seeds give every method the same users, links and requests.
 * @param options the Z that the scheduler sees (a run is scored on η either way), and a signal that ends it.
 */
export async function measure(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seeds: readonly number[],
  options: Pick<SimulateAsyncOptions, 'balanceMeasure' | 'showsQueue' | 'signal'> = {},
): Promise<Evaluation> {
  const latencies = new Quantiles();
  const deviations: number[] = [];
  const queues: number[] = [];
  const runs: RunMetrics[] = [];
  const onSlot: SimulateAsyncOptions['onSlot'] = (outcome) => {
    deviations.push(mean(outcome.deviation));
    queues.push(mean(outcome.queue));
    for (const { total } of outcome.completions.rows()) latencies.add(total);
  };
  for (const seed of seeds) runs.push(await simulateAsync(config, scheduler, seed, { ...options, onSlot }));
  const byPart = (values: readonly number[]): number[] =>
    Array.from({ length: TIME_PARTS }, (_, part) =>
      mean(values.filter((_value, k) => Math.floor(((k % config.slots) * TIME_PARTS) / config.slots) === part)),
    );
  const overTime = { queue: byPart(queues), deviation: byPart(deviations) };
  deviations.sort((a, b) => a - b);
  const over = (of: (run: RunMetrics) => number): number => mean(runs.map(of).filter((x) => !Number.isNaN(x)));
  const stabilities = runs.map(({ stability }) => stability);
  const first = (wanted: string): Stability | undefined => stabilities.find(({ verdict }) => verdict === wanted);
  return {
    ...each(fields, (field) => over((run) => run[field])),
    p99Latency: latencies.quantile(0.99),
    episodes: runs.length,
    slots: config.slots,
    completed: runs.reduce((sum, run) => sum + run.completed, 0),
    rejected: runs.reduce((sum, run) => sum + run.rejected, 0),
    parts: each(Object.keys(runs[0].parts) as (keyof LatencyParts)[], (part) => over((run) => run.parts[part])),
    stability: first('OVERLOADED') ?? first('UNKNOWN') ?? stabilities[0],
    latencyQuantiles: quantileLevels.map((q) => latencies.quantile(q)),
    deviationQuantiles: quantileLevels.map((q) => quantileOf(deviations, q)),
    overTime,
    perEpisode: each(fields, (field) => runs.map((run) => run[field])),
  };
}
