import type { SchedulerFactory } from '../env/scheduler';
import { driftPlusPenalty } from './drift-plus-penalty';
import { latencyGreedy } from './latency-greedy';
import { leastLoaded, leastLoadedInSlot } from './least-loaded';
import { random } from './random';
import { powerOfTwo, shortestQueue } from './shortest-queue';
import { weightedRoundRobin } from './weighted-round-robin';

/** The schedulers that need no learning, by the names the command line takes. */
export const schedulers = {
  random,
  ll: leastLoaded,
  'll-in-slot': leastLoadedInSlot,
  jsq: shortestQueue,
  'power-of-two': powerOfTwo,
  'latency-greedy': latencyGreedy,
  'drift-plus-penalty': driftPlusPenalty,
  wrr: weightedRoundRobin,
} as const satisfies Record<string, SchedulerFactory>;

/** Name of a scheduler that needs no learning. */
export type SchedulerName = keyof typeof schedulers;
