import type { Rng } from '../core/rng';
import { Adam, type AdamState } from '../nn/adam';
import { gather } from '../nn/gather';
import { type LstmBatch, LstmPredictor } from '../nn/lstm';
import { squaredError } from '../nn/network';
import { type NormState, TargetNorm } from './target-norm';

/** Settings of the return predictor g_ψ (IV-B2). */
export interface PredictorConfig {
  /** H, slots in a window. */
  readonly window: number;
  /** Gradient steps per update, and windows per step. */
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  readonly hidden: number;
  readonly layers: number;
  /** Where the compression of the targets sets in, see `TargetNorm`; ∞ for none. */
  readonly knee: number;
}

/** N sequences of T steps, sequence by sequence. */
export interface Sequences {
  readonly count: number;
  readonly steps: number;
  /** χ, [N, T, I]. */
  readonly inputs: Float32Array;
}

/** Sequences with the predictor's targets at every step, [N, T, O]. */
export interface PredictorBatch {
  readonly sequences: Sequences;
  readonly targets: Float64Array;
}

export interface PredictorState {
  readonly network: AdamState;
  readonly norm: NormState;
}

/**
 * g_ψ: an LSTM that predicts a return from χ_0..χ_t, at every t. It is trained on windows of H slots from anywhere in the
 * recorded sequences; each window starts from a zero state, so the first steps of a window are predictions from little.
 */
export class ReturnPredictor {
  readonly lstm: LstmPredictor;
  readonly norm: TargetNorm;
  private readonly optimiser: Adam;

  constructor(
    readonly inputs: number,
    readonly outputs: number,
    readonly config: PredictorConfig,
    rng: Rng,
  ) {
    const { hidden, layers, learningRate, knee } = config;
    this.lstm = new LstmPredictor({ inputs, hidden, layers, outputs }, rng);
    const { parameters } = this.lstm;
    this.optimiser = new Adam(parameters, learningRate, 1);
    this.norm = new TargetNorm(parameters.view('head weights'), parameters.view('head bias'), knee);
  }

  /**
   * Predictions for every step of every sequence, [N, T, O]. Windows overlap by a third, and a step has at least
   * H/3 steps of its window behind it, except at a sequence's start.
   */
  predict(sequences: Sequences): Float64Array {
    const { windows, rows } = this.layOut(sequences);
    return this.norm.restored(gather(this.lstm.predict(windows), rows, this.outputs));
  }

  /**
   * Predictions [N, T, O], and one gradient [N, T, count] per output: the effect of a small change of χ_t on the
   * prediction made at t.
   *
   * @param from the first of the `count` neighbouring inputs that change.
   */
  sensitivity(
    sequences: Sequences,
    from: number,
    count: number,
  ): { predictions: Float64Array; gradients: Float32Array[] } {
    const { outputs: O, norm } = this;
    const { windows, rows } = this.layOut(sequences);
    const { outputs, gradients } = this.lstm.stepGradients(windows, from, count);
    const predictions = norm.restored(gather(outputs, rows, O));
    const restored = gradients.map((gradient, o) =>
      gather(gradient, rows, count).map((x, k) => x * norm.slope(o, predictions[Math.floor(k / count) * O + o])),
    );
    return { predictions, gradients: restored };
  }

  /**
   * Gradient steps on random windows of the batches, squared error at every step (RUDDER's continuous prediction).
   *
   * @returns the mean squared error, normalised.
   */
  train(batches: readonly PredictorBatch[], rng: Rng): number {
    const { steps, batch } = this.config;
    const { inputs: I, outputs: O } = this;
    const H = Math.min(this.config.window, batches[0].sequences.steps);
    this.norm.follow(Float64Array.from(batches.flatMap(({ targets }) => [...targets])));
    const normalised = batches.map(({ targets }) => this.norm.normalised(targets));
    const x = new Float32Array(H * batch * I);
    const y = new Float32Array(H * batch * O);
    let loss = 0;
    for (let step = 0; step < steps; step++) {
      for (let b = 0; b < batch; b++) {
        const which = rng.int(batches.length);
        const { sequences } = batches[which];
        const at = rng.int(sequences.count) * sequences.steps + rng.int(sequences.steps - H + 1);
        for (let h = 0; h < H; h++) {
          x.set(sequences.inputs.subarray((at + h) * I, (at + h + 1) * I), (h * batch + b) * I);
          y.set(normalised[which].subarray((at + h) * O, (at + h + 1) * O), (h * batch + b) * O);
        }
      }
      this.lstm.learn({ steps: H, batch, inputs: x }, (outputs, out) => {
        loss += squaredError(outputs, y, 1, y.length, out) / y.length;
      });
      this.optimiser.step();
    }
    return loss / steps;
  }

  save(): PredictorState {
    return { network: this.optimiser.save(), norm: this.norm.state };
  }

  restore({ network, norm }: PredictorState): void {
    this.optimiser.restore(network);
    this.norm.state = norm;
  }

  /** Overlapping windows of the sequences, and where each step is read, as h·windows + window, [N·T]. */
  private layOut({ count: N, steps: T, inputs }: Sequences): { windows: LstmBatch; rows: Int32Array } {
    const H = Math.min(this.config.window, T);
    const stride = Math.max(1, H - Math.floor(H / 3));
    const perSequence = Math.ceil((T - H) / stride) + 1;
    const count = N * perSequence;
    const steps = new Int32Array(H * count);
    const rows = new Int32Array(N * T);
    // From the last window to the first: the first that has a step is responsible for it.
    for (let window = count - 1; window >= 0; window--) {
      const start = Math.floor(window / perSequence) * T + Math.min((window % perSequence) * stride, T - H);
      for (let h = 0; h < H; h++) {
        const row = h * count + window;
        steps[row] = start + h;
        rows[start + h] = row;
      }
    }
    return { windows: { steps: H, batch: count, inputs: gather(inputs, steps, this.inputs) }, rows };
  }
}
