import { type Reward, driftPlusPenalty, fixedPenalty, latencyOnly } from '../env/reward';
import { assigned, delayed, littlesLaw } from '../lyreo/credit/by-slot';
import type { CreditFactory } from '../lyreo/credit/credit';
import { own } from '../lyreo/credit/own';
import { printed } from '../lyreo/credit/printed';
import { request } from '../lyreo/credit/request';
import { slot } from '../lyreo/credit/slot';
import type { LearningMethod } from '../lyreo/method';
import type { TrainingConfig } from '../lyreo/training-config';
import type { SchedulerName } from '../schedulers/index';
import type { Batching } from '../system/scenario';

/** A way to schedule requests, as data: what it is called, how it is drawn, and what it does. */
export interface Method {
  /** As the paper writes it. */
  readonly label: string;
  /** Hex colour, from the Okabe and Ito palette where the paper's methods stand side by side. */
  readonly colour: string;
  /** Whether the paper has it, or it is an extra of ours. */
  readonly published: boolean;
  /** One sentence. */
  readonly about: string;
  readonly batching?: Batching;
  readonly scheduler?: SchedulerName;
  readonly learning?: LearningMethod;
  /** Hyperparameters that differ from `trainingDefaults`. */
  readonly training?: Partial<TrainingConfig>;
}

/** The optimiser as the paper prints it: one ratio per slot, ten epochs without a KL stop, one learning rate. */
export const printedOptimiser: Partial<TrainingConfig> = { ratio: 'per slot', targetKl: Infinity, criticRate: 1 };

/**
 * c of PPO's penalty, which the paper does not print. Of 1, 10, 100 and 1000 it is the best by PPO's own criterion, the
 * least latency among the weights whose deviation is at most ε (`lyreo experiments penalty --profile pilot`).
 */
const FIXED_PENALTY = 1000;

const factorised = { policy: 'factorised', reward: driftPlusPenalty, balanceMeasure: 'eta' } as const;

/** The credit rules of the paper's methods and of our extras. */
export const creditRules: readonly CreditFactory[] = [delayed, assigned, littlesLaw, printed, slot, own, request];

/** The rewards of the paper's methods. */
export const rewards: readonly Reward[] = [driftPlusPenalty, fixedPenalty, latencyOnly];

/** Name of a method. Written out, as all exported types are: the kernel's compiler does not infer them. */
export type MethodName =
  | 'lyreo'
  | 'ly-ppo'
  | 'ppo'
  | 'static'
  | 'll'
  | 'random'
  | 'lyreo-count'
  | 'lyreo-nolb'
  | 'lyreo-printed'
  | 'ly-ppo-printed'
  | 'ppo-printed'
  | 'lyreo-slot'
  | 'ly-ppo-booked'
  | 'ly-ppo-own'
  | 'ly-ppo-little'
  | 'lyreo-seq'
  | 'drift-plus-penalty'
  | 'll-in-slot'
  | 'latency-greedy'
  | 'jsq'
  | 'power-of-two'
  | 'wrr';

