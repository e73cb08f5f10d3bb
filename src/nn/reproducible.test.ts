import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import ts from 'typescript';
import { createRng } from '../core/rng';
import { Adam } from './adam';
import { tensorflow } from './backend';
import { orthogonalInit } from './init';
import { LstmPredictor } from './lstm';
import { Mlp } from './mlp';

/** `updates` steps of both networks on random data; the bytes of their parameters. */
const PROGRAM = `
const { createHash } = require('node:crypto');
const { createRng } = require('./core/rng');
const { Adam } = require('./nn/adam');
const { Mlp } = require('./nn/mlp');
const { LstmPredictor } = require('./nn/lstm');
const before = Object.keys(require.cache).filter((file) => file.includes('tfjs')).length;
const rng = createRng(7);
const normals = (n) => Float32Array.from({ length: n }, () => rng.normal());
const mlp = new Mlp({ sharedInputs: 20, rowInputs: 6, hidden: [128, 128, 64], outputs: 8 }, rng, 0.01);
const lstm = new LstmPredictor({ inputs: 11, hidden: 64, layers: 2, outputs: 1 }, rng);
const [a, b] = [mlp, lstm].map((net) => new Adam(net.parameters, { learningRate: 1e-3, maxGradNorm: 0.5 }));
for (let k = 0; k < 20; k++) {
  mlp.accumulate({ groups: 30, rowsPerGroup: 40, shared: normals(600), rows: normals(7200) }, (y, first, out) => {
    for (let i = 0; i < out.length; i++) out[i] = y[i] - (i % 3);
  }, 500);
  a.step();
  const tape = lstm.forward({ steps: 20, batch: 8, inputs: normals(1760) });
  tape.backward(tape.outputs.map((y, i) => y - (i % 2)));
  b.step();
}
const hash = createHash('sha256');
hash.update(mlp.parameters.values).update(lstm.parameters.values);
console.log(JSON.stringify({ hash: hash.digest('hex'), before }));
`;

describe('two processes', () => {
  let folder = '';
  beforeAll(() => {
    // Inside the repository, so that packages resolve.
    folder = mkdtempSync(join(__dirname, '..', '..', 'node_modules', '.lyreo-test-'));
    const files = ['core/rng', 'nn/mlp', 'nn/lstm', 'nn/adam'].map((name) => join(__dirname, '..', `${name}.ts`));
    const program = ts.createProgram(files, {
      outDir: folder,
      rootDir: join(__dirname, '..'),
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      types: ['node'],
      noCheck: true,
    });
    program.emit();
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('with one seed have the same bytes after 20 updates; nothing is loaded before the first', () => {
    const run = (): { hash: string; before: number } =>
      JSON.parse(execFileSync(process.execPath, ['-e', PROGRAM], { cwd: folder, encoding: 'utf8' })) as never;
    const [first, second] = [run(), run()];
    expect(first.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(second).toEqual(first);
    expect(first.before).toBe(0);
  });

  it('without the native addon are told how to install it', () => {
    const child = `const M = require('node:module'); const load = M._load;
      M._load = (name, ...rest) => { if (name === '@tensorflow/tfjs-node') throw new Error('no addon'); return load(name, ...rest); };
      try { require('./nn/backend').tensorflow(); } catch (error) { console.log(error.name, error.message); }`;
    expect(execFileSync(process.execPath, ['-e', child], { cwd: folder, encoding: 'utf8' })).toMatch(
      /^UserError native TensorFlow.* is missing \(no addon\); allowed: .*npm run setup/,
    );
  });
});

describe('a hundred updates', () => {
  it('leave no tensor behind', () => {
    const rng = createRng(1);
    const normals = (n: number): Float32Array => Float32Array.from({ length: n }, () => rng.normal());
    const mlp = new Mlp({ sharedInputs: 5, rowInputs: 4, hidden: [16, 16, 8], outputs: 3 }, rng);
    const lstm = new LstmPredictor({ inputs: 4, hidden: 8, layers: 2, outputs: 1 }, rng);
    const adams = [mlp, lstm].map((net) => new Adam(net.parameters, { learningRate: 1e-3 }));
    const { tf } = tensorflow();
    const counts = new Set<number>();
    for (let k = 0; k < 100; k++) {
      mlp.accumulate({ groups: 4, rowsPerGroup: 5, shared: normals(20), rows: normals(80) }, (y, _first, out) => {
        out.set(y);
      });
      mlp.predict({ groups: 1, rowsPerGroup: 1, shared: normals(5), rows: normals(4) });
      const tape = lstm.forward({ steps: 6, batch: 3, inputs: normals(72) });
      tape.backward(tape.outputs);
      lstm.predict({ steps: 6, batch: 3, inputs: normals(72) });
      for (const adam of adams) adam.step();
      counts.add(tf.memory().numTensors);
    }
    expect(counts.size).toBe(1);
  });
});

describe('orthogonal weights', () => {
  it('have orthonormal rows or columns, times the gain', () => {
    for (const [rows, columns] of [
      [6, 4],
      [3, 7],
      [5, 5],
    ]) {
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
    }
  });
});
