import { type Reward, driftPlusPenalty, fixedPenalty, latencyOnly } from '../env/reward';
import { assigned, delayed, littlesLaw, slot } from '../lyreo/credit/by-slot';
import type { CreditFactory } from '../lyreo/credit/credit';
import { own } from '../lyreo/credit/own';
import { printed } from '../lyreo/credit/printed';
import { request } from '../lyreo/credit/request';
import type { LearningMethod } from '../lyreo/method';
import type { TrainingConfig } from '../lyreo/training-config';
import type { SchedulerName } from '../schedulers/index';
import type { Batching } from '../system/scenario';

/** A way to schedule requests, as data: its name, its look and its parts. */
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

/** The optimiser as the paper prints it, in episodes that begin with Z = 0. */
const printedOptimiser = { ratio: 'per slot', targetKl: Infinity, criticRate: 1, startQueue: 0 } as const;

/**
 * c of PPO's penalty, which the paper does not print. Of 1, 10, 100 and 1000 it is the best by PPO's own criterion, the
 * least latency among the weights whose deviation is at most ε (`lyreo experiments penalty --profile pilot`).
 */
const FIXED_PENALTY = 1000;

type How = Pick<Method, 'batching' | 'scheduler' | 'learning' | 'training'>;

/** A policy that is rewarded by drift plus penalty and balances η, where nothing else is said. */
function learns(credit: CreditFactory, others: Partial<LearningMethod> = {}, training: Method['training'] = {}): How {
  return { learning: { reward: driftPlusPenalty, balanceMeasure: 'eta', credit, ...others }, training };
}

/** A method that the paper has. */
function published(label: string, colour: string, about: string, how: How): Method {
  return { label, colour, published: true, about, ...how };
}

/** An extra of ours. */
const ours = (...method: Parameters<typeof published>): Method => ({ ...published(...method), published: false });

/** The credit rules of the paper's methods and of our extras. */
export const creditRules: readonly CreditFactory[] = [delayed, assigned, littlesLaw, printed, slot, own, request];

/** The rewards of the paper's methods. */
export const rewards: readonly Reward[] = [driftPlusPenalty, fixedPenalty, latencyOnly];

type Published = 'lyreo' | 'ly-ppo' | 'ppo' | 'static' | 'll' | 'random' | 'lyreo-count' | 'lyreo-nolb';
type Printed = 'lyreo-printed' | 'ly-ppo-printed' | 'ppo-printed';
type Credited = 'lyreo-slot' | 'ly-ppo-booked' | 'ly-ppo-own' | 'ly-ppo-little';
type Informed = 'drift-plus-penalty' | 'll-in-slot' | 'latency-greedy' | 'jsq' | 'power-of-two' | 'wrr';

/** Name of a method. Written out, as all exported types are: the kernel's compiler does not infer them. */
export type MethodName = Published | Printed | Credited | Informed;

/** The paper's methods that learn; LYREO is ours where the text's form differs. */
export const learners: readonly MethodName[] = ['lyreo', 'ly-ppo', 'ppo'];

/** Every method, in the order in which figures and tables list them. */
export const methods: Readonly<Record<MethodName, Method>> = {
  lyreo: published(
    'LYREO',
    '#D55E00',
    'Virtual queues, PPO, and an LSTM that credits each request, beside its own latency, with its effect on others.',
    learns(request),
  ),
  'ly-ppo': published(
    'Ly-PPO',
    '#0072B2',
    'Virtual queues and PPO; latency counts when a request completes.',
    learns(delayed),
  ),
  ppo: published(
    'PPO',
    '#009E73',
    'PPO with a fixed penalty on the violated constraint.',
    learns(delayed, { reward: fixedPenalty }, { fixedPenalty: FIXED_PENALTY }),
  ),
  static: published('Static', '#E69F00', 'Batch-at-a-time decoding with a latency-greedy router.', {
    batching: 'static',
    scheduler: 'latency-greedy',
  }),
  ll: published('LL', '#CC79A7', 'Least loaded; the workload is read once at the slot’s start.', { scheduler: 'll' }),
  random: published('Random', '#7F7F7F', 'A server drawn uniformly.', { scheduler: 'random' }),
  'lyreo-count': published(
    'LYREO-Count',
    '#56B4E9',
    'LYREO with the number of active requests in place of KV memory-time.',
    learns(request, { balanceMeasure: 'count' }),
  ),
  'lyreo-nolb': published(
    'LYREO-NoLB',
    '#8C564B',
    'LYREO without load balancing.',
    learns(request, { reward: latencyOnly }),
  ),
  'lyreo-printed': ours(
    'LYREO (printed)',
    '#F0A070',
    'As near to the paper’s text as it can be read: whole reward, windows of 250 slots, r′ = g_t − g_{t−1}.',
    learns(printed, {}, printedOptimiser),
  ),
  'ly-ppo-printed': ours(
    'Ly-PPO (printed)',
    '#6BAED6',
    'Ly-PPO under the printed optimiser: one ratio per slot, ten epochs, one learning rate.',
    learns(delayed, {}, printedOptimiser),
  ),
  'ppo-printed': ours(
    'PPO (printed)',
    '#66C2A5',
    'PPO under the printed optimiser.',
    learns(delayed, { reward: fixedPenalty }, { ...printedOptimiser, fixedPenalty: FIXED_PENALTY }),
  ),
  'lyreo-slot': ours(
    'LYREO (slot)',
    '#B15928',
    'Latency by assignment slot, redistributed slot by slot.',
    learns(slot),
  ),
  'ly-ppo-booked': ours(
    'Ly-PPO (by assignment)',
    '#6BAED6',
    'Latency by assignment slot, no predictor: LYREO without the LSTM.',
    learns(assigned),
  ),
  'ly-ppo-own': ours(
    'Ly-PPO (own latency)',
    '#9ECAE1',
    'Each request credited with its own latency, no predictor: LYREO’s credit without the LSTM.',
    learns(own),
  ),
  'ly-ppo-little': ours(
    'Ly-PPO (Little)',
    '#2171B5',
    'Requests in the system in place of latencies: Little’s law, exact and without delay.',
    learns(littlesLaw),
  ),
  // Not black, which a dark page swallows.
  'drift-plus-penalty': ours(
    'Drift+penalty greedy',
    '#E7298A',
    'Minimises the forecast drift-plus-penalty request by request.',
    { scheduler: 'drift-plus-penalty' },
  ),
  'll-in-slot': ours('LL (in slot)', '#9467BD', 'Least loaded, updated with every request.', {
    scheduler: 'll-in-slot',
  }),
  'latency-greedy': ours('Latency greedy', '#BCBD22', 'Least forecast latency, request by request.', {
    scheduler: 'latency-greedy',
  }),
  jsq: ours('JSQ', '#17BECF', 'Join the shortest queue.', { scheduler: 'jsq' }),
  'power-of-two': ours('Power of two', '#AEC7E8', 'The shorter queue of two servers drawn.', {
    scheduler: 'power-of-two',
  }),
  wrr: ours('Weighted RR', '#98DF8A', 'Round robin in proportion to the servers’ speed.', { scheduler: 'wrr' }),
};
