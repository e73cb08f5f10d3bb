/** How near some constants come to the printed numbers, with schedulers that do not learn in the place of the methods. */
import { createRng } from '../../core/rng';
import { kilobytesToBytes } from '../../core/units';
import { EdgeEnv } from '../../env/edge-env';
import { Metrics, type RunMetrics } from '../../env/metrics';
import { playSlots } from '../../env/play-slots';
import type { SchedulerFactory } from '../../env/scheduler';
import { type Published, publishedFacts } from '../../paper/published';
import { schedulers } from '../../schedulers/index';
import type { SystemConfig } from '../../system/config';
import type { GpuProfile } from '../../system/gpu-profiles';
import { gpuPresets, serverSpecs } from '../../system/gpus';
import { systemConfig } from '../../system/presets';
import { Serving } from '../../system/serving';
import { type Constants, toCalibrated } from './constants';

/** Schedulers that stand in for the paper's methods; none of them learns. */
type StandIn = 'LYREO' | 'NoLB' | 'LL' | 'Random';

const standIns: Readonly<Record<StandIn, SchedulerFactory>> = {
  LYREO: schedulers['drift-plus-penalty'],
  NoLB: schedulers['drift-plus-penalty'],
  LL: schedulers.ll,
  Random: schedulers.random,
};

/** So large a unit of Y and Z that balance weighs nothing. */
const NO_BALANCE = 1e9;

/** In the order of Table II's columns. */
const metrics = ['meanLatency', 'deviation', 'p99Latency', 'highKvPercent'] as const;

/** A published number that the fit is to meet. */
export interface Target {
  readonly name: string;
  readonly standIn: StandIn;
  readonly users: number;
  readonly metric: (typeof metrics)[number];
  readonly printed: number;
  /** Whether our number has only to stay below. */
  readonly isBound: boolean;
  readonly weight: number;
  /** Our number counts as at least this much: below, less makes no difference. */
  readonly floor: number;
}

/** The numbers of published.json with which stand-ins can be compared; latency and P99 weigh twice. */
export function targetsOf(facts: Published = publishedFacts()): Target[] {
  const { fig2_convergence: fig2, fig4_users: fig4, table2, settings } = facts;
  const target = (
    name: string,
    standIn: StandIn,
    users: number,
    metric: Target['metric'],
    printed: number,
    isBound = false,
  ): Target => ({
    name,
    standIn,
    users,
    metric,
    printed,
    isBound,
    weight: metric === 'meanLatency' || metric === 'p99Latency' ? 2 : 1,
    floor: metric === 'highKvPercent' ? 1 : 1e-4,
  });
  const U = settings.users_default;
  const row = (standIn: 'LYREO' | 'NoLB', numbers: Published['table2']['LYREO']): Target[] =>
    metrics.map((metric, column) => target(`Table II ${standIn} ${metric}`, standIn, U, metric, numbers[column]));
  return [
    ...row('LYREO', table2.LYREO),
    ...row('NoLB', table2['LYREO-NoLB']),
    target('Fig. 2 LYREO meanLatency', 'LYREO', U, 'meanLatency', fig2.latency_s.LYREO),
    ...fig4.users.map((users, end) =>
      target(`Fig. 4 LYREO meanLatency U = ${users}`, 'LYREO', users, 'meanLatency', fig4.latency_s.LYREO[end]),
    ),
    ...fig4.users.map((users) =>
      target(`Fig. 4 LYREO deviation U = ${users}`, 'LYREO', users, 'deviation', 0.009, true),
    ),
  ];
}

/**
 * The most that one number counts: an error by a factor of two. Without this cap Table II's two ratios of nearly full
 * pools, which no constants meet together with the others, would outweigh all the rest.
 */
const LARGEST_ERROR = Math.log(2) ** 2;
/** Added to the objective for each overloaded run: it has no mean latency, as if every number were off. */
const OVERLOAD_PENALTY = LARGEST_ERROR;

