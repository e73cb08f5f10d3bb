import type { SystemConfig } from '../system/config';
import type { MethodName } from './methods';

/** Name of a condition. */
export type ConditionName = 'heavy-tails' | 'azure' | 'burstgpt' | 'length-error' | 'stale-1' | 'stale-3' | 'tenfold';

/** The learning methods of a condition: three, trained in it; one, trained at the default; or none. */
export type Learning = 'trained in it' | 'none' | 'trained at the default';

/** Something that the paper leaves out and a real system has, as data. */
export interface Condition {
  /** A few words, for axes and titles. */
  readonly label: string;
  /** The fields in which the system differs from the default. */
  readonly system: (usual: Pick<SystemConfig, 'users' | 'servers'>) => Partial<SystemConfig>;
  readonly learning: Learning;
}

/** The conditions, in the order in which they are shown. */
export const conditions: Readonly<Record<ConditionName, Condition>> = {
  'heavy-tails': {
    label: 'heavy tails',
    system: () => ({ lengths: 'lmsys-like' }),
    learning: 'trained in it',
  },
  azure: {
    label: 'Azure trace (sample)',
    system: () => ({ lengthsFile: 'samples/azure.csv' }),
    learning: 'trained in it',
  },
  burstgpt: {
    label: 'BurstGPT trace (sample)',
    system: () => ({ lengthsFile: 'samples/burstgpt.csv' }),
    learning: 'trained in it',
  },
  'length-error': {
    label: 'length error',
    system: () => ({ predictionError: 'lognormal' }),
    learning: 'trained in it',
  },
  'stale-1': {
    label: 'state 1 slot old',
    system: () => ({ stateDelaySlots: 1 }),
    learning: 'trained in it',
  },
  'stale-3': {
    label: 'state 3 slots old',
    system: () => ({ stateDelaySlots: 3 }),
    learning: 'none',
  },
  tenfold: {
    label: '10 × the scale',
    system: ({ users, servers }) => ({ users: 10 * users, servers: 10 * servers }),
    learning: 'trained at the default',
  },
};

/** The method that is trained at the default and can act among any number of servers. */
export const scalable: MethodName = 'lyreo-seq';

/** The methods that learn. */
export const learnersOf: Readonly<Record<Learning, readonly MethodName[]>> = {
  'trained in it': ['lyreo', 'ly-ppo', 'ppo'],
  'trained at the default': [scalable],
  none: [],
};

/** The methods that need no training, the paper's first. */
export const conditionRules: readonly MethodName[] = [
  'static',
  'll',
  'random',
  'drift-plus-penalty',
  'll-in-slot',
  'latency-greedy',
  'jsq',
  'power-of-two',
];
