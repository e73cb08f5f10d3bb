import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../core/errors';
import { methodWith, tinyConfig } from '../../tests/support/tiny';
import { readArrayFile, writeArrayFile } from './array-file';
import { loadCheckpoint, loadPolicy, resumeLearner, saveCheckpoint, savePolicy } from './checkpoint';
import { Learner, type UpdateLog } from './lyreo';
import { own } from './credit/own';
import { request } from './credit/request';
import { methodIds, trainingConfig } from './method';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-checkpoint-'));
const at = (name: string): string => join(folder, name);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const method = methodWith(request);
const training = trainingConfig(method, {
  updateEpochs: 2,
  predictorSteps: 4,
  predictorBatch: 8,
  hidden: [16, 16, 8],
  targetKl: Infinity,
});
const config = tinyConfig({ slots: 20 });
const asked = { config, method, training, seed: 1 };

function trained(updates: number): { learner: Learner; log: UpdateLog[] } {
  const learner = new Learner(config, method, training, 1);
  const log = Array.from({ length: updates }, () => learner.update().log);
  return { learner, log };
}

/** The message of the error that the user sees. */
function complaint(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as Error).message;
  }
  throw new Error('nothing was wrong');
}

describe('a file of arrays', () => {
  it('gives back facts and numbers to the bit, NaN, ∞ and −0 too', () => {
    const content = {
      kind: 'ψ',
      limit: Infinity,
      list: [1, 0.1, -Infinity],
      nothing: null,
      a: Float32Array.of(1, Math.fround(0.1), -0, Number.NaN, Infinity),
      b: new Float64Array(0),
      c: { d: [Float64Array.of(Math.PI, 5e-324, -Infinity)] },
    };
    writeArrayFile(at('arrays'), content);
    expect(readArrayFile(at('arrays'))).toEqual(content);
  });

  it('is refused when it is cut, or any of its bytes is another', () => {
    writeArrayFile(at('whole'), { kind: 'test', x: Float32Array.of(1, 2, 3) });
    const whole = readFileSync(at('whole'));
    for (let place = 0; place < whole.length; place++) {
      const damaged = Buffer.from(whole);
      damaged[place] ^= 1;
      for (const content of [whole.subarray(0, place), damaged]) {
        writeFileSync(at('bad'), content);
        expect(complaint(() => readArrayFile(at('bad')))).toMatch(
          /bad is no file of lyreo's, or cut short, or changed; /,
        );
      }
    }
  });
});

describe('a checkpoint', () => {
  it('holds all that an update depends on', () => {
    const { learner, log } = trained(3);
    saveCheckpoint(at('checkpoint'), learner, log, 5);
    const checkpoint = loadCheckpoint(at('checkpoint'));
    expect(checkpoint).toMatchObject({ method: methodIds(method), training, seed: 1, updates: 3, target: 5, log });
    expect(checkpoint.config).toEqual(JSON.parse(JSON.stringify(config)));
    expect(checkpoint.training.targetKl).toBe(Infinity);
    const resumed = resumeLearner(at('checkpoint'), checkpoint, asked);
    for (let k = 0; k < 2; k++) expect(JSON.stringify(resumed.update().log)).toBe(JSON.stringify(learner.update().log));
    saveCheckpoint(at('a'), learner, [], 1);
    saveCheckpoint(at('b'), resumed, [], 1);
    expect(readFileSync(at('b')).equals(readFileSync(at('a')))).toBe(true);
  });

  it('is refused when it is missing, cut, something else, or of other networks', () => {
    const { learner } = trained(1);
    saveCheckpoint(at('sound'), learner, [], 1);
    savePolicy(at('policy'), learner);
    expect(complaint(() => loadCheckpoint(at('none')))).toMatch(/none does not exist; allowed: /);
    expect(complaint(() => loadCheckpoint(at('policy')))).toMatch(/policy holds a policy; allowed: a checkpoint/);
    expect(complaint(() => loadPolicy(at('sound')))).toMatch(/sound holds a checkpoint; allowed: a policy/);
    for (const text of ['update,latency\n', '{"users": 3}', 'null']) {
      writeFileSync(at('text'), text);
      expect(complaint(() => loadCheckpoint(at('text')))).toMatch(/text is no file of lyreo's/);
    }
    const checkpoint = loadCheckpoint(at('sound'));
    const others = { ...training, hidden: [8, 8, 8] };
    const other = { ...checkpoint, training: others };
    expect(complaint(() => resumeLearner(at('sound'), other, { ...asked, training: others }))).toMatch(
      /sound does not fit: .*written by lyreo/,
    );
    truncateSync(at('sound'), 1000);
    expect(complaint(() => loadCheckpoint(at('sound')))).toMatch(/or cut short/);
  });

  it.each([
    [{ method: { ...method, credit: own } }, 'method\'s credit is "own"; allowed: "request", as in '],
    [{ training: { ...training, targetKl: 1 } }, 'targetKl is 1; allowed: Infinity, as in '],
    [{ seed: 2 }, 'seed is 2; allowed: 1'],
    [{ config: tinyConfig() }, 'slots is 60; allowed: 20'],
  ])('is not resumed by another training: the error names the first field and both values, %#', (other, text) => {
    saveCheckpoint(at('first'), trained(0).learner, [], 1);
    const found = loadCheckpoint(at('first'));
    expect(complaint(() => resumeLearner(at('first'), found, { ...asked, ...other }))).toContain(text);
  });
});

describe('a policy file', () => {
  it('gives back the policy, and what it was trained for', () => {
    const { learner } = trained(2);
    savePolicy(at('p'), learner);
    const saved = loadPolicy(at('p'));
    expect(saved).toMatchObject({ method: methodIds(method), seed: 1, updates: 2 });
    expect([...saved.policy.net.parameters.values]).toEqual([...learner.policy.net.parameters.values]);
    // Other numbers of users, lengths and links are no obstacle.
    expect(loadPolicy(at('p'), tinyConfig({ users: 9, lengths: 'lmsys-like' })).updates).toBe(2);
  });

  it.each([
    [{ servers: 4 }, /was trained for 3 servers, .*; this system has 4 servers, /],
    [{ mix: 'Hom' }, /was trained for 3 servers, Mod \(.*rtx3080.*\); this system has 3 servers, Hom \(.*\)/],
    [
      { gpus: ['rtx4090', 'rtx4090', 'rtx3080'] },
      /was trained for .* Mod \(.*\); this system has 3 servers, one by one \(.*rtx4090/,
    ],
  ] as const)('does not act in another system: %j', (overrides, text) => {
    const { learner } = trained(0);
    savePolicy(at('q'), learner);
    expect(complaint(() => loadPolicy(at('q'), tinyConfig(overrides)))).toMatch(text);
  });

  it('does not act on other features, or in another network', () => {
    const { learner } = trained(0);
    savePolicy(at('r'), learner);
    const file = readArrayFile(at('r')) as { features: string[] };
    const changed = (fields: object): string => {
      writeArrayFile(at('s'), { ...file, ...fields });
      return complaint(() => loadPolicy(at('s')));
    };
    const { features } = file;
    expect(changed({ features: ['kvShare = half of it', ...features.slice(1)] })).toMatch(
      /s does not fit: feature 0 is "kvShare = half of it", not "kvShare = KV/,
    );
    expect(changed({ features: [...features, 'x = 1'] })).toMatch(/s does not fit: feature/);
    expect(changed({ weights: new Float32Array(5) })).toMatch(
      /does not fit: parameters are 5 numbers; this network has \d+; it was written by lyreo .*; allowed: a file of lyreo/,
    );
  });
});