/** The objective of some constants. */
export interface Score {
  /** Weighted mean of squared logarithms of ours over printed, each at most ln² 2, plus ln² 2 per overloaded run. */
  readonly objective: number;
  /** Our numbers, in the order of the targets. */
  readonly values: readonly number[];
  /** Runs whose backlog grows without end. */
  readonly overloaded: readonly string[];
}

/**
 * Runs the stand-ins under some constants and compares them with the targets. LL has to keep up with every load of the
 * targets, Random with all but the greatest: where LYREO's latency grows with U as published, Random, which sends the
 * slowest server as much as the fastest, has fallen behind by U = 60.
 *
 * @param system fields of the system that differ from the calibrated default.
 */
export function score(
  constants: Constants,
  slots: number,
  seed: number,
  targets: readonly Target[],
  system: Partial<SystemConfig> = {},
): Score {
  const runs = new Map<string, RunMetrics>();
  const overloaded: string[] = [];
  const run = (standIn: StandIn, users: number): RunMetrics => {
    const name = `${standIn} U = ${users}`;
    const known = runs.get(name);
    if (known !== undefined) return known;
    const balanceUnit = standIn === 'NoLB' ? NO_BALANCE : constants.balanceUnit;
    const fields = { ...system, users, slots };
    const result = simulateUnder({ ...constants, balanceUnit }, standIns[standIn], fields, seed);
    runs.set(name, result);
    if (result.stability.verdict === 'OVERLOADED') overloaded.push(name);
    return result;
  };
  const values = targets.map(({ standIn, users, metric }) => run(standIn, users)[metric]);
  const loads = [...new Set(targets.map(({ users }) => users))];
  for (const users of loads) run('LL', users);
  for (const users of loads) if (users < Math.max(...loads)) run('Random', users);
  return { objective: meanError(values, targets) + OVERLOAD_PENALTY * overloaded.length, values, overloaded };
}

/**
 * The distance of our numbers from the printed ones: Σ w·min(ln²(ours/printed), largest) / Σ w; of a bound only the part
 * above it.
 *
 * @param largest most that one number counts, ln² 2 in the objective.
 */
export function meanError(
  values: readonly number[],
  targets: readonly Target[],
  largest: number = LARGEST_ERROR,
): number {
  let sum = 0;
  let weights = 0;
  targets.forEach(({ printed, weight, floor, isBound }, i) => {
    const error = Math.log(Math.max(values[i], floor) / printed);
    sum += weight * Math.min(largest, (isBound ? Math.max(error, 0) : error) ** 2);
    weights += weight;
  });
  return sum / weights;
}

/** `simulate` with other free constants than the shipped ones; `fields` are those of the system that differ. */
export function simulateUnder(
  constants: Constants,
  scheduler: SchedulerFactory,
  fields: Partial<SystemConfig>,
  seed: number,
): RunMetrics {
  const { kvPoolFraction, prefillSlowdown, sigmaInput, sigmaOutput, balanceUnit } = constants;
  const free = { kvPoolFraction, prefillSlowdown, sigmaInput, sigmaOutput, balanceUnit };
  const config = systemConfig('calibrated', { ...free, ...fields });
  const kvBytesPerToken = kilobytesToBytes(config.kvKilobytesPerToken);
  const profiles = gpusUnder({ ...constants, kvPoolFraction: config.kvPoolFraction });
  const serving = new Serving(serverSpecs(config, profiles), { ...config, kvBytesPerToken });
  const env = new EdgeEnv(config, seed, {}, { serving });
  const report = new Metrics(config.servers, config.balanceTolerance);
  for (const outcome of playSlots(env, scheduler(config, createRng(seed).fork('scheduler')))) report.add(outcome);
  return report.report();
}

/** The three GPUs under some constants. */
export function gpusUnder(constants: Constants): GpuProfile[] {
  return gpuPresets(constants.kvPoolFraction, toCalibrated(constants, ''));
}
