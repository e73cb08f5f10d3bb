import type { SchedulerFactory } from '../env/scheduler';
import { driftPlusPenalty } from './drift-plus-penalty';
import { latencyGreedy } from './latency-greedy';
import { leastLoaded, leastLoadedInSlot } from './least-loaded';
import { random } from './random';
import { powerOfTwo, shortestQueue } from './shortest-queue';
import { weightedRoundRobin } from './weighted-round-robin';

/** Name of a scheduler that needs no learning. */
export type SchedulerName =
  | 'random'
  | 'll'
  | 'll-in-slot'
  | 'jsq'
  | 'power-of-two'
  | 'latency-greedy'
  | 'drift-plus-penalty'
  | 'wrr';

/** The schedulers that need no learning, by the names the command line takes. */
export const schedulers: Readonly<Record<SchedulerName, SchedulerFactory>> = {
  random,
  ll: leastLoaded,
  'll-in-slot': leastLoadedInSlot,
  jsq: shortestQueue,
  'power-of-two': powerOfTwo,
  'latency-greedy': latencyGreedy,
  'drift-plus-penalty': driftPlusPenalty,
  wrr: weightedRoundRobin,
};
