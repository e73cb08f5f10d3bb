import type { SchedulerFactory } from '../env/scheduler';
import { random, weightedRoundRobin } from './blind';
import { driftPlusPenalty } from './drift-plus-penalty';
import { latencyGreedy } from './forecast';
import { leastLoaded, leastLoadedInSlot, powerOfTwo, shortestQueue } from './least-load';

export const descriptions = {
  random: 'uniformly among the servers that can hold the request',
  ll: 'least loaded as published: the workload is read once per slot, so a whole slot goes to one server',
  'll-in-slot': 'least loaded, the workload updated as the requests of a slot are assigned',
  jsq: 'join the shortest queue: fewest requests',
  'power-of-two': 'of two servers drawn at random, the one with fewer requests',
  'latency-greedy': 'least forecast latency of the request itself',
  'drift-plus-penalty': 'least growth of latency, own and caused, and of queue-weighted imbalance',
  wrr: 'weighted round robin by serving speed, blind to state',
};

/** Names of the schedulers that need no learning, as the command line takes them. */
export type SchedulerName = keyof typeof descriptions;

export const schedulerNames: readonly SchedulerName[] = Object.keys(descriptions) as SchedulerName[];

/** The schedulers that need no learning. */
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
