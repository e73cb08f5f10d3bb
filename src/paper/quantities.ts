import type { UpdateLog } from '../lyreo/lyreo';
import type { Mix, SystemConfig } from '../system/config';
import { type Named, combine } from './judgement';
import type { Profile } from './profiles';
import { type MethodName, methodOf } from './methods';
import { type PointLike, type Results, type RunMetric, deviation, isOverloaded, latency, logColumn } from './results';
import { mean, sampleDeviation } from './statistics';

export const metricNames = [
  'latency',
  'deviation',
  'P99 latency',
  'high-KV ratio',
  'mean virtual queue',
  'median latency',
  'median deviation',
  'quartile distance of latency',
  'quartile distance of deviation',
  'upper tail of latency',
] as const;

/**
 * A metric that grows with the length of an overloaded run: Infinity for one, the worst, since it has no steady state.
 * A deviation or an occupation is bounded whatever the backlog, and stays as it was measured.
 */
export function steady(metric: RunMetric): RunMetric {
  return (run) => (isOverloaded([run]) ? Infinity : metric(run));
}

/** Metrics of the evaluation by the name that a claim uses; s, 1, % or counts as in `Evaluation`. */
const metrics: Readonly<Record<(typeof metricNames)[number], RunMetric>> = {
  latency: steady(latency),
  deviation,
  'P99 latency': steady(({ evaluation }) => evaluation.p99Latency),
  'high-KV ratio': ({ evaluation }) => evaluation.highKvPercent,
  'mean virtual queue': ({ evaluation }) => evaluation.meanQueue,
  // Quantile k of `quantileLevels` is at 0.05·k.
  'median latency': steady(({ evaluation }) => evaluation.latencyQuantiles[10]),
  'median deviation': ({ evaluation }) => evaluation.deviationQuantiles[10],
  'quartile distance of latency': steady(({ evaluation: { latencyQuantiles: q } }) => q[15] - q[5]),
  'quartile distance of deviation': ({ evaluation: { deviationQuantiles: q } }) => q[15] - q[5],
  'upper tail of latency': steady(({ evaluation: { latencyQuantiles: q } }) => q[19] - q[10]),
};

/** A column of the training log over a part of the training; `from` and `to` are shares of it. */
export interface TrainingMetric {
  readonly training: keyof UpdateLog;
  readonly from: number;
  readonly to: number;
  /** Default: the mean. */
  readonly statistic?: 'mean' | 'standard deviation' | undefined;
}

/** A metric of one run, as a claim names it. */
export type MetricName = (typeof metricNames)[number] | TrainingMetric;

/** A position in a sweep: a value of it, or one that the profile decides. */
export type Position = number | Mix | 'first' | 'second' | 'last but one' | 'last' | 'every';

export type SweepName = 'users' | 'servers' | 'mix' | 'nu' | 'window';

/** The place of a quantity: a position for each parameter that is not the default. */
export type Place = Readonly<{ readonly [name in SweepName]?: Position | undefined }>;

/** One metric of one or several methods, at one or every place. */
export interface Measured {
  readonly metric: MetricName;
  readonly method: MethodName | readonly MethodName[];
  readonly at?: Place | undefined;
}

/** A quantity computed from others, seed by seed. */
export interface Combined {
  readonly combine: (typeof combinationNames)[number];
  readonly of: readonly Measured[];
  readonly label: string;
  readonly times?: number | undefined;
}

export type Quantity = Measured | Combined;

export const combinationNames = [
  'gap',
  'change',
  'percent above',
  'percent below',
  'share below',
  'share of the gain',
  'rise per doubling of nu',
] as const;

type Combination = (a: number, b: number, c: number, ratio: number) => number;

/** A quotient has no value where a run is overloaded: "100 % below" would be a number that nothing measured. */
const orNone = (value: number, ...operands: readonly number[]): number =>
  operands.every(Number.isFinite) ? value : Number.NaN;

/** The computations on quantities a, b and c; `ratio` is b's ν over a's. */
const combinations: Readonly<Record<(typeof combinationNames)[number], Combination>> = {
  gap: (a, b) => b - a,
  change: (a, b) => orNone(b / a - 1, a, b),
  'percent above': (a, b) => orNone(100 * (a / b - 1), a, b),
  'percent below': (a, b) => orNone(100 * (1 - a / b), a, b),
  'share below': (a, b) => orNone(1 - a / b, a, b),
  'share of the gain': (a, b, c) => orNone((a - b) / (a - c), a, b, c),
  'rise per doubling of nu': (a, b, _, ratio) => (b - a) / Math.log2(ratio),
};

const mixes: readonly Mix[] = ['Hom', 'Mod', 'Het'];

/** The values of a swept parameter in a profile, in the order of the sweep. */
export function sweepValues(profile: Profile, name: SweepName): readonly (number | Mix)[] {
  const { users, servers, nu, windowsPrinted: window } = profile;
  return { users, servers, nu, window, mix: mixes }[name];
}

/** The values that a position stands for. */
function valuesAt(profile: Profile, name: SweepName, position: Position): readonly (number | Mix)[] {
  const all = sweepValues(profile, name);
  if (position === 'every') return all;
  const named = { first: 0, second: 1, 'last but one': -2, last: -1 };
  const value = typeof position === 'string' && position in named ? all.at(named[position as 'first']) : undefined;
  return [value ?? (position as number | Mix)];
}

