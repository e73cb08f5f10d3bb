/** The runs without learning by which some constants are judged. */
import { createRng } from '../../core/rng';
import { kilobytesToBytes } from '../../core/units';
import { EdgeEnv } from '../../env/edge-env';
import { Metrics, type RunMetrics } from '../../env/metrics';
import { playSlots } from '../../env/play-slots';
import type { SchedulerFactory } from '../../env/scheduler';
import { schedulers } from '../../schedulers/index';
import type { SystemConfig } from '../../system/config';
import type { GpuProfile } from '../../system/gpu-profiles';
import { gpuPresets, serverSpecs } from '../../system/gpus';
import { systemConfig } from '../../system/presets';
import { Serving } from '../../system/serving';
import { type Constants, toCalibrated } from './constants';

/** A scheduler without learning that stands in for a method of the paper. */
export type StandIn = 'LYREO' | 'NoLB' | 'Static' | 'LL' | 'Random';

/** A run of a stand-in with the numbers that targets compare. Those of an overloaded run describe no steady state. */
export interface TrialRun {
  readonly standIn: StandIn;
  readonly users: number;
  /** ν. */
  readonly latencyWeight: number;
  /** Mean and P99, s. */
  readonly latency: number;
  readonly p99: number;
  readonly deviation: number;
  readonly highKvPercent: number;
  /** Mean Z in units of its own, as in Fig. 2b. */
  readonly queue: number;
  readonly overloaded: boolean;
}

const standIns: Readonly<Record<StandIn, SchedulerFactory>> = {
  LYREO: schedulers['drift-plus-penalty'],
  NoLB: schedulers['drift-plus-penalty'],
  Static: schedulers['latency-greedy'],
  LL: schedulers.ll,
  Random: schedulers.random,
};

/** So large a unit of Y and Z that balance weighs nothing. */
const NO_BALANCE = 1e9;

/** The loads among which the readings of Fig. 2 and Table II choose. */
export const loads: readonly number[] = [20, 30, 40, 50, 60];

/** A tenth more than the greatest load of Fig. 4: a trained policy is no better than the greedy, and needs room. */
export const LOAD_WITH_ROOM = 66;

/** ν where nothing is swept. */
const DEFAULT_NU = 0.5;

/** Runs every stand-in at every load; LYREO's also at ν = 1 and 2, and with a tenth more users than Fig. 4 has. */
export function trialRuns(
  constants: Constants,
  slots: number,
  seed: number,
  system: Partial<SystemConfig> = {},
): TrialRun[] {
  const run = (standIn: StandIn, users: number, latencyWeight = DEFAULT_NU): TrialRun => {
    const balanceUnit = standIn === 'NoLB' ? NO_BALANCE : constants.balanceUnit;
    const batching = standIn === 'Static' ? 'static' : 'deed';
    const fields = { ...system, users, slots, latencyWeight, batching } as const;
    const found = simulateUnder({ ...constants, balanceUnit }, standIns[standIn], fields, seed);
    const { meanLatency: latency, p99Latency: p99, deviation, highKvPercent, meanQueue: queue, stability } = found;
    const overloaded = stability.verdict === 'OVERLOADED';
    return { standIn, users, latencyWeight, latency, p99, deviation, highKvPercent, queue, overloaded };
  };
  return [
    ...loads.flatMap((users) => (Object.keys(standIns) as StandIn[]).map((standIn) => run(standIn, users))),
    ...loads.flatMap((users) => [1, 2].map((nu) => run('LYREO', users, nu))),
    run('LYREO', LOAD_WITH_ROOM),
  ];
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
