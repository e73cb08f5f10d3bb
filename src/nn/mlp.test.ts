import { describe, expect, it } from 'vitest';
import { createRng, type Rng } from '../core/rng';
import { orthogonalInit } from './init';
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

const largest = (a: Float32Array, b: Float32Array): number => a.reduce((m, x, k) => Math.max(m, Math.abs(x - b[k])), 0);
const scale = (a: Float32Array): number => a.reduce((m, x) => Math.max(m, Math.abs(x)), 0);

describe('Mlp', () => {
  const shape: MlpShape = { sharedInputs: 7, rowInputs: 3, hidden: [16, 12, 8], outputs: 4 };

  it('is the unsplit network: same outputs and gradients, in TensorFlow and in loops', () => {
    const rng = createRng(1);
    const split = new Mlp(shape, rng.fork('a'));
    const whole = new Mlp({ ...shape, sharedInputs: 0, rowInputs: 10 }, rng.fork('a'));
    expect(whole.parameters.values).toEqual(split.parameters.values);
    const batch = batchFor(shape, 5, 6, rng);
    // xs and xr side by side.
    const rows = Float32Array.from({ length: 30 * 10 }, (_, k) => {
      const [r, i] = [Math.floor(k / 10), k % 10];
      return i < 7 ? batch.shared[Math.floor(r / 6) * 7 + i] : batch.rows[r * 3 + i - 7];
    });
    const flat = { groups: 5, rowsPerGroup: 6, shared: new Float32Array(0), rows };
    const d = normals(30 * 4, rng);
    const outputs: Float32Array[] = [mlpLoop(split, batch), mlpLoop(whole, flat)];
    for (const [net, own] of [
      [split, batch],
      [whole, flat],
    ] as const)
      net.learn(own, (y, out) => {
        outputs.push(y);
        out.set(d);
      });
    for (const y of outputs) expect(largest(y, outputs[0])).toBeLessThan(1e-6);
    const { gradient } = split.parameters;
    expect(largest(gradient, whole.parameters.gradient)).toBeLessThan(1e-6 * scale(gradient));
  });

  it.each<MlpShape>([
    shape,
    { sharedInputs: 0, rowInputs: 9, hidden: [16, 8], outputs: 1 },
    { sharedInputs: 0, rowInputs: 13, hidden: [17, 11, 9], outputs: 3 },
    { sharedInputs: 4, rowInputs: 3, hidden: [], outputs: 5 },
    { sharedInputs: 0, rowInputs: 3, hidden: [], outputs: 2 },
    { sharedInputs: 48, rowInputs: 30, hidden: [128, 64], outputs: 12 },
  ])('has the outputs of loops, and the gradient of their finite differences: %o', (sizes) => {
    const rng = createRng(3);
    const mlp = new Mlp(sizes, rng);
    const batch = batchFor(sizes, 3, 40, rng);
    const c = normals(batch.groups * batch.rowsPerGroup * sizes.outputs, rng);
    const inLoops = mlpLoop(mlp, batch);
    expect(scale(inLoops)).toBeGreaterThan(0.1);
    expect(largest(mlp.predict(batch), inLoops)).toBeLessThan(1e-5);
    mlp.learn(batch, (outputs, out) => {
      expect(largest(outputs, inLoops)).toBeLessThan(1e-5);
      out.set(outputs.map((y, k) => c[k] + y));
    });
    const loss = (): number => mlpLoop(mlp, batch).reduce((sum, y, k) => sum + c[k] * y + 0.5 * y * y, 0);
    const { values, gradient } = mlp.parameters;
    const step = 3e-4;
    for (let trial = 0; trial < 40; trial++) {
      const k = rng.int(values.length);
      const old = values[k];
      const [up, down] = [step, -step].map((h) => {
        values[k] = old + h;
        return loss();
      });
      values[k] = old;
      const error = Math.abs((up - down) / (2 * step) - gradient[k]);
      expect(error).toBeLessThan(0.02 * (scale(gradient) / 10 + Math.abs(gradient[k])));
    }
  });

  it('learns in pieces what it has in one go, and adds to what was there', () => {
    const rng = createRng(4);
    const mlp = new Mlp(shape, rng);
    const batch = batchFor(shape, 7, 6, rng);
    const d = normals(42 * 4, rng);
    mlp.learn(batch, (_, out) => {
      out.set(d);
    });
    const whole = mlp.parameters.gradient.slice();
    const seen: number[] = [];
    mlp.learn(
      batch,
      (_, out, first) => {
        seen.push(first);
        out.set(d.subarray(first * 4, first * 4 + out.length));
      },
      12,
    );
    expect(seen).toEqual([0, 12, 24, 36]);
    expect(largest(mlp.parameters.gradient, whole.map((g) => 2 * g) as Float32Array)).toBeLessThan(1e-5 * scale(whole));
  });

  it('refuses sizes that do not fit', () => {
    const mlp = new Mlp(shape, createRng(7));
    const batch = batchFor(shape, 2, 2, createRng(7));
    const refused = { ...batch, rows: new Float32Array(5) };
    expect(() => mlp.predict(refused)).toThrow('rows has 5 numbers; allowed: 4 × 3');
  });
});

describe('orthogonal weights', () => {
  it.each([
    [6, 4],
    [3, 7],
    [5, 5],
  ])('%d by %d have orthonormal rows or columns, times the gain', (rows, columns) => {
    const w = new Float32Array(rows * columns);
    orthogonalInit(w, rows, columns, 2, createRng(3));
    const wide = rows < columns;
    const [few, many] = wide ? [rows, columns] : [columns, rows];
    const at = (k: number, j: number): number => (wide ? w[k * columns + j] : w[j * columns + k]);
    for (let a = 0; a < few; a++) {
      for (let b = 0; b < few; b++) {
        const dot = Array.from({ length: many }, (_, j) => at(a, j) * at(b, j)).reduce((x, y) => x + y, 0);
        expect(dot).toBeCloseTo(a === b ? 4 : 0, 5);
      }
    }
  });
});
