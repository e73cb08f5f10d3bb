/** Stored runs as flat rows, for DataFrames, tables and figures. */
import type { LatencyParts } from '../env/metrics';
import { quantileLevels } from './evaluate';
import { type MethodName, methods } from './methods';
import { type FigureRuns, isOverloaded } from './results';
import type { StoredRun } from './run-store';

/** The place of a run in its figure. */
export interface RunPlace {
  /** The method's label. */
  readonly method: string;
  readonly name: MethodName;
  /** Whether the paper has the method. */
  readonly published: boolean;
  /** The swept value: U, S, the mix, ν or H; "default" without a sweep. */
  readonly x: number | string;
  readonly seed: number;
}

type Measure = 'latency' | 'p99' | 'deviation' | 'queue' | 'highKv' | 'overloaded' | 'completed' | 'rejected';

/**
 * One run, as measured on the held-out episodes; s, highKv in percent, overloaded 1 where the backlog grows without end:
 * the latency is then no steady state.
 */
export type RunRow = RunPlace & LatencyParts & Readonly<Record<Measure, number>>;

/** The runs behind a figure, one row each. */
export function runRows(figure: Pick<FigureRuns, 'series'>): RunRow[] {
  return eachRun(figure, (run, place) => {
    const { meanLatency, p99Latency, deviation, meanQueue, highKvPercent, completed, rejected, parts } = run.evaluation;
    const measured = { latency: meanLatency, p99: p99Latency, deviation, queue: meanQueue, highKv: highKvPercent };
    return [{ ...place, ...measured, overloaded: isOverloaded(run) ? 1 : 0, completed, rejected, ...parts }];
  });
}

/** A quantile of a run's request latencies, s, and of its slots' deviations; its level is between 0 and 1. */
export type QuantileRow = RunPlace & Readonly<Record<'level' | 'latency' | 'deviation', number>>;

/** The quantiles of the runs behind a figure, a row for each run and level. */
export function quantileRows(figure: Pick<FigureRuns, 'series'>): QuantileRow[] {
  return eachRun(figure, ({ evaluation: { latencyQuantiles, deviationQuantiles } }, place) =>
    quantileLevels.map((level, k) => ({
      ...place,
      level,
      latency: latencyQuantiles[k],
      deviation: deviationQuantiles[k],
    })),
  );
}

/** The columns of a training's log that figures show. */
export const learningColumns = [
  'update',
  'slots',
  'latency',
  'p99Latency',
  'deviation',
  'queue',
  'quality',
  'heldOutLatency',
  'heldOutDeviation',
  'heldOutStratifiedLatency',
  'heldOutStratifiedDeviation',
] as const;

/** One update of a training; NaN where the log has no such column, as in trainings without held-out evaluations. */
export type LearningRow = RunPlace & Readonly<Record<(typeof learningColumns)[number], number>>;

/** The trainings behind a figure, a row for each run and update. */
export function learningRows(figure: Pick<FigureRuns, 'series'>): LearningRow[] {
  return eachRun(figure, ({ log, config }, place) =>
    (log?.latency ?? []).map((_, k) => {
      const columns = learningColumns.map((name) => [name, log?.[name]?.at(k) ?? Number.NaN]);
      return { ...place, ...Object.fromEntries(columns), update: k + 1, slots: (k + 1) * config.slots } as LearningRow;
    }),
  );
}

function eachRun<T>(
  { series }: Pick<FigureRuns, 'series'>,
  rows: (run: StoredRun, place: RunPlace) => readonly T[],
): T[] {
  return series.flatMap(({ method: name, points }) => {
    const { label, published } = methods[name];
    return points.flatMap(({ x, runs }) =>
      runs.flatMap((run) => rows(run, { method: label, name, published, x, seed: run.seed })),
    );
  });
}
