import { expect, test } from 'vitest';
import { createRng } from '../core/rng';
import { LstmPredictor } from './lstm';
test('stepGradients are the change of the same step’s output, by finite differences', () => {
  // So many rows are cut into pieces of two steps, two steps and one.
  const T = 5,
    B = 1001,
    I = 4;
  const lstm = new LstmPredictor({ inputs: I, hidden: 6, layers: 2, outputs: 2 }, createRng(3));
  const rng = createRng(4);
  const inputs = Float32Array.from({ length: T * B * I }, () => rng.normal());
  const tape = lstm.forward({ steps: T, batch: B, inputs });
  const gradient = lstm.stepGradients(tape)[1];
  tape.dispose();
  for (const [t, b, i] of [
    [0, 0, 0],
    [2, 1, 3],
    [4, 2, 1],
    [3, 1000, 2],
  ] as const) {
    const at = (t * B + b) * I + i;
    const y = (by: number): number => {
      const x = inputs.slice();
      x[at] = x[at] + by;
      return lstm.predict({ steps: T, batch: B, inputs: x })[(t * B + b) * 2 + 1];
    };
    expect(gradient[at]).toBeCloseTo((y(1e-2) - y(-1e-2)) / 2e-2, 3);
  }
  lstm.dispose();
});
