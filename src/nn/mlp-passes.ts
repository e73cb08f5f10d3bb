import type { MlpBatch } from './mlp-shape';

/** A forward pass that was made. */
export interface MlpPass {
  /** [G·U, O]. */
  readonly outputs: Float32Array;
  /** Adds the gradient of the parameters, given ∂loss/∂outputs [G·U, O], to theirs; then frees what was kept. */
  backward(dOutputs: Float32Array): void;
  dispose(): void;
}

/** How a network's passes are computed. */
export interface MlpPasses {
  /** @param keep whether `backward` will be called; else nothing is kept. */
  forward(batch: MlpBatch, keep: boolean): MlpPass;
  /** Frees the copies of the parameters. */
  dispose(): void;
}
