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
  /** Of the actor; the critic learns at three times it. Default 3e-4 (Table I). */
  readonly learningRate: number;
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
  /** Default 'request'. */
  readonly ratio: 'request' | 'joint';
  /** ϱ, weight of each request that waits for KV room. Default 1. */
  readonly memoryWeight: number;
  /** c, weight of the violated constraint in PPO's fixed penalty. Default 1. */
  readonly fixedPenalty: number;
  /** Widths of the hidden layers of actor and critic, 1 to 8 of them. Default 64, 64, 32; 32, 32, 16 for the pair scorer, which has S times the rows. */
  readonly hidden: readonly number[];
  /** H, slots in a window of the return predictor. Default 12; 250 as printed. */
  readonly window: number;
  /** Gradient steps of the predictor per update. Default 40. */
  readonly predictorSteps: number;
  /** Windows per step. Default 64. */
  readonly predictorBatch: number;
  /** Default 1e-3. */
  readonly predictorLearningRate: number;
  /** Rollouts that the predictor learns from. Default 4. */
  readonly predictorMemory: number;
  /** Discount of the redistributed prospect. Default 0.9. */
  readonly prospectGamma: number;
  /** Quality (R²) from which on the redistribution is used in full. Default 0.2. */
  readonly fullQuality: number;
}

/** The defaults where a method has none of its own. */
export const trainingStandards: TrainingConfig = {
  gamma: 0.98,
  gaeLambda: 0.95,
  immediateLambda: 0.5,
  clipCoef: 0.2,
  learningRate: 3e-4,
  updateEpochs: 10,
  minibatches: 4,
  entCoef: 0.003,
  vfCoef: 0.5,
  maxGradNorm: 0.5,
  targetKl: 0.015,
  ratio: 'request',
  memoryWeight: 1,
  fixedPenalty: 1,
  hidden: [64, 64, 32],
  window: 12,
  predictorSteps: 40,
  predictorBatch: 64,
  predictorLearningRate: 1e-3,
  predictorMemory: 4,
  prospectGamma: 0.9,
  fullQuality: 0.2,
};
