import type { LatencyParts } from '../env/metrics';
import { quantileLevels } from './evaluate';
import { type MethodName, methods } from './methods';
import { type Profile, type ProfileName, profiles } from './profiles';
import { type RunSpec, canonicalJson, matrix, runSpec } from './run-spec';
import { RunStore, type StoredRun, runsFolder } from './run-store';
import { type FigureId, type FigurePoint, type Point, figurePoints } from './sweeps';

/** One number of a run. */
export type RunMetric = (run: StoredRun) => number;

/** Whether a server's backlog, or all servers', grows without end. */
export function isOverloaded({ evaluation }: StoredRun): boolean {
  return evaluation.stability.verdict === 'OVERLOADED';
}

/** The stored runs of a profile, asked for by their points. Runs that no longer belong to the matrix are not seen. */
export class Results {
  private readonly byName: Map<string, StoredRun[]> = new Map();
  private readonly found: Map<string, StoredRun[]> = new Map();
  private specs: RunSpec[] | undefined;

  constructor(
    readonly profile: Profile,
    runs: readonly StoredRun[],
  ) {
    for (const run of runs) this.byName.set(run.name, [...(this.byName.get(run.name) ?? []), run]);
  }

  /** Reads the stored runs of a profile. */
  static load(profile: ProfileName): Results {
    return new Results(profiles[profile], new RunStore(runsFolder(profile)).loadAll());
  }

  /** The runs of a point, by seed. */
  runs(point: Point): StoredRun[] {
    const id = canonicalJson([point.method, point.system, point.training]);
    let runs = this.found.get(id);
    if (runs === undefined) {
      runs = (this.byName.get(runSpec(this.profile, point).name) ?? [])
        .filter((run) => run.key === runSpec(this.profile, point, run.seed).key)
        .sort((a, b) => a.seed - b.seed);
      this.found.set(id, runs);
    }
    return runs;
  }

  /** The runs of a figure, stored or not. */
  specsOf(figureId: FigureId): RunSpec[] {
    this.specs ??= matrix(this.profile);
    return this.specs.filter(({ figureIds }) => figureIds.includes(figureId));
  }

  /** The runs of a figure that are not stored. */
  missing(figureId: FigureId): RunSpec[] {
    return this.specsOf(figureId).filter((spec) => !this.runs(spec).some((run) => run.seed === spec.seed));
  }
}

/** The runs behind a figure. */
export interface FigureRuns {
  readonly figureId: FigureId;
  readonly profile: ProfileName;
  /** By method the runs of each swept value, by seed. */
  readonly series: readonly {
    readonly method: MethodName;
    readonly label: string;
    readonly points: readonly { readonly x: FigurePoint['x']; readonly runs: readonly StoredRun[] }[];
  }[];
  /** Names of the runs that are not stored. */
  readonly missing: readonly string[];
  /** The command that makes them. */
  readonly command: string;
}

/**
 * The runs that a figure shows, one series per method with the points of all its sweeps; Fig. 8 has one of LYREO as
 * printed and one of LYREO.
 */
export function figureRuns(figureId: FigureId, results: Results): FigureRuns {
  const points = figurePoints(results.profile).filter((point) => point.figureId === figureId);
  const { name: profile } = results.profile;
  return {
    figureId,
    profile,
    series: [...new Set(points.map(({ method }) => method))].map((method) => ({
      method,
      label: methods[method].label,
      points: points
        .filter((point) => point.method === method)
        .map((point) => ({ x: point.x, runs: results.runs(point) })),
    })),
    missing: results.missing(figureId).map(({ key }) => key),
    command: `lyreo experiments ${figureId} --profile ${profile}`,
  };
}

/** The paper's profile when one seed of the figure, or more, is stored in it, otherwise whichever has most of its runs. */
export function storedProfile(
  figureId: FigureId,
  loaded: Readonly<Partial<Record<ProfileName, Results>>> = {},
): 'paper' | 'quick' {
  const share = (name: ProfileName): number => {
    const results = loaded[name] ?? Results.load(name);
    return 1 - results.missing(figureId).length / results.specsOf(figureId).length;
  };
  const paper = share('paper');
  return paper >= 1 / profiles.paper.seeds.length || paper >= share('quick') ? 'paper' : 'quick';
}

/** The place of a run in its figure, for flat rows. */
export interface RunPlace {
  /** The method's label. */
  readonly method: string;
  readonly name: MethodName;
  /** Whether the paper has the method. */
  readonly published: boolean;
  readonly x: FigurePoint['x'];
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
  return eachRun(figure, ({ evaluation: { latencyQuantiles: latency, deviationQuantiles: deviation } }, place) =>
    quantileLevels.map((level, k) => ({ ...place, level, latency: latency[k], deviation: deviation[k] })),
  );
}

/** The columns of a training's log that figures show. */
const played = ['latency', 'p99Latency', 'deviation', 'queue', 'quality'] as const;
const heldOut = [
  'heldOutLatency',
  'heldOutDeviation',
  'heldOutStratifiedLatency',
  'heldOutStratifiedDeviation',
] as const;

type LearningColumn = 'update' | 'slots' | (typeof played)[number] | (typeof heldOut)[number];

/** One update of a training; NaN where the log has no such column, as in trainings without held-out evaluations. */
export type LearningRow = RunPlace & Readonly<Record<LearningColumn, number>>;

/** The trainings behind a figure, a row for each run and update. */
export function learningRows(figure: Pick<FigureRuns, 'series'>): LearningRow[] {
  return eachRun(figure, ({ log, config }, place) =>
    (log?.latency ?? []).map((_, k) => {
      const columns = [...played, ...heldOut].map((name) => [name, log?.[name]?.at(k) ?? Number.NaN]);
      return { ...place, update: k + 1, slots: (k + 1) * config.slots, ...Object.fromEntries(columns) } as LearningRow;
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
