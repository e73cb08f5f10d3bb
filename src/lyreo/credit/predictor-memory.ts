import type { Rng } from '../../core/rng';
import { type PredictorBatch, ReturnPredictor } from '../return-predictor';
import { type State, arrayOf, floatsOf, named, partOf } from '../state';
import type { TrainingConfig } from '../training-config';

/** A return predictor with the last rollouts' sequences, from which it learns. */
export class PredictorMemory {
  readonly predictor: ReturnPredictor;
  /** Newest last. */
  batches: PredictorBatch[] = [];

  /**
   * @param inputs width of χ.
   * @param outputs heads.
   * @param knee rewards smaller than this, in seconds per user, are predicted linearly, larger ones by their logarithm;
   *   ∞ for all linearly.
   */
  constructor(
    inputs: number,
    outputs: number,
    knee: number,
    private readonly training: TrainingConfig,
    rng: Rng,
  ) {
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
    this.predictor = new ReturnPredictor(inputs, outputs, settings, rng);
  }

  /**
   * Adds a rollout to the memory and takes the predictor's gradient steps.
   *
   * @returns the mean squared error, normalised.
   */
  learn(batch: PredictorBatch, rng: Rng): number {
    this.batches.push(batch);
    if (this.batches.length > this.training.predictorMemory) this.batches.shift();
    return this.predictor.train(this.batches, rng);
  }

  save(): State {
    const kept = this.batches.map(({ sequences, targets }, k) =>
      named(`rollout ${k}`, {
        sizes: Float64Array.of(sequences.count, sequences.steps),
        inputs: sequences.inputs,
        targets,
      }),
    );
    return Object.assign(
      { rollouts: Float64Array.of(this.batches.length) },
      named('predictor', this.predictor.save()),
      ...kept,
    ) as State;
  }

  restore(state: State): void {
    this.predictor.restore(partOf(state, 'predictor'));
    const [rollouts] = arrayOf(state, 'rollouts');
    this.batches = Array.from({ length: rollouts }, (_, k) => {
      const kept = partOf(state, `rollout ${k}`);
      const [count, steps] = arrayOf(kept, 'sizes');
      return {
        sequences: { count, steps, inputs: floatsOf(kept, 'inputs') },
        targets: Float64Array.from(arrayOf(kept, 'targets')),
      };
    });
  }

  dispose(): void {
    this.predictor.lstm.dispose();
  }
}

/** A rule around a predictor: its memory is what the rule saves, restores and disposes of. */
export function remembering(
  memory: PredictorMemory,
): Pick<PredictorMemory, 'predictor' | 'save' | 'restore' | 'dispose'> {
  return {
    predictor: memory.predictor,
    save: () => memory.save(),
    restore: (state) => {
      memory.restore(state);
    },
    dispose: () => {
      memory.dispose();
    },
  };
}