type Values = Readonly<Partial<Record<SweepName, number | Mix>>>;

/** Every combination of the values that a place stands for. */
function placesOf(profile: Profile, at: Place = {}): Values[] {
  return (Object.entries(at) as [SweepName, Position][]).reduce<Values[]>(
    (places, [name, position]) =>
      places.flatMap((place) => valuesAt(profile, name, position).map((value) => ({ ...place, [name]: value }))),
    [{}],
  );
}

const letters = { users: 'U = ', servers: 'S = ', mix: '', nu: 'nu = ', window: 'H = ' };

function nameOf(method: MethodName, place: Values, metric: MetricName): string {
  const where = (Object.entries(place) as [SweepName, number | Mix][]).map(([name, x]) => `${letters[name]}${x}`);
  const part = typeof metric === 'string' ? '' : partText(metric);
  return `${part}${methodOf(method).label}${where.length === 0 ? '' : ` at ${where.join(', ')}`}`;
}

function partText({ from, to, statistic }: TrainingMetric): string {
  const range = from < 0.75 && to < 1 ? `${Math.round(100 * from)} to ${Math.round(100 * to)} % of the training: ` : '';
  return statistic === 'standard deviation' ? `standard deviation: ${range}` : range;
}

export function runMetric(metric: MetricName): RunMetric {
  if (typeof metric === 'string') return metrics[metric];
  const { training, from, to, statistic = 'mean' } = metric;
  return ({ log }) => {
    const column = logColumn(log, training);
    const part = column.slice(Math.floor(from * column.length), Math.ceil(to * column.length));
    return statistic === 'mean' ? mean(part) : sampleDeviation(part);
  };
}

/**
 * The methods that a claim's names stand for in the panel in which every learner has the printed optimiser. A learner
 * without such a form has no runs in it.
 */
export const printedPanel: Partial<Readonly<Record<MethodName, MethodName>>> = {
  lyreo: 'lyreo-printed',
  'ly-ppo': 'ly-ppo-printed',
  ppo: 'ppo-printed',
};

/** The panel in which every name stands for itself. */
const ownPanel: Partial<Readonly<Record<MethodName, MethodName>>> = {};

/** Looks quantities up in stored runs, and remembers the points that it was asked for. */
export class Evidence {
  readonly points: PointLike[] = [];

  /**
   * @param system the system of the claim's figure, where it differs from the default.
   * @param panel the methods that names stand for, where they stand for others.
   */
  constructor(
    readonly results: Results,
    private readonly system: Partial<SystemConfig> = {},
    private readonly panel: Partial<Readonly<Record<MethodName, MethodName>>> = ownPanel,
  ) {}

  private pointOf(method: MethodName, { users, servers, mix, nu, window }: Values): PointLike {
    const place = { users, servers, mix, latencyWeight: nu };
    const given = Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
    return {
      method,
      system: { ...this.system, ...given },
      training: window === undefined ? {} : { window: Number(window) },
    };
  }

  /** A metric of one method at one place, by seed. */
  private at(named: MethodName, place: Values, metric: MetricName): Named {
    const method = this.as(named);
    const name = nameOf(method, place, metric);
    if (method === named && this.panel !== ownPanel && methodOf(method).learning !== undefined)
      return { name: `${name} with the printed optimiser`, values: new Map() };
    const point = this.pointOf(method, place);
    this.points.push(point);
    return { name, values: this.results.values(point, runMetric(metric)) };
  }

  as(method: MethodName): MethodName {
    return this.panel[method] ?? method;
  }

  /** The number of stored runs of a method at the default. */
  seeds(named: MethodName): number {
    const point = this.pointOf(this.as(named), {});
    this.points.push(point);
    return this.results.runs(point).length;
  }

  /** A quantity for every method and place that it names, by place first. */
  all(quantity: Quantity): Named[] {
    if (!('combine' in quantity)) {
      const methods = typeof quantity.method === 'string' ? [quantity.method] : quantity.method;
      return placesOf(this.results.profile, quantity.at).flatMap((place) =>
        methods.map((method) => this.at(method, place, quantity.metric)),
      );
    }
    const parts = quantity.of.map((part) => this.all(part));
    const nus = quantity.of.map(({ at }) => Number(placesOf(this.results.profile, at)[0].nu));
    const compute = combinations[quantity.combine];
    const count = Math.max(...parts.map((list) => list.length));
    return Array.from({ length: count }, (_, i) => {
      const operands = parts.map((list) => list[list.length === 1 ? 0 : i]);
      const { name } = operands[operands.length - 1];
      return combine(
        count === 1 ? quantity.label : `${quantity.label}, ${name}`,
        operands,
        (a, b, c = Number.NaN) => (quantity.times ?? 1) * compute(a, b, c, nus[1] / nus[0]),
      );
    });
  }

  /** A metric of one method at each value of a sweep, up to a limit. */
  sweep(method: MethodName, metric: MetricName, name: SweepName, upTo: number = Infinity): Named[] {
    return sweepValues(this.results.profile, name)
      .filter((value) => typeof value === 'string' || value <= upTo)
      .map((value) => this.at(method, { [name]: value }, metric));
  }

  /** The places that a position stands for. */
  places(at: Place = {}): Values[] {
    return placesOf(this.results.profile, at);
  }
}
