import { describe, expect, it } from 'vitest';
import type * as tfjs from '@tensorflow/tfjs';
import { createRng, type Rng } from '../core/rng';
import { tensorflow } from './backend';
import { plainKernels } from './kernels-plain';
import { LstmPredictor, type LstmBatch, type LstmShape } from './lstm';

const normals = (n: number, rng: Rng): Float32Array => Float32Array.from({ length: n }, () => rng.normal());
const largest = (a: Float32Array, b: Float32Array): number => a.reduce((m, x, k) => Math.max(m, Math.abs(x - b[k])), 0);
const scale = (a: Float32Array): number => a.reduce((m, x) => Math.max(m, Math.abs(x)), 0);

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** One sequence, step by step, in double precision: outputs [T, O]. */
function plainLstm(net: LstmPredictor, inputs: readonly (readonly number[])[]): number[][] {
  const h = net.hidden;
  let sequence = inputs.map((x) => [...x]);
  for (let layer = 0; layer < net.layers; layer++) {
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
      x.reduce((sum, v, r) => sum + v * w[r * net.outputs + k], bias),
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

  it('has the gradient that autograd finds through the plain steps', () => {
    const rng = createRng(2);
    const net = new LstmPredictor(shape, rng);
    const [T, B] = [7, 3];
    const batch = batchFor(shape, T, B, rng);
    const target = normals(T * B * 2, rng);
    const tape = net.forward(batch);
    const dOutputs = tape.outputs.map((y, k) => 2 * (y - target[k]));
    net.backward(tape, dOutputs);

    const tf = tensorflow().tf as unknown as typeof tfjs;
    const plain = plainKernels(tensorflow().tf);
    const names = ['lstm 0 weights', 'lstm 0 bias', 'lstm 1 weights', 'lstm 1 bias', 'head weights', 'head bias'];
    const found = tf.tidy(() => {
      const parts = names.map((n) => tf.tensor(net.parameters.view(n).slice(), [...net.parameters.shape(n)]));
      const x = tensorflow().tf.tensor(batch.inputs.slice(), [T, B, 5], 'float32');
      const loss = (...p: tfjs.Tensor[]): tfjs.Tensor => {
        const [w0, b0, w1, b1, w, b] = p as never[];
        const first = plain.lstm(x, w0, b0).h;
        const second = plain.lstm(first, w1, b1).h as unknown as tfjs.Tensor;
        const y = tf.add(tf.matMul(tf.reshape(second, [T * B, 6]), w), b);
        return tf.sum(tf.square(tf.sub(y, tf.tensor2d(target, [T * B, 2]))));
      };
      return tf
        .grads(loss)(parts)
        .map((g) => g.dataSync<'float32'>());
    });
    const flat = Float32Array.from(found.flatMap((g) => Array.from(g)));
    expect(largest(flat, net.parameters.gradient)).toBeLessThan(1e-5 * scale(flat));
  });

  it('has the gradient of TensorFlow’s own BlockLSTMGradV2', () => {
    const rng = createRng(3);
    const [T, B, I, H] = [8, 4, 5, 6];
    const net = new LstmPredictor({ inputs: I, hidden: H, layers: 1, outputs: H }, rng);
    // An identity head, so that the gradient of the outputs is that of h.
    net.parameters.view('head weights').forEach((_, k, w) => (w[k] = Math.floor(k / H) === k % H ? 1 : 0));
    net.parameters.changed();
    const batch = batchFor({ inputs: I }, T, B, rng);
    const dh = normals(T * B * H, rng);
    net.backward(net.forward(batch), dh);

    const loaded = tensorflow();
    if (loaded.kind !== 'native') throw new Error('this test needs native TensorFlow');
    const { tf, backend } = loaded;
    const b = backend.binding;
    const float = { name: 'T', type: b.TF_ATTR_TYPE, value: b.TF_FLOAT };
    const attributes = [{ name: 'use_peephole', type: b.TF_ATTR_BOOL, value: false }, float];
    const { warn } = console;
    console.warn = (): void => undefined;
    const expected = tf.tidy(() => {
      const cast = [
        { name: 'SrcT', type: b.TF_ATTR_TYPE, value: b.TF_INT32 },
        { name: 'DstT', type: b.TF_ATTR_TYPE, value: b.TF_INT64 },
        { name: 'Truncate', type: b.TF_ATTR_BOOL, value: false },
      ];
      const length = backend.executeSingleOutput('Cast', cast, [tf.scalar(T, 'int32')]);
      const w = tf.tensor(net.parameters.view('lstm 0 weights').slice(), [I + H, 4 * H], 'float32');
      const bias = tf.tensor(net.parameters.view('lstm 0 bias').slice(), [4 * H], 'float32');
      const x = tf.tensor(batch.inputs.slice(), [T, B, I], 'float32');
      const z = tf.zeros([B, H]);
      const p = tf.zeros([H]);
      const inputs = [length, x, z, z, w, p, p, p, bias];
      const clip = { name: 'cell_clip', type: b.TF_ATTR_FLOAT, value: 0 };
      const states = backend.executeMultipleOutputs('BlockLSTMV2', [clip, ...attributes], inputs, 7);
      const zeros = tf.zeros([T, B, H]);
      const dhs = tf.tensor(dh.slice(), [T, B, H], 'float32');
      const all = backend.executeMultipleOutputs('BlockLSTMGradV2', attributes, [...inputs, ...states, zeros, dhs], 8);
      return [all[3].dataSync(), all[7].dataSync()];
    });
    console.warn = warn;
    expect(largest(expected[0], net.parameters.gradientView('lstm 0 weights'))).toBeLessThan(1e-5 * scale(expected[0]));
    expect(largest(expected[1], net.parameters.gradientView('lstm 0 bias'))).toBeLessThan(1e-5 * scale(expected[1]));
  });

  it('has the gradient of finite differences, with a masked loss', () => {
    const rng = createRng(4);
    const net = new LstmPredictor(shape, rng);
    const [T, B] = [6, 3];
    const batch = batchFor(shape, T, B, rng);
    // Sequence b ends after step 2 + b.
    const c = normals(T * B * 2, rng).map((x, k) => (Math.floor(k / (B * 2)) < 2 + (Math.floor(k / 2) % B) ? x : 0));
    const loss = (): number => net.predict(batch).reduce((sum, y, k) => sum + c[k] * y, 0);
    net.backward(net.forward(batch), c);
    const { values, gradient } = net.parameters;
    for (let trial = 0; trial < 60; trial++) {
      const k = rng.int(values.length);
      const old = values[k];
      const step = 1e-2;
      const [up, down] = [step, -step].map((h) => {
        values[k] = old + h;
        net.parameters.changed();
        return loss();
      });
      values[k] = old;
      net.parameters.changed();
      expect(Math.abs((up - down) / (2 * step) - gradient[k])).toBeLessThan(2e-3 * (1 + Math.abs(gradient[k])));
    }
  });

  it('keeps sequences apart: changing one leaves the others’ outputs bit-equal', () => {
    const rng = createRng(5);
    const net = new LstmPredictor({ inputs: 5 }, rng);
    const batch = batchFor({ inputs: 5 }, 20, 4, rng);
    const before = net.predict(batch);
    const inputs = batch.inputs.map((x, k) => (Math.floor(k / 5) % 4 === 2 ? x + 3 : x));
    const after = net.predict({ ...batch, inputs });
    for (let k = 0; k < before.length; k++) {
      if (k % 4 === 2) expect(after[k]).not.toBe(before[k]);
      else expect(after[k]).toBe(before[k]);
    }
    // And a later call starts from zero again.
    expect(net.predict(batch)).toEqual(before);
  });

  it('is causal: changing a step leaves earlier outputs bit-equal', () => {
    const rng = createRng(6);
    const net = new LstmPredictor({ inputs: 3 }, rng);
    const batch = batchFor({ inputs: 3 }, 10, 2, rng);
    const before = net.predict(batch);
    const after = net.predict({ ...batch, inputs: batch.inputs.map((x, k) => (k >= 6 * 6 ? -x : x)) });
    expect(after.slice(0, 12)).toEqual(before.slice(0, 12));
    expect(after.slice(12)).not.toEqual(before.slice(12));
  });

  it('does not use a tape twice, nor one that was given up', () => {
    const net = new LstmPredictor(shape, createRng(8));
    const batch = batchFor(shape, 3, 2, createRng(9));
    const d = new Float32Array(3 * 2 * 2);
    const [used, givenUp] = [net.forward(batch), net.forward(batch)];
    net.backward(used, d);
    givenUp.dispose();
    for (const tape of [used, givenUp])
      expect(() => {
        net.backward(tape, d);
      }).toThrow('was used');
    net.dispose();
  });

  it('agrees with the plain kernels on the JavaScript backend', async () => {
    const rng = createRng(7);
    const native = new LstmPredictor(shape, rng.fork('w'));
    const batch = batchFor(shape, 6, 3, rng);
    const d = normals(6 * 3 * 2, rng);
    const a = native.forward(batch);
    native.backward(a, d);
    native.dispose();
    const { tf } = tensorflow();
    await tf.setBackend('cpu');
    try {
      const plain = new LstmPredictor(shape, rng.fork('w'), plainKernels(tf));
      const b = plain.forward(batch);
      plain.backward(b, d);
      expect(largest(a.outputs, b.outputs)).toBeLessThan(1e-5);
      expect(largest(native.parameters.gradient, plain.parameters.gradient)).toBeLessThan(
        1e-5 * scale(native.parameters.gradient),
      );
      plain.dispose();
    } finally {
      await tf.setBackend('tensorflow');
    }
  });
});
