import { z } from 'zod';
import { invalid } from '../core/errors';
import { belowOne, between, integer, nonNegative, oneOf, positive } from '../core/schema';
import type { Draws } from './draws';

/** Hyperparameters of a training, Table I where it prints them, with their defaults where a method has none of its own. */
export const trainingStandards = {
  /** γ (Table I). */
  gamma: 0.98,
  /** λ of the generalised advantage over delayed and immediate rewards. */
  gaeLambda: 0.95,
  /** λ over the immediate terms where latency is redistributed or counted by assignment slot. */
  immediateLambda: 0.5,
  /** ε of the clip (Table I). */
  clipCoef: 0.2,
  /** Of the actor (Table I). */
  learningRate: 3e-4,
  /** Updates after which the learning rates have halved. */
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-assertion -- The declaration needs it.
  learningRateHalfLife: Infinity as number,
  /** The critic's learning rate over the actor's: 1 as printed. */
  criticRate: 3,
  /** Whether the critic's targets are normalised as their scale moves (Pop-Art). */
  returnNorm: true,
  /** Table I. */
  updateEpochs: 10,
  /** Of an epoch, whole slots each. */
  minibatches: 4,
  /** Weight of the entropy bonus. */
  entCoef: 0.003,
  /** Weight of the critic's loss. */
  vfCoef: 0.5,
  /** Gradients with a larger Euclidean norm are scaled down to it. */
  maxGradNorm: 0.5,
  /** ∞ never ends an update early. */
  targetKl: 0.015,
  /** Importance ratio of each request, or the product over its slot as printed, where an action is a whole assignment. */
  ratio: 'per request' as 'per request' | 'per slot',
  /** How a slot's requests are drawn where the policy decides, see `stratifiedDraws`. */
  draws: 'stratified' as Draws,
  /**
   * Share of a training episode's slots that are drawn independently, the rest as `draws` says. Less than 1 needs a ratio
   * per request: the product of marginals is not the density of stratified draws.
   */
  independentShare: 1,
  /**
   * Exploring starts: the largest Z_s at the start of a training episode, in units of `balanceUnit`. Each server's is drawn
   * uniformly from 0 to it, so that a policy that balances well still meets unequal queues and does not forget how to
   * answer them. Evaluations begin with Z = 0. 0 where there are no virtual queues, and as printed.
   */
  startQueue: 20,
  /** Held-out episodes on which the policy is evaluated after every update. */
  heldOutEpisodes: 2,
  /** Slots of a held-out episode. */
  heldOutSlots: 100,
  /** Whether policy, critic and predictor see Z always, or where the reward has virtual queues. */
  queueSeen: 'with virtual queue' as 'always' | 'with virtual queue',
  /** ϱ, weight of each request that waits for KV room. */
  memoryWeight: 1,
  /** c, weight of the violated constraint in PPO's fixed penalty. */
  fixedPenalty: 1,
  /** Unit of the violation in PPO's penalty: ε, or 1 as printed. */
  penaltyUnit: 'printed' as 'tolerance' | 'printed',
  /** Widths of the hidden layers of actor and critic. */
  hidden: [64, 64, 32] as readonly number[],
  /** H, slots in a window of the return predictor. */
  window: 12,
  /** Slots from one window's start to the next in the printed form; 0 for H, windows that do not overlap. */
  windowStride: 0,
  /** Whether GAE discounts r' of the printed form once more. */
  discountRedistributed: true,
  /** Gradient steps of the predictor per update. */
  predictorSteps: 40,
  /** Windows per step. */
  predictorBatch: 64,
  /** 3e-3 of the rule `request`. */
  predictorLearningRate: 1e-3,
  /** Rollouts that the predictor learns from. */
  predictorMemory: 4,
  /** Discount of the predicted return to go. */
  returnToGoGamma: 0.9,
  /** Quality (R²) from which on the redistribution is used in full. */
  fullQuality: 0.2,
};

/** Hyperparameters of a training: the fields of `trainingStandards`. */
export type TrainingConfig = Readonly<typeof trainingStandards>;

const [count, countOrNone] = [1, 0].map((least) => integer(least, 1_000_000));
const betweenBoth = 'a number in (0, 1)';
const isLimit = (value: unknown): boolean => typeof value === 'number' && value > 0;
const width = integer(1, 4096);
const isWidths = (value: unknown): boolean => z.array(width).min(1).max(8).safeParse(value).success;

/** The allowed values of the fields. */
const checks: readonly (readonly [z.ZodType, ...(keyof TrainingConfig)[]])[] = [
  [belowOne, 'gamma'],
  [between(0, 1), 'gaeLambda', 'immediateLambda', 'independentShare'],
  [positive, 'clipCoef', 'learningRate', 'criticRate', 'predictorLearningRate', 'fullQuality'],
  [nonNegative, 'entCoef', 'vfCoef', 'startQueue', 'memoryWeight', 'fixedPenalty'],
  [z.custom(isLimit, 'a number > 0, or Infinity'), 'learningRateHalfLife', 'maxGradNorm', 'targetKl'],
  [z.number(betweenBoth).gt(0, betweenBoth).lt(1, betweenBoth), 'returnToGoGamma'],
  [count, 'updateEpochs', 'minibatches', 'heldOutSlots', 'window'],
  [count, 'predictorSteps', 'predictorBatch', 'predictorMemory'],
  [countOrNone, 'heldOutEpisodes', 'windowStride'],
  [z.boolean('true or false'), 'returnNorm', 'discountRedistributed'],
  [oneOf('per request', 'per slot'), 'ratio'],
  [oneOf('independent', 'stratified'), 'draws'],
  [oneOf('always', 'with virtual queue'), 'queueSeen'],
  [oneOf('tolerance', 'printed'), 'penaltyUnit'],
  [z.custom(isWidths, 'one to eight integers from 1 to 4096, the layers’ widths'), 'hidden'],
];

/** @throws UserError naming the field, its value and the allowed values. */
export function checkTraining(training: TrainingConfig): void {
  for (const [name, value] of Object.entries(training)) {
    const check = checks.find(([, ...fields]) => (fields as string[]).includes(name))?.[0];
    if (check === undefined)
      throw invalid(`training: ${name}`, value, `one of ${Object.keys(trainingStandards).join(', ')}`);
    const { error } = check.safeParse(value);
    if (error !== undefined) throw invalid(`training: ${name}`, value, error.issues[0].message);
  }
  const { ratio, draws, independentShare } = training;
  if (ratio === 'per slot' && draws === 'stratified' && independentShare < 1)
    throw invalid(
      'training: ratio',
      ratio,
      '"per request" where independentShare is below 1: the product of a slot\'s probabilities is not the density of stratified draws',
    );
}
