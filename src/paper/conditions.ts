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
  /** The question, one sentence. */
  readonly question: string;
  /** The fields in which the system differs from the default. */
  readonly system: (usual: Pick<SystemConfig, 'users' | 'servers'>) => Partial<SystemConfig>;
  readonly learning: Learning;
}

/** The conditions, in the order in which they are shown. */
export const conditions: Readonly<Record<ConditionName, Condition>> = {
  'heavy-tails': {
    label: 'heavy tails',
    question: 'Do the conclusions stand when a few requests are many times as long as the others?',
    system: () => ({ lengths: 'lmsys-like' }),
    learning: 'trained in it',
  },
  azure: {
    label: 'Azure trace (sample)',
    question: 'Do they stand for pairs of lengths read from a file with the columns of the Azure LLM inference trace?',
    system: () => ({ lengthsFile: 'samples/azure.csv' }),
    learning: 'trained in it',
  },
  burstgpt: {
    label: 'BurstGPT trace (sample)',
    question: 'Do they stand for pairs of lengths read from a file with BurstGPT’s columns?',
    system: () => ({ lengthsFile: 'samples/burstgpt.csv' }),
    learning: 'trained in it',
  },
  'length-error': {
    label: 'length error',
    question: 'Do they stand when the output lengths that a scheduler sees are predictions, with a log-normal error?',
    system: () => ({ predictionError: 'lognormal' }),
    learning: 'trained in it',
  },
  'stale-1': {
    label: 'state 1 slot old',
    question: 'Do they stand when the state of the servers is known one slot late?',
    system: () => ({ stateDelaySlots: 1 }),
    learning: 'trained in it',
  },
  'stale-3': {
    label: 'state 3 slots old',
    question: 'What becomes of the rules that need no learning when the state is three slots old?',
    system: () => ({ stateDelaySlots: 3 }),
    learning: 'none',
  },
  tenfold: {
    label: '10 × the scale',
    question:
      'What happens with ten times the users and servers, under rules and under a policy that was trained at the default?',
    system: ({ users, servers }) => ({ users: 10 * users, servers: 10 * servers }),
    learning: 'trained at the default',
  },
};

/** The methods that are trained in a condition. */
export const conditionLearners: readonly MethodName[] = ['lyreo', 'ly-ppo', 'ppo'];

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

/** The method that is trained at the default and can act among any number of servers. */
export const scalable: MethodName = 'lyreo-seq';

/** The methods that a condition asks for, those that learn first. */
export function conditionMethods(name: ConditionName): readonly MethodName[] {
  const learners = { 'trained in it': conditionLearners, 'trained at the default': [scalable], none: [] };
  return [...learners[conditions[name].learning], ...conditionRules];
}
