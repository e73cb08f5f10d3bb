import { mean, sampleVariance } from '../core/statistics';
import type { UpdateLog } from '../lyreo/lyreo';
import type { Mix, SystemConfig } from '../system/config';
import { type Named, combine } from './judgement';
import { type MethodName, methods } from './methods';
import { type Results, type RunMetric, isOverloaded } from './results';
import { type Point, mixes } from './sweeps';

/**
 * A metric that grows with the length of an overloaded run: Infinity for one, the worst, since it has no steady state.
 * A deviation or an occupation is bounded for any backlog, and stays as it was measured.
 */
function steady(metric: RunMetric): RunMetric {
  return (run) => (isOverloaded(run) ? Infinity : metric(run));
}

/** The metrics of an evaluation, s, 1, % or counts as in `Evaluation`; quantile k of `quantileLevels` is at 0.05·k. */
const metrics: Readonly<Record<string, RunMetric>> = {
  latency: steady(({ evaluation }) => evaluation.meanLatency),
  deviation: ({ evaluation }) => evaluation.deviation,
  'P99 latency': steady(({ evaluation }) => evaluation.p99Latency),
  'high-KV ratio': ({ evaluation }) => evaluation.highKvPercent,
  'mean virtual queue': ({ evaluation }) => evaluation.meanQueue,
  'median latency': steady(({ evaluation }) => evaluation.latencyQuantiles[10]),
  'median deviation': ({ evaluation }) => evaluation.deviationQuantiles[10],
  'quartile distance of latency': steady(({ evaluation: { latencyQuantiles: q } }) => q[15] - q[5]),
  'quartile distance of deviation': ({ evaluation: { deviationQuantiles: q } }) => q[15] - q[5],
  'upper tail of latency': steady(({ evaluation: { latencyQuantiles: q } }) => q[19] - q[10]),
};

/** A column of the training log over a part of the training; `from` and `to` are shares of it. */
interface TrainingMetric {
  readonly training: keyof UpdateLog;
  readonly from: number;
  readonly to: number;
  readonly statistic?: 'mean' | 'standard deviation';
}

/** A metric of one run, as a claim names it: a name in `metrics`, or a part of the training. */
export type MetricName = string | TrainingMetric;

function runMetric(metric: MetricName): RunMetric {
  if (typeof metric === 'string') return metrics[metric];
  const { training, from, to, statistic } = metric;
  return ({ log }) => {
    const column = log?.[training] ?? [];
    const part = column.slice(Math.floor(from * column.length), Math.ceil(to * column.length));
    return statistic === 'standard deviation' ? Math.sqrt(sampleVariance(part)) : mean(part);
  };
}

/** Mean of a column of the log over the last quarter of a training: "after convergence". */
export function afterConvergence(field: keyof UpdateLog): RunMetric {
  return runMetric({ training: field, from: 0.75, to: 1 });
}

export type SweepName = 'users' | 'servers' | 'mix' | 'nu' | 'window';

/** The values of parameters that are not the default. */
export type Values = Readonly<Partial<Record<SweepName, number | Mix>>>;

/** Their values, or positions in the profile's sweeps. */
export type Place = Readonly<Partial<Record<SweepName, number | Mix | 'every' | keyof typeof positions>>>;

const positions = { first: 0, second: 1, 'last but one': -2, last: -1 } as const;

interface Measured {
  readonly metric: MetricName;
  readonly method: MethodName | readonly MethodName[];
  readonly at?: Place;
}

/** A quantity computed from others by one of `combinations`, seed by seed. */
interface Combined {
  readonly combine: string;
  readonly of: readonly Measured[];
  readonly label: string;
  readonly times?: number;
}

export type Quantity = Measured | Combined;

/** A quotient has no value where a run is overloaded: "100 % below" would be a number that nothing measured. */
const orNone = (value: number, ...operands: readonly number[]): number =>
  operands.every(Number.isFinite) ? value : Number.NaN;

/** The computations on quantities a, b and c; `ratio` is b's ν over a's. */
const combinations: Readonly<Record<string, (a: number, b: number, c: number, ratio: number) => number>> = {
  gap: (a, b) => b - a,
  change: (a, b) => orNone(b / a - 1, a, b),
  'percent above': (a, b) => orNone(100 * (a / b - 1), a, b),
  'percent below': (a, b) => orNone(100 * (1 - a / b), a, b),
  'share below': (a, b) => orNone(1 - a / b, a, b),
  'share of the gain': (a, b, c) => orNone((a - b) / (a - c), a, b, c),
  'rise per doubling of nu': (a, b, _, ratio) => (b - a) / Math.log2(ratio),
};

