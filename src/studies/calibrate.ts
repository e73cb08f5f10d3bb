import { resumeJsonLog, writeJsonLog } from '../core/json-log';
import { type Rng, createRng } from '../core/rng';
import { kilobytesToBytes } from '../core/units';
import { EdgeEnv } from '../env/edge-env';
import { playSlots } from '../env/play-slots';
import type { SchedulerFactory } from '../env/scheduler';
import { schedulers } from '../schedulers/index';
import { type Calibrated, calibrated } from '../system/calibrated';
import type { SystemConfig } from '../system/config';
import type { GpuProfile } from '../system/gpu-profiles';
import { gpuPresets, serverSpecs } from '../system/gpus';
import { systemConfig, tableOne } from '../system/presets';
import { Serving } from '../system/serving';
import { Metrics, type RunMetrics } from '../env/metrics';
import { type Published, publishedFacts } from '../paper/published';

/** The free constants, one flat record of numbers. */
export interface Constants {
  /** κ. */
  readonly kvPoolFraction: number;
  /** w. */
  readonly prefillSlowdown: number;
  readonly sigmaInput: number;
  readonly sigmaOutput: number;
  /** τ_0 of each GPU, s. */
  readonly tau0Rtx3080: number;
  readonly tau0Rtx3090: number;
  readonly tau0Rtx4090: number;
  /** τ_1, s: what a full pool adds. */
  readonly tau1: number;
  readonly exponent: number;
  /** Unit of Y and Z in the drift-plus-penalty. */
  readonly balanceUnit: number;
}

/** Name of a free constant. */
export type ConstantName = keyof Constants;

/** Where a constant is looked for. */
export interface Range {
  readonly least: number;
  readonly greatest: number;
  /** Whether it is drawn evenly on a logarithmic scale. */
  readonly isLog: boolean;
}

/** Where the search looks. */
export const ranges: Readonly<Record<ConstantName, Range>> = {
  kvPoolFraction: { least: 1 / 500, greatest: 1 / 60, isLog: true },
  prefillSlowdown: { least: 0, greatest: 0.6, isLog: false },
  sigmaInput: { least: 0.3, greatest: 1, isLog: false },
  sigmaOutput: { least: 0.15, greatest: 0.6, isLog: false },
  tau0Rtx3080: { least: 0.005, greatest: 0.02, isLog: true },
  tau0Rtx3090: { least: 0.005, greatest: 0.02, isLog: true },
  tau0Rtx4090: { least: 0.004, greatest: 0.016, isLog: true },
  tau1: { least: 0.0005, greatest: 0.03, isLog: true },
  exponent: { least: 1, greatest: 3, isLog: false },
  balanceUnit: { least: 0.01, greatest: 1, isLog: true },
};

/** All constants, in the order in which they are drawn. */
export const constantNames: readonly ConstantName[] = Object.keys(ranges) as ConstantName[];

/**
 * What is free unless said otherwise. Not the balance unit: a greedy that balances request by request stays below ε
 * whatever the unit, so that the objective does not tell one from another (see `sensitivities`).
 */
export const fittedByDefault: readonly ConstantName[] = constantNames.filter((name) => name !== 'balanceUnit');

/** Where the search begins: the constants of a first pilot. Fixed, so that what the search finds does not change it. */
export const pilotConstants: Constants = {
  kvPoolFraction: 0.008,
  prefillSlowdown: 0.3,
  sigmaInput: 0.8,
  sigmaOutput: 0.3,
  tau0Rtx3080: 0.012,
  tau0Rtx3090: 0.0095,
  tau0Rtx4090: 0.007,
  tau1: 0.0075,
  exponent: 1,
  balanceUnit: 0.1,
};

/** The constants as they are shipped. */
export function presentConstants(shipped: Calibrated = calibrated()): Constants {
  const { kvPoolFraction, prefillSlowdown, sigmaInput, sigmaOutput, tau0Seconds, tau1Seconds, exponent } = shipped;
  return {
    kvPoolFraction,
    prefillSlowdown,
    sigmaInput,
    sigmaOutput,
    tau0Rtx3080: tau0Seconds.rtx3080,
    tau0Rtx3090: tau0Seconds.rtx3090,
    tau0Rtx4090: tau0Seconds.rtx4090,
    tau1: typeof tau1Seconds === 'number' ? tau1Seconds : tau1Seconds.rtx3090,
    exponent,
    balanceUnit: shipped.balanceUnit,
  };
}

