import type { Rng } from '../../core/rng';
import { type PredictorBatch, type PredictorState, ReturnPredictor } from '../return-predictor';
import type { TrainingConfig } from '../training-config';
import type { CreditRule } from './credit';

/** A return predictor with the last rollouts' sequences, from which it learns: the memory of a credit rule. */
export interface PredictorMemory extends Required<Pick<CreditRule, 'predictor' | 'save' | 'restore'>> {
  /**
   * Adds a rollout to the memory and takes the predictor's gradient steps.
   *
   * @returns the mean squared error, normalised.
   */
  learn(batch: PredictorBatch, rng: Rng): number;
}

/** The rollouts are shared with the memory, which never writes into them. */
interface MemoryState {
  readonly predictor: PredictorState;
  /** Newest last. */
  readonly batches: readonly PredictorBatch[];
}

/**
 * @param inputs width of χ.
 * @param outputs heads.
 * @param knee rewards smaller than this, in seconds per user, are predicted linearly, larger ones by their logarithm;
 *   ∞ for all linearly.
 */
export function predictorMemory(
  inputs: number,
  outputs: number,
  knee: number,
  training: TrainingConfig,
  rng: Rng,
): PredictorMemory {
  const settings = {
    window: training.window,
    steps: training.predictorSteps,
    batch: training.predictorBatch,
    learningRate: training.predictorLearningRate,
    hidden: 64,
    layers: 2,
    maxGradNorm: 1,
    knee,
  };
  const predictor = new ReturnPredictor(inputs, outputs, settings, rng);
  let batches: readonly PredictorBatch[] = [];
  return {
    predictor,
    learn(batch, draws) {
      batches = [...batches, batch].slice(-training.predictorMemory);
      return predictor.train(batches, draws);
    },
    save: (): MemoryState => ({ predictor: predictor.save(), batches }),
    restore(state) {
      const saved = state as MemoryState;
      predictor.restore(saved.predictor);
      batches = saved.batches;
    },
  };
}
