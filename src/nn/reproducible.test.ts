import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtCli } from '../../tests/support/built';
import { createRng } from '../core/rng';
import { tensorflow } from './backend';
import { LstmPredictor } from './lstm';
import { Mlp } from './mlp';

/** Steps of both networks on random data; the bytes of their parameters. */
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
const [a, b] = [mlp, lstm].map((net) => new Adam(net.parameters, 1e-3, 0.5));
for (let k = 0; k < 20; k++) {
  const loss = (y, out) => { for (let i = 0; i < out.length; i++) out[i] = y[i] - (i % 3); };
  mlp.learn({ groups: 30, rowsPerGroup: 40, shared: normals(600), rows: normals(7200) }, loss, 500);
  lstm.learn({ steps: 20, batch: 8, inputs: normals(1760) }, loss);
  a.step();
  b.step();
}
const hash = createHash('sha256');
hash.update(mlp.parameters.values).update(lstm.parameters.values);
console.log(JSON.stringify({ hash: hash.digest('hex'), before }));
`;

describe('a process', () => {
  const run = (program: string): string =>
    execFileSync(process.execPath, ['-e', program], { cwd: dirname(builtCli()), encoding: 'utf8' });

  it('has the bytes of any other after 20 updates from the same seed; nothing is loaded before the first', () => {
    const first = JSON.parse(run(PROGRAM)) as { hash: string; before: number };
    expect(first.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(run(PROGRAM))).toEqual(first);
    expect(first.before).toBe(0);
  });

  it('without the native addon is told how to install it', () => {
    const child = `const M = require('node:module'); const load = M._load;
      M._load = (name, ...rest) => { if (name.includes('tfjs_binding')) throw new Error('no addon'); return load(name, ...rest); };
      try { require('./nn/backend').tensorflow(); } catch (error) { console.log(error.name, error.message); }`;
    expect(run(child)).toMatch(/^UserError native TensorFlow.* is missing \(no addon\); allowed: .*npm run setup/);
  });
});

it('no use of a network leaves a tensor behind, not even one that fails', () => {
  const mlp = new Mlp({ sharedInputs: 50, rowInputs: 40, hidden: [128, 64], outputs: 3 }, createRng(1));
  const lstm = new LstmPredictor({ inputs: 4, hidden: 8, layers: 2, outputs: 1 }, createRng(1));
  const batch = { groups: 4, rowsPerGroup: 50, shared: new Float32Array(200), rows: new Float32Array(8000) };
  const sequences = { steps: 6, batch: 3, inputs: new Float32Array(72) };
  const before = tensorflow().getNumOfTensors();
  mlp.learn(batch, (y, out) => {
    out.set(y);
  });
  mlp.predict(batch);
  lstm.learn(sequences, (y, out) => {
    out.set(y);
  });
  lstm.predict(sequences);
  lstm.stepGradients(sequences, 1, 2);
  const failing = (): void => {
    lstm.learn(sequences, () => {
      throw new Error('mine');
    });
  };
  expect(failing).toThrow('mine');
  expect(tensorflow().getNumOfTensors()).toBe(before);
});