/** Every method, in the order in which figures and tables list them. */
export const methods: Readonly<Record<MethodName, Method>> = {
  lyreo: {
    label: 'LYREO',
    colour: '#D55E00',
    published: true,
    about:
      'Virtual queues, PPO, and an LSTM that credits each request, beside its own latency, with what it changed for others.',
    learning: { ...factorised, credit: request },
  },
  'ly-ppo': {
    label: 'Ly-PPO',
    colour: '#0072B2',
    published: true,
    about: 'Virtual queues and PPO; latency counts when a request completes.',
    learning: { ...factorised, credit: delayed },
  },
  ppo: {
    label: 'PPO',
    colour: '#009E73',
    published: true,
    about: 'PPO with a fixed penalty on the violated constraint.',
    learning: { ...factorised, credit: delayed, reward: fixedPenalty },
    training: { fixedPenalty: FIXED_PENALTY },
  },
  static: {
    label: 'Static',
    colour: '#E69F00',
    published: true,
    about: 'Batch-at-a-time decoding with a latency-greedy router.',
    batching: 'static',
    scheduler: 'latency-greedy',
  },
  ll: {
    label: 'LL',
    colour: '#CC79A7',
    published: true,
    about: 'Least loaded; the workload is read once at the slot’s start.',
    scheduler: 'll',
  },
  random: {
    label: 'Random',
    colour: '#7F7F7F',
    published: true,
    about: 'A server drawn uniformly.',
    scheduler: 'random',
  },
  'lyreo-count': {
    label: 'LYREO-Count',
    colour: '#56B4E9',
    published: true,
    about: 'LYREO with the number of active requests in place of KV memory-time.',
    learning: { ...factorised, credit: request, balanceMeasure: 'count' },
  },
  'lyreo-nolb': {
    label: 'LYREO-NoLB',
    colour: '#8C564B',
    published: true,
    about: 'LYREO without load balancing.',
    learning: { ...factorised, credit: request, reward: latencyOnly },
  },
  'lyreo-printed': {
    label: 'LYREO (printed)',
    colour: '#F0A070',
    published: false,
    about: 'As near to the paper’s text as it can be read: whole reward, windows of 250 slots, r′ = g_t − g_{t−1}.',
    learning: { ...factorised, credit: printed },
    training: printedOptimiser,
  },
  'ly-ppo-printed': {
    label: 'Ly-PPO (printed)',
    colour: '#6BAED6',
    published: false,
    about: 'Ly-PPO under the printed optimiser: one ratio per slot, ten epochs, one learning rate.',
    learning: { ...factorised, credit: delayed },
    training: printedOptimiser,
  },
  'ppo-printed': {
    label: 'PPO (printed)',
    colour: '#66C2A5',
    published: false,
    about: 'PPO under the printed optimiser.',
    learning: { ...factorised, credit: delayed, reward: fixedPenalty },
    training: { ...printedOptimiser, fixedPenalty: FIXED_PENALTY },
  },
  'lyreo-slot': {
    label: 'LYREO (slot)',
    colour: '#B15928',
    published: false,
    about: 'Latency by assignment slot, redistributed slot by slot.',
    learning: { ...factorised, credit: slot },
  },
  'ly-ppo-booked': {
    label: 'Ly-PPO (by assignment)',
    colour: '#6BAED6',
    published: false,
    about: 'Latency by assignment slot, no predictor: LYREO without the LSTM.',
    learning: { ...factorised, credit: assigned },
  },
  'ly-ppo-own': {
    label: 'Ly-PPO (own latency)',
    colour: '#9ECAE1',
    published: false,
    about: 'Each request credited with its own latency, no predictor: LYREO’s credit without the LSTM.',
    learning: { ...factorised, credit: own },
  },
  'ly-ppo-little': {
    label: 'Ly-PPO (Little)',
    colour: '#2171B5',
    published: false,
    about: 'Requests in the system in place of latencies: Little’s law, exact and without delay.',
    learning: { ...factorised, credit: littlesLaw },
  },
  'lyreo-seq': {
    label: 'LYREO (sequential)',
    colour: '#A50F15',
    published: false,
    about: 'LYREO’s credit for a policy that assigns a slot’s requests one after the other, starting from the greedy.',
    learning: { ...factorised, policy: 'sequential', credit: request },
  },
  'drift-plus-penalty': {
    label: 'Drift+penalty greedy',
    // Not black, which a dark page swallows.
    colour: '#E7298A',
    published: false,
    about: 'Minimises the forecast drift-plus-penalty request by request.',
    scheduler: 'drift-plus-penalty',
  },
  'll-in-slot': {
    label: 'LL (in slot)',
    colour: '#9467BD',
    published: false,
    about: 'Least loaded, updated with every request.',
    scheduler: 'll-in-slot',
  },
  'latency-greedy': {
    label: 'Latency greedy',
    colour: '#BCBD22',
    published: false,
    about: 'Least forecast latency, request by request.',
    scheduler: 'latency-greedy',
  },
  jsq: { label: 'JSQ', colour: '#17BECF', published: false, about: 'Join the shortest queue.', scheduler: 'jsq' },
  'power-of-two': {
    label: 'Power of two',
    colour: '#AEC7E8',
    published: false,
    about: 'The shorter queue of two servers drawn.',
    scheduler: 'power-of-two',
  },
  wrr: {
    label: 'Weighted RR',
    colour: '#98DF8A',
    published: false,
    about: 'Round robin in proportion to the servers’ speed.',
    scheduler: 'wrr',
  },
};

export function methodOf(name: MethodName): Method {
  return methods[name];
}
