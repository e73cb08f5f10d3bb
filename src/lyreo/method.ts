import type { BalanceMeasure } from '../env/count-balance';
import type { Reward } from '../env/reward';
import type { CreditFactory } from './credit/credit';
import type { Draws } from './draws';
import { type TrainingConfig, checkTraining, trainingStandards } from './training-config';

/** A learning method: its reward, and how the reward is credited to decisions. */
export interface LearningMethod {
  readonly credit: CreditFactory;
  readonly reward: Reward;
  /** The quantity that is balanced where it is learned. */
  readonly balanceMeasure: BalanceMeasure;
}

/** A method by the ids of its functions, as in run keys and files. */
export type MethodIds = Readonly<Record<'credit' | 'reward', string>> & Pick<LearningMethod, 'balanceMeasure'>;

export function methodIds({ credit, reward, balanceMeasure }: LearningMethod): MethodIds {
  return { credit: credit.id, reward: reward.id, balanceMeasure };
}

/** How a trained policy sees the system and decides in it. */
export interface DecisionOptions {
  readonly balanceMeasure: BalanceMeasure;
  readonly showsQueue: boolean;
  readonly draws: Draws;
}

export function decisionOptions(
  { balanceMeasure, reward }: LearningMethod,
  { queueSeen, draws }: TrainingConfig,
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
 * @throws UserError naming the field, its value and the allowed values.
 */
export function trainingConfig(method: LearningMethod, overrides: Partial<TrainingConfig>): TrainingConfig {
  const training = { ...trainingDefaults(method), ...overrides };
  checkTraining(training);
  return training;
}