const letters = { users: 'U = ', servers: 'S = ', mix: '', nu: 'nu = ', window: 'H = ' };

/** Such as `standard deviation: 50 to 75 % of the training: LYREO at U = 20`. */
function nameOf(method: MethodName, place: Values, metric: MetricName): string {
  const where = Object.entries(place).map(([name, x]) => `${letters[name as SweepName]}${x}`);
  const { from, to, statistic } = typeof metric === 'string' ? { from: 1, to: 1 } : metric;
  return [
    statistic === 'standard deviation' ? 'standard deviation: ' : '',
    from < 0.75 && to < 1 ? `${Math.round(100 * from)} to ${Math.round(100 * to)} % of the training: ` : '',
    methods[method].label,
    where.length === 0 ? '' : ` at ${where.join(', ')}`,
  ].join('');
}

type Panel = Readonly<Partial<Record<MethodName, MethodName>>>;

/** The learners' forms with the printed optimiser. A learner without such a form has no runs in this panel. */
export const printedPanel: Panel = { lyreo: 'lyreo-printed', 'ly-ppo': 'ly-ppo-printed', ppo: 'ppo-printed' };

/** Looks quantities up in stored runs, and remembers the points that it was asked for. */
export class Evidence {
  readonly points: Point[] = [];

  /**
   * @param system where nothing is swept, as in the claim's figure; default: the default.
   * @param panel the methods that the learners' names stand for; default: each for itself.
   */
  constructor(
    readonly results: Results,
    private readonly system: Partial<SystemConfig> = {},
    private readonly panel: Panel | null = null,
  ) {}

  private as(method: MethodName): MethodName {
    return this.panel?.[method] ?? method;
  }

  private pointOf(method: MethodName, { nu, window, ...place }: Values = {}): Point {
    const swept = { ...place, ...(nu === undefined ? {} : { latencyWeight: nu }) } as Partial<SystemConfig>;
    const training = window === undefined ? {} : { window: Number(window) };
    const point = { method: this.as(method), system: { ...this.system, ...swept }, training };
    this.points.push(point);
    return point;
  }

  label(method: MethodName): string {
    return methods[this.as(method)].label;
  }

  /** Every combination of the values that a place stands for, in the order of the sweeps. */
  places(at: Place = {}): Values[] {
    const { users, servers, nu, windowsPrinted: window } = this.results.profile;
    const swept: Readonly<Record<string, readonly (number | Mix)[]>> = { users, servers, nu, window, mix: mixes };
    const index: Readonly<Partial<Record<string | number, number>>> = positions;
    return Object.entries(at).reduce<Values[]>(
      (places, [name, position]) => {
        const k = index[position];
        const values =
          k !== undefined ? swept[name].slice(k).slice(0, 1) : position === 'every' ? swept[name] : [position];
        return places.flatMap((place) => values.map((value) => ({ ...place, [name]: value })));
      },
      [{}],
    );
  }

  /** A metric of one method at one place, by seed; a run that does not have it, NaN, is left out. */
  at(method: MethodName, place: Values, metric: MetricName): Named {
    const shown = this.as(method);
    const name = nameOf(shown, place, metric);
    const isOutside = this.panel !== null && !Object.values(this.panel).includes(shown);
    if (isOutside && methods[shown].learning !== undefined)
      return { name: `${name} with the printed optimiser`, values: new Map() };
    const runs = this.results.runs(this.pointOf(method, place));
    const values = runs.map((run) => [run.seed, runMetric(metric)(run)] as const);
    return { name, values: new Map(values.filter(([, value]) => !Number.isNaN(value))) };
  }

  seeds(method: MethodName): number {
    return this.results.runs(this.pointOf(method)).length;
  }

  /** A quantity for every method and place that it names, by place first. */
  all(quantity: Quantity): Named[] {
    if (!('combine' in quantity)) {
      const { metric, method, at } = quantity;
      return this.places(at).flatMap((place) => [method].flat().map((each) => this.at(each, place, metric)));
    }
    const { of, label, times = 1 } = quantity;
    const parts = of.map((part) => this.all(part));
    const [a, b] = of.map(({ at }) => Number(this.places(at).at(0)?.nu));
    const compute = combinations[quantity.combine];
    const counts = parts.map((list) => list.length);
    const count = counts.includes(0) ? 0 : Math.max(...counts);
    return Array.from({ length: count }, (_, i) => {
      const operands = parts.map((list) => list[list.length === 1 ? 0 : i]);
      const name = count === 1 ? label : `${label}, ${operands[operands.length - 1].name}`;
      return combine(name, operands, (x, y, z = Number.NaN) => times * compute(x, y, z, b / a));
    });
  }
}
