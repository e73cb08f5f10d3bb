import { type Estimate, estimate } from '../core/statistics';
import type { SchedulerFactory } from '../env/scheduler';
import type { DecisionOptions } from '../lyreo/method';
import type { Policy } from '../lyreo/policy';
import { type PolicySchedulerOptions, policyScheduler } from '../lyreo/policy-scheduler';
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

export interface EvaluateOptions extends PolicySchedulerOptions {
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
    const manner = { greedy: options.greedy, draws: options.draws ?? draws };
    return simulate(config, (_, rng) => policyScheduler(policy, rng, manner), seed, {
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

export type Estimates = Readonly<Record<EvaluationColumn, Estimate>>;

/** Means over the seeds with 95 % confidence intervals. */
export function estimates(runs: readonly RunMetrics[]): Estimates {
  return perColumn((column) => estimate(runs.map((run) => run[column])));
}

/** Mean differences to a reference with the same seeds, and their intervals: what all share cancels out. */
export function differences(runs: readonly RunMetrics[], reference: readonly RunMetrics[]): Estimates {
  if (runs.length !== reference.length)
    throw new RangeError(`runs has ${runs.length} seeds; the reference has ${reference.length}`);
  return perColumn((column) => estimate(runs.map((run, k) => run[column] - reference[k][column])));
}

function perColumn(of: (column: EvaluationColumn) => Estimate): Estimates {
  const columns = Object.keys(evaluationColumns) as EvaluationColumn[];
  return Object.fromEntries(columns.map((column) => [column, of(column)])) as Record<EvaluationColumn, Estimate>;
}