/** The constants as data/calibrated.json has them. */
export function toCalibrated(constants: Constants, command: string): Calibrated {
  const { tau0Rtx3080, tau0Rtx3090, tau0Rtx4090, tau1 } = constants;
  return {
    command,
    note: calibrated().note,
    kvPoolFraction: constants.kvPoolFraction,
    prefillSlowdown: constants.prefillSlowdown,
    sigmaInput: constants.sigmaInput,
    sigmaOutput: constants.sigmaOutput,
    tau0Seconds: { rtx3080: tau0Rtx3080, rtx3090: tau0Rtx3090, rtx4090: tau0Rtx4090 },
    tau1Seconds: tau1,
    exponent: constants.exponent,
    balanceUnit: constants.balanceUnit,
  };
}

/** Schedulers that stand in for the paper's, none of which learns. */
type StandIn = 'LYREO' | 'NoLB' | 'LL' | 'Random';

/** A published number that the fit is to meet. */
export interface Target {
  readonly name: string;
  readonly standIn: StandIn;
  readonly users: number;
  readonly metric: 'meanLatency' | 'deviation' | 'p99Latency' | 'highKvPercent';
  readonly printed: number;
  /** Whether it is only to stay below. */
  readonly isBound: boolean;
  readonly weight: number;
  /** Ours counts as at least this much: below, less makes no difference. */
  readonly floor: number;
}

/** The numbers of published.json that stand-ins can be held against; latency and P99 weigh twice. */
export function targetsOf(facts: Published = publishedFacts()): Target[] {
  const { fig2_convergence: fig2, fig4_users: fig4, table2 } = facts;
  const target = (
    name: string,
    standIn: StandIn,
    users: number,
    metric: Target['metric'],
    printed: number,
  ): Target => ({
    name,
    standIn,
    users,
    metric,
    printed,
    isBound: false,
    weight: metric === 'meanLatency' || metric === 'p99Latency' ? 2 : 1,
    floor: metric === 'highKvPercent' ? 1 : 1e-4,
  });
  const U = facts.settings.users_default;
  const row = (name: string, standIn: StandIn, numbers: Published['table2']['LYREO']): Target[] =>
    (['meanLatency', 'deviation', 'p99Latency', 'highKvPercent'] as const).map((metric, column) =>
      target(`Table II ${name} ${metric}`, standIn, U, metric, numbers[column]),
    );
  return [
    ...row('LYREO', 'LYREO', table2.LYREO),
    ...row('NoLB', 'NoLB', table2['LYREO-NoLB']),
    target('Fig. 2 LYREO meanLatency', 'LYREO', U, 'meanLatency', fig2.latency_s.LYREO),
    ...fig4.users.map((users, end) =>
      target(`Fig. 4 LYREO meanLatency U = ${users}`, 'LYREO', users, 'meanLatency', fig4.latency_s.LYREO[end]),
    ),
    ...fig4.users.map((users) => ({
      ...target(`Fig. 4 LYREO deviation U = ${users}`, 'LYREO' as const, users, 'deviation' as const, 0.009),
      isBound: true,
    })),
  ];
}

/**
 * Most that one number counts: that it is off by a factor of two. Without it the two numbers that no constants can meet
 * together with the others, Table II's ratios of nearly full pools, would outweigh all the rest.
 */
const LARGEST_ERROR = Math.log(2) ** 2;
/** Added to the objective for each run that is overloaded: one has no mean latency, as if every number were off. */
const OVERLOAD_PENALTY = LARGEST_ERROR;

/** What a candidate comes to. */
export interface Score {
  /** Weighted mean of squared logarithms of ours over printed, each at most ln² 2, plus ln² 2 per overloaded run. */
  readonly objective: number;
  /** Ours, in the order of the targets. */
  readonly values: readonly number[];
  /** Runs that fall behind for good. */
  readonly overloaded: readonly string[];
}

