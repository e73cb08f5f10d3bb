import type { SystemConfig } from '../system/config';
import type { MethodName } from './methods';

/** Name of a condition. */
export type ConditionName = 'heavy-tails' | 'azure' | 'burstgpt' | 'length-error' | 'stale-1' | 'stale-3' | 'tenfold';

/** Something that the paper leaves out and a real system has, as data. */
export interface Condition {
  /** A few words, for axes and titles. */
  readonly label: string;
  /** The fields in which the system differs from the default. */
  readonly system: (usual: Pick<SystemConfig, 'users' | 'servers'>) => Partial<SystemConfig>;
  /** Whether the paper's learners are trained in it. */
  readonly learns: boolean;
}

/** The conditions, in the order in which they are shown. */
export const conditions: Readonly<Record<ConditionName, Condition>> = {
  'heavy-tails': {
    label: 'heavy tails',
    system: () => ({ lengths: 'lmsys-like' }),
    learns: true,
  },
  azure: {
    label: 'Azure trace (sample)',
    system: () => ({ lengthsFile: 'samples/azure.csv' }),
    learns: true,
  },
  burstgpt: {
    label: 'BurstGPT trace (sample)',
    system: () => ({ lengthsFile: 'samples/burstgpt.csv' }),
    learns: true,
  },
  'length-error': {
    label: 'length error',
    system: () => ({ predictionError: 'lognormal' }),
    learns: true,
  },
  'stale-1': {
    label: 'state 1 slot old',
    system: () => ({ stateDelaySlots: 1 }),
    learns: true,
  },
  'stale-3': {
    label: 'state 3 slots old',
    system: () => ({ stateDelaySlots: 3 }),
    learns: false,
  },
  tenfold: {
    label: '10 × the scale',
    system: ({ users, servers }) => ({ users: 10 * users, servers: 10 * servers }),
    learns: false,
  },
};

/** The paper's methods that learn. */
export const learners: readonly MethodName[] = ['lyreo', 'ly-ppo', 'ppo'];

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
