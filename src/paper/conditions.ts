import type { SystemConfig } from '../system/config';
import { DEFAULT_SERVERS, DEFAULT_USERS, type Profile } from './profiles';

/** Names of the conditions. */
export type ConditionName = 'heavy-tails' | 'azure' | 'burstgpt' | 'length-error' | 'stale-1' | 'stale-3' | 'tenfold';

/** Something that the paper leaves out and a real system has, as data. */
export interface Condition {
  /** A few words, for axes and titles. */
  readonly label: string;
  /** Whether the paper's learners are trained in it. */
  readonly learns: boolean;
  /** The fields in which the system differs from the default. */
  readonly system: (usual: Pick<SystemConfig, 'users' | 'servers'>) => Partial<SystemConfig>;
}

const tenfold: Condition['system'] = ({ users, servers }) => ({ users: 10 * users, servers: 10 * servers });

/** The conditions, in the order in which they are shown. */
export const conditions: Readonly<Record<ConditionName, Condition>> = {
  'heavy-tails': { label: 'heavy tails', learns: true, system: () => ({ lengths: 'lmsys-like' }) },
  azure: { label: 'Azure trace (sample)', learns: true, system: () => ({ lengthsFile: 'samples/azure.csv' }) },
  burstgpt: { label: 'BurstGPT trace (sample)', learns: true, system: () => ({ lengthsFile: 'samples/burstgpt.csv' }) },
  'length-error': { label: 'length error', learns: true, system: () => ({ predictionError: 'lognormal' }) },
  'stale-1': { label: 'state 1 slot old', learns: true, system: () => ({ stateDelaySlots: 1 }) },
  'stale-3': { label: 'state 3 slots old', learns: false, system: () => ({ stateDelaySlots: 3 }) },
  tenfold: { label: '10 × the scale', learns: false, system: tenfold },
};

/** The fields in which a condition's system differs from the default of a profile. */
export function conditionSystem(profile: Profile, name: ConditionName): Partial<SystemConfig> {
  return conditions[name].system({ users: DEFAULT_USERS, servers: DEFAULT_SERVERS, ...profile.system });
}
