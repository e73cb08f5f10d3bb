import { Quantiles } from '../core/quantiles';
import { createRng } from '../core/rng';
import { EdgeEnv, type EdgeEnvOptions } from '../env/edge-env';
import { playSlots } from '../env/play-slots';
import type { SchedulerFactory } from '../env/scheduler';
import type { SystemConfig } from '../system/config';
import { type LatencyParts, Metrics, type RunMetrics } from '../env/metrics';
import type { Stability, StabilityVerdict } from '../env/stability';
import { mean, quantileOf } from './statistics';

/** The probabilities at which stored quantiles stand: 0, 0.05, …, 1. */
export const quantileLevels: readonly number[] = Array.from({ length: 21 }, (_, k) => k / 20);

/** The report of an episode of an evaluation; the whole evaluation has the same fields. */
export type EpisodeMetrics = Pick<
  RunMetrics,
  | 'meanLatency'
  | 'deviation'
  | 'worstDeviation'
  | 'p99Latency'
  | 'highKvPercent'
  | 'meanQueue'
  | 'finalQueue'
  | 'meanEta'
>;

/**
 * The results of a method on held-out episodes: means over episodes, P99 and quantiles over all requests or slots. An
 * episode without a completed request has no latency, and does not enter the mean; without any it is NaN.
 */
export interface Evaluation extends EpisodeMetrics {
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
  /** Each field of `EpisodeMetrics`, episode by episode. */
  readonly perEpisode: Readonly<Record<keyof EpisodeMetrics, readonly number[]>>;
}

/** Parts of an episode in `overTime`. */
const TIME_PARTS = 8;

const fields: readonly (keyof EpisodeMetrics)[] = [
  'meanLatency',
  'deviation',
  'worstDeviation',
  'p99Latency',
  'highKvPercent',
  'meanQueue',
  'finalQueue',
  'meanEta',
];

/** An object with the value of each key. */
function each<K extends string, V>(keys: readonly K[], of: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<K, V>;
}

/**
 * Runs a scheduler on whole episodes and keeps what the figures show.
 *
 * @param seeds one per episode; the same seeds give every method the same users, links and requests.
 * @param seen the Z that the scheduler sees. A run is scored on η either way.
 * @param pause awaited now and then, so that signals are heard.
 */
export async function measure(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seeds: readonly number[],
  seen: Pick<EdgeEnvOptions, 'balanceMeasure' | 'showsQueue'> = {},
  pause: () => Promise<void> = () => Promise.resolve(),
): Promise<Evaluation> {
  const latencies = new Quantiles();
  const deviations: number[] = [];
  const queues: number[] = [];
  const runs: RunMetrics[] = [];
  for (const seed of seeds) {
    const env = new EdgeEnv(config, seed, { balanceMeasure: seen.balanceMeasure, showsQueue: seen.showsQueue });
    const metrics = new Metrics(config.servers, config.balanceTolerance);
    const assign = scheduler(config, createRng(seed).fork('scheduler'));
    for (const outcome of playSlots(env, assign)) {
      metrics.add(outcome);
      deviations.push(mean([...outcome.deviation]));
      queues.push(mean([...outcome.queue]));
      for (const { total } of outcome.completions.rows()) latencies.add(total);
      if (outcome.slot % 50 === 49) await pause();
    }
    runs.push(metrics.report());
  }
  return summary(config, runs, latencies, deviations, queues);
}

function summary(
  config: SystemConfig,
  runs: readonly RunMetrics[],
  latencies: Quantiles,
  deviations: readonly number[],
  queues: readonly number[],
): Evaluation {
  const byPart = (values: readonly number[]): number[] =>
    Array.from({ length: TIME_PARTS }, (_, part) =>
      mean(values.filter((_value, k) => Math.floor(((k % config.slots) * TIME_PARTS) / config.slots) === part)),
    );
  const over = (of: (run: RunMetrics) => number): number => mean(runs.map(of).filter((x) => !Number.isNaN(x)));
  const parts = Object.keys(runs[0].parts) as (keyof LatencyParts)[];
  const stabilities = runs.map(({ stability }) => stability);
  const first = (wanted: StabilityVerdict): Stability | undefined =>
    stabilities.find(({ verdict }) => verdict === wanted);
  return {
    ...each(fields, (field) => over((run) => run[field])),
    p99Latency: latencies.quantile(0.99),
    episodes: runs.length,
    slots: config.slots,
    completed: runs.reduce((sum, run) => sum + run.completed, 0),
    rejected: runs.reduce((sum, run) => sum + run.rejected, 0),
    parts: each(parts, (part) => over((run) => run.parts[part])),
    stability: first('OVERLOADED') ?? first('UNKNOWN') ?? stabilities[0],
    latencyQuantiles: quantileLevels.map((q) => latencies.quantile(q)),
    deviationQuantiles: quantileLevels.map((q) => quantileOf(deviations, q)),
    overTime: { queue: byPart(queues), deviation: byPart(deviations) },
    perEpisode: each(fields, (field) => runs.map((run) => run[field])),
  };
}