/** What a search does. */
export interface SearchOptions {
  readonly candidates: number;
  readonly seed: number;
  /** Slots of each run. Default 250. */
  readonly slots?: number | undefined;
  /** Default: `fittedByDefault`. */
  readonly free?: readonly ConstantName[] | undefined;
  /** One JSON object per candidate; what stands there is not computed again. */
  readonly logFile?: string | undefined;
  readonly onCandidate?: ((candidate: Candidate, best: Candidate) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One line of a search's log. */
export interface Candidate extends Score {
  /** From 0: the pilot's constants. */
  readonly index: number;
  readonly constants: Constants;
}

const DEFAULT_SLOTS = 250;

/**
 * Random search with refinement: candidate 0 is the pilot's constants; of the others every second is drawn from the
 * ranges and every second around one of the five best so far, with steps that shrink. Candidate n depends on seed, n
 * and the candidates before it alone, so that a search goes on from its log as if it had never stopped.
 *
 * @returns all candidates, those of the log included.
 */
export async function search(options: SearchOptions): Promise<Candidate[]> {
  const { candidates, seed, slots = DEFAULT_SLOTS, free = fittedByDefault, logFile } = options;
  const targets = targetsOf();
  const header = JSON.stringify({ seed, slots, free, targets });
  const found =
    logFile === undefined
      ? []
      : resumeJsonLog<Candidate>(
          logFile,
          header,
          'another search; allowed: the same seed, slots and free constants, or another file',
        );
  for (let index = found.length; index < candidates; index++) {
    await new Promise((resolve) => setImmediate(resolve));
    options.signal?.throwIfAborted();
    const rng = createRng(seed).fork(`candidate ${index}`);
    const constants = index === 0 ? pilotConstants : propose(index, found, free, rng);
    const candidate = { index, constants, ...score(constants, slots, seed, targets) };
    found.push(candidate);
    if (logFile !== undefined) writeJsonLog(logFile, { header, lines: found });
    options.onCandidate?.(candidate, bestOf(found));
  }
  return found;
}

/** The least objective. */
export function bestOf(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, candidate) => (candidate.objective < best.objective ? candidate : best));
}

function propose(index: number, before: readonly Candidate[], free: readonly ConstantName[], rng: Rng): Constants {
  const isFresh = index % 2 === 1;
  const ranked = [...before].sort((a, b) => a.objective - b.objective);
  const parent = isFresh ? pilotConstants : ranked[rng.int(Math.min(5, ranked.length))].constants;
  // A fifth of a range at first, a tenth after 75 candidates, a twentieth after 375.
  const step = 0.2 / Math.sqrt(1 + index / 25);
  const drawn = free.map((name) => {
    const range = ranges[name];
    const at = isFresh ? rng.uniform() : placeOf(range, parent[name]) + step * rng.normal();
    return [name, valueAt(range, Math.min(1, Math.max(0, at)))] as const;
  });
  return inOrderOfSpeed({ ...parent, ...Object.fromEntries(drawn) });
}

/** No GPU decodes faster than the next better one: without this the fit makes the 3080 the fastest of the three. */
function inOrderOfSpeed(constants: Constants): Constants {
  const tau0Rtx3090 = Math.max(constants.tau0Rtx3090, constants.tau0Rtx4090);
  return { ...constants, tau0Rtx3090, tau0Rtx3080: Math.max(constants.tau0Rtx3080, tau0Rtx3090) };
}

/** Where in its range a value lies, 0 to 1, and back. */
export function placeOf({ least, greatest, isLog }: Range, value: number): number {
  return isLog ? Math.log(value / least) / Math.log(greatest / least) : (value - least) / (greatest - least);
}

function valueAt({ least, greatest, isLog }: Range, place: number): number {
  const value = isLog ? least * (greatest / least) ** place : least + place * (greatest - least);
  return Number(value.toPrecision(4));
}

