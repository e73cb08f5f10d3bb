import { describe, expect, it } from 'vitest';
import type * as tfjs from '@tensorflow/tfjs';
import { createRng, type Rng } from '../core/rng';
import { tensorflow } from './backend';
import { type MlpBatch, type MlpShape, Mlp } from './mlp';
import { mlpLoop } from './mlp-loop';

const normals = (n: number, rng: Rng): Float32Array => Float32Array.from({ length: n }, () => rng.normal());

function batchFor(shape: MlpShape, groups: number, rowsPerGroup: number, rng: Rng): MlpBatch {
  return {
    groups,
    rowsPerGroup,
    shared: normals(groups * shape.sharedInputs, rng),
    rows: normals(groups * rowsPerGroup * shape.rowInputs, rng),
  };
}

/** xs and xr side by side: [G·U, Fs + Fr]. */
function concatenate(shape: MlpShape, { groups, rowsPerGroup, shared, rows }: MlpBatch): Float32Array {
  const [fs, fr] = [shape.sharedInputs, shape.rowInputs];
  const out = new Float32Array(groups * rowsPerGroup * (fs + fr));
  for (let r = 0; r < groups * rowsPerGroup; r++) {
    const group = Math.floor(r / rowsPerGroup);
    out.set(shared.subarray(group * fs, (group + 1) * fs), r * (fs + fr));
    out.set(rows.subarray(r * fr, (r + 1) * fr), r * (fs + fr) + fs);
  }
  return out;
}

const largest = (a: Float32Array, b: Float32Array): number => a.reduce((m, x, k) => Math.max(m, Math.abs(x - b[k])), 0);
const scale = (a: Float32Array): number => a.reduce((m, x) => Math.max(m, Math.abs(x)), 0);

