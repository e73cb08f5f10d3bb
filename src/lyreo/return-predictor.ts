import type { Rng } from '../core/rng';
import { Adam } from '../nn/adam';
import { LstmPredictor } from '../nn/lstm';
import { type State, arrayOf, networkState, restoreNetwork } from './state';
import { TargetNorm } from './target-norm';

/** Settings of the return predictor g_ψ (IV-B2). */
export interface PredictorConfig {
  /** H, slots in a window. */
  readonly window: number;
  /** Gradient steps per update. */
  readonly steps: number;
  /** Windows per step. */
  readonly batch: number;
  readonly learningRate: number;
  readonly hidden: number;
  readonly layers: number;
  readonly maxGradNorm: number;
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

/** Sequences with what the predictor is to say at every step, [N, T, O]. */
export interface PredictorBatch {
  readonly sequences: Sequences;
  readonly targets: Float64Array;
}

/**
 * g_ψ: an LSTM of two layers that predicts a return from χ_0..χ_t, at every t. It is trained on windows of H slots from
 * anywhere in the recorded sequences; each window starts from a zero state, so the first steps of a window are
 * predictions from little.
 */
export class ReturnPredictor {
  readonly lstm: LstmPredictor;
  readonly optimiser: Adam;
  readonly norm: TargetNorm;

  constructor(
    readonly inputs: number,
    readonly outputs: number,
    readonly config: PredictorConfig,
    rng: Rng,
  ) {
    this.lstm = new LstmPredictor({ inputs, hidden: config.hidden, layers: config.layers, outputs }, rng);
    this.optimiser = new Adam(this.lstm.parameters, {
      learningRate: config.learningRate,
      maxGradNorm: config.maxGradNorm,
    });
    this.norm = new TargetNorm(outputs, config.knee);
  }

  /**
   * Predictions for every step of every sequence, [N, T, O]. Windows overlap by a third, and a step has at least
   * H/3 steps of its window behind it, except at a sequence's start.
   */
  predict(sequences: Sequences): Float64Array {
    const windows = this.layOut(sequences);
    const outputs = this.lstm.predict({ steps: windows.steps, batch: windows.count, inputs: windows.inputs });
    return this.norm.restored(this.collect(sequences, windows, outputs, this.outputs));
  }

  /**
   * Predictions, and what a small change of χ_t changes in the prediction made at t, output by output.
   *
   * @returns predictions [N, T, O], and one gradient [N, T, I] per output.
   */
  sensitivity(sequences: Sequences): { predictions: Float64Array; gradients: Float32Array[] } {
    const windows = this.layOut(sequences);
    const tape = this.lstm.forward({ steps: windows.steps, batch: windows.count, inputs: windows.inputs });
    const predictions = this.norm.restored(this.collect(sequences, windows, tape.outputs, this.outputs));
    const gradients = this.lstm.stepGradients(tape).map((raw, o) => {
      const gradient = this.collect(sequences, windows, raw, this.inputs);
      for (let row = 0; row < gradient.length / this.inputs; row++) {
        const slope = this.norm.slope(o, predictions[row * this.outputs + o]);
        for (let k = row * this.inputs; k < (row + 1) * this.inputs; k++) gradient[k] *= slope;
      }
      return gradient;
    });
    tape.dispose();
    return { predictions, gradients };
  }

  /**
   * Gradient steps on random windows of the batches, squared error at every step (RUDDER's continuous prediction).
   *
   * @returns the mean squared error, normalised.
   */
  train(batches: readonly PredictorBatch[], rng: Rng): number {
    const { steps, batch } = this.config;
    const { inputs: I, outputs: O } = this;
    const first = batches[0];
    const H = Math.min(this.config.window, first.sequences.steps);
    const p = this.lstm.parameters;
    this.norm.follow(
      batches.map((batch) => batch.targets),
      p.view('head weights'),
      p.view('head bias'),
    );
    p.changed();
    const targets = batches.map((batch) => this.norm.normalised(batch.targets));
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
          for (let o = 0; o < O; o++) y[(h * batch + b) * O + o] = targets[which][(at + h) * O + o];
        }
      }
      const tape = this.lstm.forward({ steps: H, batch, inputs: x });
      const gradient = new Float32Array(y.length);
      let sum = 0;
      for (let k = 0; k < y.length; k++) {
        const error = tape.outputs[k] - y[k];
        sum += error * error;
        gradient[k] = (2 * error) / y.length;
      }
      loss += sum / y.length;
      this.lstm.backward(tape, gradient);
      this.optimiser.step();
    }
    return loss / steps;
  }

  save(): State {
    return { ...networkState(this.lstm.parameters, this.optimiser), norm: Float64Array.from(this.norm.save()) };
  }

  restore(state: State): void {
    restoreNetwork(state, this.lstm.parameters, this.optimiser);
    this.norm.restore([...arrayOf(state, 'norm')]);
  }

  /** Cuts sequences into overlapping windows, time first. */
  private layOut(sequences: Sequences): Windows {
    const { count: N, steps: T, inputs } = sequences;
    const I = this.inputs;
    const H = Math.min(this.config.window, T);
    const stride = Math.max(1, H - Math.floor(H / 3));
    const perSequence = Math.ceil((T - H) / stride) + 1;
    const count = N * perSequence;
    const startOf = (window: number): number => Math.min((window % perSequence) * stride, T - H);
    const x = new Float32Array(H * count * I);
    const parts: WindowPart[] = [];
    for (let window = 0; window < count; window++) {
      const sequence = Math.floor(window / perSequence);
      const start = startOf(window);
      for (let h = 0; h < H; h++) {
        const at = (sequence * T + start + h) * I;
        x.set(inputs.subarray(at, at + I), (h * count + window) * I);
      }
      const isFirst = window % perSequence === 0;
      parts.push({ window, sequence, from: isFirst ? 0 : startOf(window - 1) + H, to: start + H });
    }
    return { steps: H, count, inputs: x, parts, startOf };
  }

  /** Takes each step from the window that is responsible for it: [H, windows, width] to [N, T, width]. */
  private collect(sequences: Sequences, windows: Windows, values: Float32Array, width: number): Float32Array {
    const out = new Float32Array(sequences.count * sequences.steps * width);
    for (const { window, sequence, from, to } of windows.parts) {
      const start = windows.startOf(window);
      for (let t = from; t < to; t++) {
        const at = ((t - start) * windows.count + window) * width;
        out.set(values.subarray(at, at + width), (sequence * sequences.steps + t) * width);
      }
    }
    return out;
  }
}

/** The steps from..to−1 of a sequence are read from this window. */
interface WindowPart {
  readonly window: number;
  readonly sequence: number;
  readonly from: number;
  readonly to: number;
}

interface Windows {
  readonly steps: number;
  readonly count: number;
  readonly inputs: Float32Array;
  readonly parts: readonly WindowPart[];
  startOf(window: number): number;
}
