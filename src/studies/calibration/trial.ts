/** The runs without learning by which some constants are judged. */
import { kilobytesToBytes } from '../../core/units';
import type { RunMetrics } from '../../env/metrics';
import type { SchedulerFactory } from '../../env/scheduler';
import { simulate } from '../../env/simulate';
import { profiles } from '../../paper/profiles';
import { schedulers } from '../../schedulers/index';
import type { SystemConfig } from '../../system/config';
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

/** The numbers of users that the text leaves to its reader; Fig. 3 has those of Fig. 2, Fig. 7 those of Table II. */
export interface Loads {
  readonly fig2: number;
  readonly table2: number;
}

/**
 * The readings of the two loads. LYREO has 2.3 s at U = 20 and 3.3 s at U = 60 in Fig. 4, 2.4 s in Fig. 2 and 2.63 s in
 * Table II, and its latency rises with U: both loads lie between, Table II's above Fig. 2's.
 */
export const loadReadings: readonly Loads[] = [
  { fig2: 30, table2: 40 },
  { fig2: 30, table2: 50 },
  { fig2: 40, table2: 50 },
];

/** A tenth more than the greatest load of Fig. 4: a trained policy is no better than the greedy, and needs room. */
export const LOAD_WITH_ROOM = 66;

/** Slots of a run unless said otherwise. */
export const DEFAULT_SLOTS = 200;

/** ν where nothing is swept. */
export const DEFAULT_NU: number = systemConfig('literal').latencyWeight;

/** Runs LYREO's stand-in at every load, the others at the loads of the readings, and LYREO's at ν = 1 and 2 as well. */
export function trialRuns(
  constants: Constants,
  slots: number,
  seed: number,
  system: Partial<SystemConfig> = {},
): TrialRun[] {
  const run = (standIn: StandIn, users: number, latencyWeight = DEFAULT_NU): TrialRun => {
    // So large a unit of Y and Z that balance weighs nothing.
    const balanceUnit = standIn === 'NoLB' ? 1e9 : constants.balanceUnit;
    const batching = standIn === 'Static' ? 'static' : 'deed';
    const fields = { ...system, users, slots, latencyWeight, batching } as const;
    const found = simulateUnder({ ...constants, balanceUnit }, standIns[standIn], fields, seed);
    const { meanLatency: latency, p99Latency: p99, deviation, highKvPercent, meanQueue: queue, stability } = found;
    const overloaded = stability.verdict === 'OVERLOADED';
    return { standIn, users, latencyWeight, latency, p99, deviation, highKvPercent, queue, overloaded };
  };
  const distinct = (figure: keyof Loads): number[] => [...new Set(loadReadings.map((reading) => reading[figure]))];
  return [
    ...[...profiles.paper.users, LOAD_WITH_ROOM].map((users) => run('LYREO', users)),
    ...distinct('fig2').flatMap((users) => (['Static', 'LL', 'Random'] as const).map((standIn) => run(standIn, users))),
    ...distinct('table2').flatMap((users) => [run('NoLB', users), ...[1, 2].map((nu) => run('LYREO', users, nu))]),
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
  const specs = serverSpecs(config, gpuPresets(config.kvPoolFraction, toCalibrated(constants, '')));
  const kvBytesPerToken = kilobytesToBytes(config.kvKilobytesPerToken);
  return simulate(config, scheduler, seed, { serving: new Serving(specs, { ...config, kvBytesPerToken }) });
}
