import type { Draws } from './draws';

/** Hyperparameters of a training; Table I where it prints them. */
export interface TrainingConfig {
  /** γ. Default 0.98 (Table I). */
  readonly gamma: number;
  /** λ of the generalised advantage over delayed and immediate rewards. Default 0.95. */
  readonly gaeLambda: number;
  /** λ over the immediate terms where latency is redistributed or booked. Default 0.5. */
  readonly immediateLambda: number;
  /** ε of the clip. Default 0.2 (Table I). */
  readonly clipCoef: number;
  /** Of the actor. Default 3e-4 (Table I). */
  readonly learningRate: number;
  /** Updates after which the learning rates have halved; ∞ for constant ones. Default ∞. */
  readonly learningRateHalfLife: number;
  /** The critic's learning rate over the actor's: 1 as printed. Default 3. */
  readonly criticRate: number;
  /** Whether the critic's targets are normalised as their scale moves (Pop-Art). Default true. */
  readonly returnNorm: boolean;
  /** Default 10 (Table I). */
  readonly updateEpochs: number;
  /** Default 4. */
  readonly minibatches: number;
  /** Default 0.003. */
  readonly entCoef: number;
  /** Default 0.5. */
  readonly vfCoef: number;
  /** Default 0.5. */
  readonly maxGradNorm: number;
  /** Default 0.015; ∞ never ends an update early. */
  readonly targetKl: number;
  /**
   * Importance ratio of each request, or the product over its slot as printed, where an action is a slot's whole
   * assignment. Default 'per request'.
   */
  readonly ratio: 'per request' | 'per slot';
  /** How a slot's requests are drawn where the policy decides, see `stratifiedDraws`. Default 'stratified'. */
  readonly draws: Draws;
  /**
   * Share of a training episode's slots that are drawn independently, the rest as `draws` says. Less than 1 needs a ratio
   * per request: the product of marginals is not the density of stratified draws. Default 1; 0.3 of the rule `request`.
   */
  readonly independentShare: number;
  /**
   * Exploring starts: the largest Z_s at the start of a training episode, in units of `balanceUnit`. Each server's is drawn
   * uniformly from 0 to it, so that a policy that balances well still meets unequal queues and does not forget what to do
   * with them. Evaluations begin with Z = 0. Default 20; 0 where there are no virtual queues, and as printed.
   */
  readonly startQueue: number;
  /** Held-out episodes on which the policy is evaluated after every update; 0 for none. Default 2. */
  readonly heldOutEpisodes: number;
  /** Slots of a held-out episode. Default 100. */
  readonly heldOutSlots: number;
  /** Whether policy, critic and predictor see Z always, or where the reward has virtual queues. Default 'with virtual queue'. */
  readonly queueSeen: 'always' | 'with virtual queue';
  /** ϱ, weight of each request that waits for KV room. Default 1. */
  readonly memoryWeight: number;
  /** c, weight of the violated constraint in PPO's fixed penalty. Default 1. */
  readonly fixedPenalty: number;
  /** Unit of the violation in PPO's penalty: ε, or 1 as printed. Default 'printed'. */
  readonly penaltyUnit: 'tolerance' | 'printed';
  /** Widths of the hidden layers of actor and critic, 1 to 8 of them. Default 64, 64, 32. */
  readonly hidden: readonly number[];
  /** H, slots in a window of the return predictor. Default 12; 250 as printed. */
  readonly window: number;
  /** Slots from one window's start to the next in the printed form; 0 for H, windows that do not overlap. Default 0. */
  readonly windowStride: number;
  /** Whether GAE discounts r' of the printed form once more. Default true. */
  readonly discountRedistributed: boolean;
  /** Gradient steps of the predictor per update. Default 40. */
  readonly predictorSteps: number;
  /** Windows per step. Default 64. */
  readonly predictorBatch: number;
  /** Default 1e-3; 3e-3 of the rule `request`. */
  readonly predictorLearningRate: number;
  /** Rollouts that the predictor learns from. Default 4. */
  readonly predictorMemory: number;
  /** Discount of the predicted return to go. Default 0.9. */
  readonly returnToGoGamma: number;
  /** Quality (R²) from which on the redistribution is used in full. Default 0.2. */
  readonly fullQuality: number;
}

