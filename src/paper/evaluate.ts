import { type Interval, meanInterval } from '../core/statistics';
import type { SchedulerFactory } from '../env/scheduler';
import type { DecisionOptions } from '../lyreo/method';
import type { Draws } from '../lyreo/draws';
import { type Policy, policyScheduler } from '../lyreo/policy';
import type { SystemConfig } from '../system/config';
import type { Workload } from '../system/workload';
import type { RunMetrics } from '../env/metrics';
import { simulate } from '../env/simulate';

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

/**
 * Runs a scheduler or a learned policy once per seed. The same seeds give every contender the same users, links and
 * requests, so that differences can be taken pair by pair.
 */
export function evaluate(
  config: SystemConfig,
  contender: SchedulerFactory | LearnedPolicy,
  seeds: readonly number[],
  options: EvaluateOptions = {},
): RunMetrics[] {
  const { workload } = options;
  return seeds.map((seed) => {
    const own = { workload: workload?.(seed) };
    if (typeof contender === 'function') return simulate(config, contender, seed, own);
    const { policy, decision = {} } = contender;
    const { balanceMeasure, showsQueue, draws } = decision;
    return simulate(config, (_, rng) => policyScheduler(policy, rng, options.draws ?? draws), seed, {
      ...own,
      balanceMeasure,
      showsQueue,
    });
  });
}

/** The columns of an evaluation's table with their heads. */
export const evaluationColumns: Readonly<Record<EvaluationColumn, string>> = {
  meanLatency: 'latency, s',
  deviation: 'deviation',
  p99Latency: 'P99, s',
  highKvPercent: 'pools > 90 %',
  meanQueue: 'queue',
};

export type EvaluationColumn = 'meanLatency' | 'deviation' | 'p99Latency' | 'highKvPercent' | 'meanQueue';

export type Estimates = Readonly<Record<EvaluationColumn, Interval>>;

/**
 * Means over the seeds with 95 % confidence intervals; with a reference those of the differences to it, seed by seed, so
 * that what the two share cancels out.
 */
export function estimates(runs: readonly RunMetrics[], reference?: readonly RunMetrics[]): Estimates {
  const of = (column: EvaluationColumn): Interval =>
    meanInterval(runs.map((run, k) => run[column] - (reference?.[k][column] ?? 0)));
  const columns = Object.keys(evaluationColumns) as EvaluationColumn[];
  return Object.fromEntries(columns.map((column) => [column, of(column)])) as Record<EvaluationColumn, Interval>;
}
