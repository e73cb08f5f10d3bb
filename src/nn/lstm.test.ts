import { describe, expect, it } from 'vitest';
import { createRng, type Rng } from '../core/rng';
import { LstmPredictor, type LstmBatch, type LstmShape } from './lstm';

const normals = (n: number, rng: Rng): Float32Array => Float32Array.from({ length: n }, () => rng.normal());

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** One sequence, step by step, in double precision: outputs [T, O]. */
function plainLstm(net: LstmPredictor, inputs: readonly (readonly number[])[]): number[][] {
  const h = net.shape.hidden;
  let sequence = inputs.map((x) => [...x]);
  for (let layer = 0; layer < net.shape.layers; layer++) {
    const w = net.parameters.view(`lstm ${layer} weights`);
    const b = net.parameters.view(`lstm ${layer} bias`);
    let hidden = new Array<number>(h).fill(0);
    let cell = new Array<number>(h).fill(0);
    sequence = sequence.map((x) => {
      const z = Array.from(b, (bias, k) => [...x, ...hidden].reduce((sum, v, r) => sum + v * w[r * 4 * h + k], bias));
      cell = cell.map((c, k) => sigmoid(z[h + k]) * c + sigmoid(z[k]) * Math.tanh(z[2 * h + k]));
      hidden = cell.map((c, k) => sigmoid(z[3 * h + k]) * Math.tanh(c));
      return hidden;
    });
  }
  const w = net.parameters.view('head weights');
  return sequence.map((x) =>
    Array.from(net.parameters.view('head bias'), (bias, k) =>
      x.reduce((sum, v, r) => sum + v * w[r * net.shape.outputs + k], bias),
    ),
  );
}

function batchFor(shape: LstmShape, steps: number, batch: number, rng: Rng): LstmBatch {
  return { steps, batch, inputs: normals(steps * batch * shape.inputs, rng) };
}

/** The inputs of sequence b as [T][I]. */
function sequenceOf(shape: LstmShape, { steps, batch, inputs }: LstmBatch, b: number): number[][] {
  return Array.from({ length: steps }, (_, t) =>
    Array.from(inputs.subarray((t * batch + b) * shape.inputs, (t * batch + b + 1) * shape.inputs)),
  );
}

describe('LstmPredictor', () => {
  const shape: LstmShape = { inputs: 5, hidden: 6, layers: 2, outputs: 2 };

  it('is a plain LSTM, step by step', () => {
    const rng = createRng(1);
    const net = new LstmPredictor(shape, rng);
    const batch = batchFor(shape, 9, 4, rng);
    const outputs = net.predict(batch);
    for (let b = 0; b < 4; b++) {
      const expected = plainLstm(net, sequenceOf(shape, batch, b));
      expected.forEach((row, t) => {
        row.forEach((y, o) => {
          expect(Math.abs(outputs[(t * 4 + b) * 2 + o] - y)).toBeLessThan(1e-6);
        });
      });
    }
  });

  it('has the gradient of finite differences, with a masked loss', () => {
    const rng = createRng(4);
    const net = new LstmPredictor(shape, rng);
    const [T, B] = [6, 3];
    const batch = batchFor(shape, T, B, rng);
    // Sequence b ends after step 2 + b.
    const c = normals(T * B * 2, rng).map((x, k) => (Math.floor(k / (B * 2)) < 2 + (Math.floor(k / 2) % B) ? x : 0));
    const loss = (): number => net.predict(batch).reduce((sum, y, k) => sum + c[k] * y, 0);
    net.learn(batch, (_, out) => {
      out.set(c);
    });
    const { values, gradient } = net.parameters;
    const step = 1e-2;
    for (let trial = 0; trial < 60; trial++) {
      const k = rng.int(values.length);
      const old = values[k];
      const [up, down] = [step, -step].map((h) => {
        values[k] = old + h;
        return loss();
      });
      values[k] = old;
      expect(Math.abs((up - down) / (2 * step) - gradient[k])).toBeLessThan(2e-3 * (1 + Math.abs(gradient[k])));
    }
  });

  it.each([1, 2, 3])('with %d layers, stepGradients are finite differences of the same step’s output', (layers) => {
    const [T, B, I, from, count] = [5, 6, 4, 1, 2];
    const lstm = new LstmPredictor({ inputs: I, hidden: 6, layers, outputs: 2 }, createRng(3));
    const batch = { steps: T, batch: B, inputs: normals(T * B * I, createRng(4)) };
    const { outputs, gradients } = lstm.stepGradients(batch, from, count);
    expect(outputs).toEqual(lstm.predict(batch));
    for (const row of [0, 2 * B + 1, 4 * B + 2, 3 * B + 5]) {
      for (let i = 0; i < count; i++) {
        const [up, down] = [1e-2, -1e-2].map((by) => {
          const inputs = batch.inputs.slice();
          inputs[row * I + from + i] += by;
          return lstm.predict({ ...batch, inputs });
        });
        gradients.forEach((gradient, head) => {
          const k = 2 * row + head;
          expect(gradient[row * count + i]).toBeCloseTo((up[k] - down[k]) / 2e-2, 3);
        });
      }
    }
  });
});