/** What a value may be, in words and as a test. */
type Check = readonly [string, (value: unknown) => boolean];

const numbers = (allowed: string, accepts: (x: number) => boolean): Check => [
  allowed,
  (value) => typeof value === 'number' && accepts(value),
];
const share = numbers('a number from 0 to 1', (x) => x >= 0 && x <= 1);
const discount = numbers('a number in [0, 1)', (x) => x >= 0 && x < 1);
const positive = numbers('a finite number > 0', (x) => x > 0 && x < Infinity);
const nonNegative = numbers('a finite number >= 0', (x) => x >= 0 && x < Infinity);
const limit = numbers('a number > 0, or Infinity', (x) => x > 0);
const integer = (least: number, most = 1_000_000): Check =>
  numbers(`an integer from ${least} to ${most}`, (x) => Number.isInteger(x) && x >= least && x <= most);
const oneOf = (...words: readonly unknown[]): Check => [
  words.map((word) => JSON.stringify(word)).join(' or '),
  (value) => words.includes(value),
];
const [, isWidth] = integer(1, 4096);
const widths: Check = [
  'one to eight integers from 1 to 4096, the layers’ widths',
  (value) => Array.isArray(value) && value.length >= 1 && value.length <= 8 && value.every(isWidth),
];

/** Every field's default, where a method has none of its own, and what it may be. */
export const trainingFields: {
  readonly [Field in keyof TrainingConfig]: readonly [TrainingConfig[Field], ...Check];
} = {
  gamma: [0.98, ...discount],
  gaeLambda: [0.95, ...share],
  immediateLambda: [0.5, ...share],
  clipCoef: [0.2, ...positive],
  learningRate: [3e-4, ...positive],
  learningRateHalfLife: [Infinity, ...limit],
  criticRate: [3, ...positive],
  returnNorm: [true, ...oneOf(true, false)],
  updateEpochs: [10, ...integer(1)],
  minibatches: [4, ...integer(1)],
  entCoef: [0.003, ...nonNegative],
  vfCoef: [0.5, ...nonNegative],
  maxGradNorm: [0.5, ...limit],
  targetKl: [0.015, ...limit],
  ratio: ['per request', ...oneOf('per request', 'per slot')],
  draws: ['stratified', ...oneOf('independent', 'stratified')],
  independentShare: [1, ...share],
  startQueue: [20, ...nonNegative],
  heldOutEpisodes: [2, ...integer(0)],
  heldOutSlots: [100, ...integer(1)],
  queueSeen: ['with virtual queue', ...oneOf('always', 'with virtual queue')],
  memoryWeight: [1, ...nonNegative],
  fixedPenalty: [1, ...nonNegative],
  penaltyUnit: ['printed', ...oneOf('tolerance', 'printed')],
  hidden: [[64, 64, 32], ...widths],
  window: [12, ...integer(1)],
  windowStride: [0, ...integer(0)],
  discountRedistributed: [true, ...oneOf(true, false)],
  predictorSteps: [40, ...integer(1)],
  predictorBatch: [64, ...integer(1)],
  predictorLearningRate: [1e-3, ...positive],
  predictorMemory: [4, ...integer(1)],
  returnToGoGamma: [0.9, ...numbers('a number in (0, 1)', (x) => x > 0 && x < 1)],
  fullQuality: [0.2, ...positive],
};

/** The defaults where a method has none of its own. */
export const trainingStandards: TrainingConfig = Object.fromEntries(
  Object.entries(trainingFields).map(([name, [standard]]) => [name, standard]),
) as unknown as TrainingConfig;
