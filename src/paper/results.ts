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

/** The stored runs of a profile, asked for by what they are. Runs that no longer belong to the matrix are not seen. */
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
