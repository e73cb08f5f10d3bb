import { expect, test } from 'vitest';
import { createRng } from '../core/rng';
import { LstmPredictor } from './lstm';
test.each([1, 2, 3])(
  'with %d layers, stepGradients are the change of the same step’s output, by finite differences',
  (layers) => {
    const T = 5,
      B = 6,
      I = 4;
    const lstm = new LstmPredictor({ inputs: I, hidden: 6, layers, outputs: 2 }, createRng(3));
    const rng = createRng(4);
    const inputs = Float32Array.from({ length: T * B * I }, () => rng.normal());
    const tape = lstm.forward({ steps: T, batch: B, inputs });
    const steps = [
      [0, 0],
      [2, 1],
      [4, 2],
      [3, 5],
    ] as const;
    const rows = Int32Array.from(steps, ([t, b]) => t * B + b);
    const [from, count] = [1, 2];
    const gradients = lstm.stepGradients(tape, rows, from, count);
    tape.dispose();
    rows.forEach((row, r) => {
      for (let i = 0; i < count; i++) {
        const at = row * I + from + i;
        const y = (by: number): Float32Array => {
          const x = inputs.slice();
          x[at] = x[at] + by;
          return lstm.predict({ steps: T, batch: B, inputs: x }).slice(row * 2, row * 2 + 2);
        };
        const [up, down] = [y(1e-2), y(-1e-2)];
        gradients.forEach((gradient, head) => {
          expect(gradient[r * count + i]).toBeCloseTo((up[head] - down[head]) / 2e-2, 3);
        });
      }
    });
    lstm.dispose();
  },
);