describe('Mlp', () => {
  const shape: MlpShape = { sharedInputs: 7, rowInputs: 3, hidden: [16, 12, 8], outputs: 4 };

  it('is the unsplit network: same outputs and gradients', () => {
    const rng = createRng(1);
    const split = new Mlp(shape, rng.fork('a'));
    const whole = new Mlp({ ...shape, sharedInputs: 0, rowInputs: 10 }, rng.fork('a'));
    expect(whole.parameters.values).toEqual(split.parameters.values);
    const batch = batchFor(shape, 5, 6, rng);
    const flat = { groups: 5, rowsPerGroup: 6, shared: new Float32Array(0), rows: concatenate(shape, batch) };
    const [a, b] = [split.forward(batch), whole.forward(flat)];
    expect(largest(a.outputs, b.outputs)).toBeLessThan(1e-6);
    const d = normals(30 * 4, rng);
    a.backward(d);
    b.backward(d);
    expect(largest(split.parameters.gradient, whole.parameters.gradient)).toBeLessThan(
      1e-6 * scale(split.parameters.gradient),
    );
  });

  it.each<MlpShape>([
    shape,
    { sharedInputs: 9, rowInputs: 0, hidden: [16, 8], outputs: 1 },
    { sharedInputs: 0, rowInputs: 5, hidden: [6, 11, 7], outputs: 2 },
    { sharedInputs: 4, rowInputs: 3, hidden: [], outputs: 5 },
    { sharedInputs: 0, rowInputs: 3, hidden: [], outputs: 2 },
    { sharedInputs: 20, rowInputs: 30, hidden: [10], outputs: 12 },
  ])('has the outputs and the gradient that tfjs autograd finds: %o', (sizes) => {
    const rng = createRng(2);
    const mlp = new Mlp(sizes, rng);
    const batch = batchFor(sizes, 4, sizes.rowInputs === 0 ? 1 : 5, rng);
    const count = batch.groups * batch.rowsPerGroup;
    const target = normals(count * sizes.outputs, rng);
    const tape = mlp.forward(batch);
    tape.backward(tape.outputs.map((y, k) => 2 * (y - target[k])));

    const tf = tensorflow().tf as unknown as typeof tfjs;
    const x = concatenate(sizes, batch);
    const network = (p: readonly tfjs.Tensor[]): tfjs.Tensor2D => {
      let h: tfjs.Tensor2D = tf.tensor2d(x, [count, mlp.sizes[0]]);
      for (let k = 0; k < mlp.depth; k++) {
        const z = tf.add<tfjs.Tensor2D>(tf.matMul(h, p[2 * k]), p[2 * k + 1]);
        h = k < mlp.depth - 1 ? tf.relu(z) : z;
      }
      return h;
    };
    const [outputs, ...gradients] = tf.tidy(() => {
      const parts = mlp.sizes
        .slice(1)
        .flatMap((width, k) => [
          tf.tensor2d(mlp.parameters.view(`layer ${k} weights`).slice(), [mlp.sizes[k], width]),
          tf.tensor1d(mlp.parameters.view(`layer ${k} bias`).slice()),
        ]);
      const loss = (...p: tfjs.Tensor[]): tfjs.Tensor =>
        tf.sum(tf.square(tf.sub(network(p), tf.tensor2d(target, [count, sizes.outputs]))));
      return [network(parts), ...tf.grads(loss)(parts)].map((t) => t.dataSync<'float32'>());
    });
    const gradient = Float32Array.from(gradients.flatMap((g) => Array.from(g)));
    expect(scale(gradient)).toBeGreaterThan(0.1);
    expect(largest(outputs, tape.outputs)).toBeLessThan(1e-5);
    expect(largest(gradient, mlp.parameters.gradient)).toBeLessThan(1e-5 * scale(gradient));
  });

  it('has the gradient of finite differences', () => {
    const rng = createRng(3);
    const mlp = new Mlp(shape, rng);
    const batch = batchFor(shape, 3, 4, rng);
    const c = normals(12 * 4, rng);
    const loss = (): number => mlp.predict(batch).reduce((sum, y, k) => sum + c[k] * y + 0.5 * y * y, 0);
    const tape = mlp.forward(batch);
    tape.backward(tape.outputs.map((y, k) => c[k] + y));
    const { values, gradient } = mlp.parameters;
    for (let trial = 0; trial < 60; trial++) {
      const k = rng.int(values.length);
      const old = values[k];
      const step = 3e-4;
      const [up, down] = [step, -step].map((h) => {
        values[k] = old + h;
        mlp.parameters.changed();
        return loss();
      });
      values[k] = old;
      mlp.parameters.changed();
      expect(Math.abs((up - down) / (2 * step) - gradient[k])).toBeLessThan(0.02 * (1 + Math.abs(gradient[k])));
    }
  });

  it('accumulates in pieces what it has in one go, and adds to what was there', () => {
    const rng = createRng(4);
    const mlp = new Mlp(shape, rng);
    const batch = batchFor(shape, 7, 6, rng);
    const d = normals(42 * 4, rng);
    mlp.forward(batch).backward(d);
    const whole = mlp.parameters.gradient.slice();
    const seen: number[] = [];
    mlp.accumulate(
      batch,
      (_outputs, first, out) => {
        seen.push(first);
        out.set(d.subarray(first * 4, first * 4 + out.length));
      },
      12,
    );
    expect(seen).toEqual([0, 12, 24, 36]);
    expect(largest(mlp.parameters.gradient, whole.map((g) => 2 * g) as Float32Array)).toBeLessThan(1e-5 * scale(whole));
  });

  it('frees what it takes', () => {
    const rng = createRng(6);
    const mlp = new Mlp(shape, rng);
    const batch = batchFor(shape, 4, 5, rng);
    const { tf } = tensorflow();
    const before = tf.memory().numTensors;
    mlp.forward(batch).backward(normals(80, rng));
    mlp.predict(batch);
    mlp.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });

  it('has the same outputs in loops, to 1e-5', () => {
    const rng = createRng(8);
    const shapes: MlpShape[] = [
      { sharedInputs: 48, rowInputs: 10, hidden: [128, 128, 64], outputs: 8 },
      { sharedInputs: 60, rowInputs: 0, hidden: [64, 64, 32], outputs: 1 },
      { sharedInputs: 0, rowInputs: 13, hidden: [17, 9], outputs: 3 },
      { sharedInputs: 4, rowInputs: 3, hidden: [], outputs: 5 },
    ];
    for (const sizes of shapes) {
      const mlp = new Mlp(sizes, rng);
      const batch = batchFor(sizes, 3, sizes.rowInputs === 0 ? 1 : 40, rng);
      const tape = mlp.forward(batch);
      tape.dispose();
      const outputs = mlpLoop(mlp, batch);
      expect(outputs.length).toBe(tape.outputs.length);
      expect(scale(outputs)).toBeGreaterThan(0.1);
      expect(largest(outputs, tape.outputs)).toBeLessThan(1e-5);
      expect(largest(mlp.predict(batch), tape.outputs)).toBeLessThan(1e-5);
      mlp.dispose();
    }
  });

  it('refuses sizes that do not fit', () => {
    const rng = createRng(7);
    const mlp = new Mlp(shape, rng);
    const batch = batchFor(shape, 2, 2, rng);
    expect(() => mlp.forward({ ...batch, rows: new Float32Array(5) })).toThrow('rows has 5 numbers; allowed: 4 × 3');
    const tape = mlp.forward(batch);
    expect(() => {
      tape.backward(new Float32Array(3));
    }).toThrow('dOutputs has 3');
    tape.backward(new Float32Array(16));
    expect(() => {
      tape.backward(new Float32Array(16));
    }).toThrow('was used');
    mlp.dispose();
  });
});
