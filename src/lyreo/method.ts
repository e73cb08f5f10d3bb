import { invalid } from '../core/errors';
import type { BalanceMeasure } from '../env/count-balance';
import type { Reward } from '../env/reward';
import type { CreditFactory } from './credit/credit';
import type { Draws } from './draws';
import { type TrainingConfig, trainingFields, trainingStandards } from './training-config';

/** A learning method: what rewards it, and how the reward is credited to decisions. */
export interface LearningMethod {
  readonly credit: CreditFactory;
  readonly reward: Reward;
  /** The quantity that is balanced where it is learned. */
  readonly balanceMeasure: BalanceMeasure;
}

/** A method by the ids of its functions: what run keys and files say of it. */
export interface MethodIds {
  readonly credit: string;
  readonly reward: string;
  readonly balanceMeasure: BalanceMeasure;
}

/** The ids of a method. */
export function methodIds({ credit, reward, balanceMeasure }: LearningMethod): MethodIds {
  return { credit: credit.id, reward: reward.id, balanceMeasure };
}

/** What of a method and its training an environment and a scheduler depend on. */
export interface DecisionOptions {
  readonly balanceMeasure: BalanceMeasure;
  readonly showsQueue: boolean;
  readonly draws: Draws;
}

/**
 * How a policy that was trained so sees the system and decides in it.
 *
 * @param method by its ids: whether its reward has virtual queues stands in `usesQueue`.
 */
export function decisionOptions(
  { balanceMeasure, reward }: LearningMethod,
  { queueSeen, draws }: Pick<TrainingConfig, 'queueSeen' | 'draws'>,
): DecisionOptions {
  return { balanceMeasure, showsQueue: queueSeen === 'always' || reward.usesQueue, draws };
}

/** The hyperparameters of a method where nothing else is said; without virtual queues there are none to begin with. */
export function trainingDefaults({ credit, reward }: LearningMethod): TrainingConfig {
  const starts = reward.usesQueue ? {} : { startQueue: 0 };
  return { ...trainingStandards, ...credit.defaults, ...starts };
}

/**
 * The hyperparameters of a training: the method's defaults, with some fields replaced.
 *
 * @throws UserError naming the field, its value and what is allowed.
 */
export function trainingConfig(method: LearningMethod, overrides: Partial<TrainingConfig>): TrainingConfig {
  const training = { ...trainingDefaults(method), ...overrides };
  for (const [name, value] of Object.entries(training)) {
    if (!Object.hasOwn(trainingFields, name))
      throw invalid(`training: ${name}`, value, `one of ${Object.keys(trainingFields).join(', ')}`);
    const [, allowed, accepts] = trainingFields[name as keyof TrainingConfig];
    if (!accepts(value)) throw invalid(`training: ${name}`, value, allowed);
  }
  if (training.ratio === 'per slot' && training.draws === 'stratified' && training.independentShare < 1)
    throw invalid(
      'training: ratio',
      training.ratio,
      '"per request" where independentShare is below 1: the product of a slot\'s probabilities is not the density of stratified draws',
    );
  return training;
}
