import { Quantiles } from '../core/quantiles';
import { type Interval, mean, meanInterval } from '../core/statistics';
import type { LatencyParts, RunMetrics } from '../env/metrics';
import type { SchedulerFactory } from '../env/scheduler';
import { type SimulateOptions, simulate, simulateAsync } from '../env/simulate';
import type { Stability } from '../env/stability';
import type { Draws } from '../lyreo/draws';
import type { DecisionOptions } from '../lyreo/method';
import { type Policy, policyScheduler } from '../lyreo/policy';
import type { SystemConfig } from '../system/config';
import type { Workload } from '../system/workload';

/** A learned policy with the method that it was learned by: a saved policy, or a learner as it stands. */
export interface LearnedPolicy {
  readonly policy: Policy;
  /** Default: η, Z seen, independent draws. */
  readonly decision?: Partial<DecisionOptions> | undefined;
}

export interface EvaluateOptions {
  /** How a policy draws; default: as it was trained to. */
  readonly draws?: Draws | undefined;
  /** The requests of a seed. Default: the configuration's synthetic lengths. */
  readonly workload?: ((seed: number) => Workload) | undefined;
}

/** The scheduler of a contender, with the Z that it is shown; a run is scored on η either way. */
function actingAs(
  contender: SchedulerFactory | LearnedPolicy,
  draws?: Draws,
): [SchedulerFactory, Pick<SimulateOptions, 'balanceMeasure' | 'showsQueue'>] {
  if (typeof contender === 'function') return [contender, {}];
  const { policy, decision = {} } = contender;
  const { balanceMeasure, showsQueue } = decision;
  return [(_, rng) => policyScheduler(policy, rng, draws ?? decision.draws), { balanceMeasure, showsQueue }];
}

/**
 * Runs a scheduler or a learned policy once per seed. The same seeds give every contender the same users, links and
 * requests, so that differences can be taken pair by pair.
 *
 * @param options the kind of `draws` of a policy, and the `workload` of a seed.
 * @returns a report for each seed.
 */
export function evaluate(
  config: SystemConfig,
  contender: SchedulerFactory | LearnedPolicy,
  seeds: readonly number[],
  { draws, workload }: EvaluateOptions = {},
): RunMetrics[] {
  const [scheduler, shown] = actingAs(contender, draws);
  return seeds.map((seed) => simulate(config, scheduler, seed, { ...shown, workload: workload?.(seed) }));
}

/** The columns of an evaluation's table with their heads. */
export const evaluationColumns = {
  meanLatency: 'latency, s',
  deviation: 'deviation',
  p99Latency: 'P99, s',
  highKvPercent: 'pools > 90 %',
  meanQueue: 'queue',
} as const;

type EvaluationColumn = keyof typeof evaluationColumns;
const columns = Object.keys(evaluationColumns) as EvaluationColumn[];

export type Estimates = Readonly<Record<EvaluationColumn, Interval>>;

/**
 * Means over the seeds with 95 % confidence intervals; with a reference those of the differences to it, seed by seed, so
 * that their common part cancels out.
 */
export function estimates(runs: readonly RunMetrics[], reference?: readonly RunMetrics[]): Estimates {
  return each(columns, (column) => meanInterval(runs.map((run, k) => run[column] - (reference?.[k][column] ?? 0))));
}

/** The probabilities at which stored quantiles stand: 0, 0.05, …, 1. */
export const quantileLevels: readonly number[] = Array.from({ length: 21 }, (_, k) => k / 20);

/** The numbers of an episode's report that are stored. */
type EpisodeMetric = EvaluationColumn | 'worstDeviation' | 'finalQueue' | 'meanEta';

const fields: readonly EpisodeMetric[] = [...columns, 'worstDeviation', 'finalQueue', 'meanEta'];

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
  readonly perEpisode: Readonly<Record<EpisodeMetric, readonly number[]>>;
}

/** Parts of an episode in `overTime`. */
const TIME_PARTS = 8;

/**
 * Runs a contender on whole episodes and keeps the numbers that figures show; it pauses regularly, so that signals are heard.
 *
 * @param seeds one per episode; the same seeds give every method the same users, links and requests.
 * @param signal ends it.
 */
export async function measure(
  config: SystemConfig,
  contender: SchedulerFactory | LearnedPolicy,
  seeds: readonly number[],
  signal?: AbortSignal,
): Promise<Evaluation> {
  const [scheduler, shown] = actingAs(contender);
  const latencies = new Quantiles();
  const deviations: number[] = [];
  const queues: number[] = [];
  const runs: RunMetrics[] = [];
  const onSlot: SimulateOptions['onSlot'] = (outcome) => {
    deviations.push(mean(outcome.deviation));
    queues.push(mean(outcome.queue));
    for (const { total } of outcome.completions.rows()) latencies.add(total);
  };
  for (const seed of seeds) runs.push(await simulateAsync(config, scheduler, seed, { ...shown, signal, onSlot }));
  const partOf = (k: number): number => Math.floor(((k % config.slots) * TIME_PARTS) / config.slots);
  const byPart = (values: readonly number[]): number[] =>
    Array.from({ length: TIME_PARTS }, (_, part) => mean(values.filter((_value, k) => partOf(k) === part)));
  const overTime = { queue: byPart(queues), deviation: byPart(deviations) };
  deviations.sort((a, b) => a - b);
  const over = (of: (run: RunMetrics) => number): number => mean(runs.map(of).filter((x) => !Number.isNaN(x)));
  const first = (wanted: string): RunMetrics | undefined => runs.find(({ stability }) => stability.verdict === wanted);
  return {
    ...each(fields, (field) => over((run) => run[field])),
    p99Latency: latencies.quantile(0.99),
    episodes: runs.length,
    slots: config.slots,
    completed: runs.reduce((sum, run) => sum + run.completed, 0),
    rejected: runs.reduce((sum, run) => sum + run.rejected, 0),
    parts: each(Object.keys(runs[0].parts) as (keyof LatencyParts)[], (part) => over((run) => run.parts[part])),
    stability: (first('OVERLOADED') ?? first('UNKNOWN') ?? runs[0]).stability,
    latencyQuantiles: quantileLevels.map((q) => latencies.quantile(q)),
    deviationQuantiles: quantileLevels.map((q) => quantileOf(deviations, q)),
    overTime,
    perEpisode: each(fields, (field) => runs.map((run) => run[field])),
  };
}

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