/**
 * Runs the stand-ins under some constants and compares them with the targets. LL has to keep up with every load of the
 * targets, Random with all but the greatest: where LYREO's latency grows with U as published, Random, which sends the
 * slowest server as much as the fastest, has fallen behind by U = 60.
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
    let metrics = runs.get(name);
    if (metrics === undefined) {
      metrics = runStandIn(standIn, constants, { ...system, users, slots }, seed);
      runs.set(name, metrics);
      if (metrics.stability.verdict === 'OVERLOADED') overloaded.push(name);
    }
    return metrics;
  };
  const values = targets.map(({ standIn, users, metric }) => run(standIn, users)[metric]);
  const loads = [...new Set(targets.map(({ users }) => users))];
  for (const users of loads) run('LL', users);
  for (const users of loads) if (users < Math.max(...loads)) run('Random', users);
  return { objective: meanError(values, targets) + OVERLOAD_PENALTY * overloaded.length, values, overloaded };
}

/**
 * How far ours are from printed numbers: Σ w·min(ln²(ours/printed), largest) / Σ w; of a bound only what is above it.
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

const standIns: Readonly<Record<StandIn, SchedulerFactory>> = {
  LYREO: schedulers['drift-plus-penalty'],
  NoLB: schedulers['drift-plus-penalty'],
  LL: schedulers.ll,
  Random: schedulers.random,
};

/** So large a unit that balance weighs nothing. */
const NO_BALANCE = 1e9;

function runStandIn(standIn: StandIn, constants: Constants, fields: Partial<SystemConfig>, seed: number): RunMetrics {
  const balanceUnit = standIn === 'NoLB' ? NO_BALANCE : constants.balanceUnit;
  return simulateUnder({ ...constants, balanceUnit }, standIns[standIn], fields, seed);
}

/** `simulate` with other free constants than the shipped ones; `fields` are those of the system that differ. */
export function simulateUnder(
  constants: Constants,
  scheduler: SchedulerFactory,
  fields: Partial<SystemConfig>,
  seed: number,
): RunMetrics {
  const { kvPoolFraction, prefillSlowdown, sigmaInput, sigmaOutput, balanceUnit } = constants;
  const config = systemConfig('calibrated', {
    kvPoolFraction,
    prefillSlowdown,
    sigmaInput,
    sigmaOutput,
    balanceUnit,
    ...fields,
  });
  const kvBytesPerToken = kilobytesToBytes(config.kvKilobytesPerToken);
  const profiles = gpusUnder({ ...constants, kvPoolFraction: config.kvPoolFraction });
  const serving = new Serving(serverSpecs(config, profiles), { ...config, kvBytesPerToken });
  const env = new EdgeEnv(config, seed, {}, { serving });
  const metrics = new Metrics(config.servers, config.balanceTolerance);
  const assign = scheduler(config, createRng(seed).fork('scheduler'));
  for (const outcome of playSlots(env, assign)) metrics.add(outcome);
  return metrics.report();
}

/** The three GPUs under some constants. */
export function gpusUnder(constants: Constants): GpuProfile[] {
  return gpuPresets(constants.kvPoolFraction, toCalibrated(constants, ''));
}

/** How the objective answers to one constant. */
export interface Sensitivity {
  readonly name: ConstantName | 'pathLossDb';
  /** What was changed, down and up. */
  readonly change: string;
  /** Objective with less and with more of it. */
  readonly less: Score;
  readonly more: Score;
}

/** What `sensitivity` can change: the free constants, and the path loss, which is not fitted. */
export const sensitive: readonly (ConstantName | 'pathLossDb')[] = [...constantNames, 'pathLossDb'];

/** One constant 20 % down and up, the others held; the path loss by 10 dB. */
export function sensitivity(
  name: ConstantName | 'pathLossDb',
  constants: Constants,
  seed: number,
  slots: number = DEFAULT_SLOTS,
): Sensitivity {
  const targets = targetsOf();
  if (name === 'pathLossDb') {
    const { pathLossDb } = tableOne('calibrated');
    const by = (dB: number): Score => score(constants, slots, seed, targets, { pathLossDb: pathLossDb + dB });
    return { name, change: '±10 dB', less: by(-10), more: by(10) };
  }
  const by = (factor: number): Score => score({ ...constants, [name]: factor * constants[name] }, slots, seed, targets);
  return { name, change: '±20 %', less: by(0.8), more: by(1.2) };
}

/** All of them. */
export function sensitivities(constants: Constants, seed: number, slots?: number): Sensitivity[] {
  return sensitive.map((name) => sensitivity(name, constants, seed, slots));
}
