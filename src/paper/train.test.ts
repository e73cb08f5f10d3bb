import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { creditRule } from '../lyreo/credit/credit';
import { own } from '../lyreo/credit/own';
import type { LearningMethod } from '../lyreo/method';
import { loadCheckpoint, loadPolicy, resumeLearner } from '../lyreo/checkpoint';
import { DivergenceError, Learner, type UpdateDetail, type UpdateLog } from '../lyreo/lyreo';
import { tinyConfig } from '../../tests/support/tiny';
import { type MethodName, methods } from './methods';
import { logLine, trainingFiles } from '../lyreo/train';
import { type NamedTrainOptions, learningMethods, learningOf, train } from './train';

const root = mkdtempSync(join(tmpdir(), 'lyreo-train-'));
let folders = 0;
const fresh = (): string => join(root, `run ${folders++}`);
afterAll(() => {
  rmSync(root, { recursive: true });
});

const options: NamedTrainOptions = {
  config: tinyConfig({ slots: 20 }),
  method: 'lyreo',
  training: { updateEpochs: 2, predictorSteps: 4, predictorBatch: 8, hidden: [16, 16, 8] },
  seed: 2,
  updates: 6,
  checkpointEvery: 2,
};

async function logOf(more: Partial<NamedTrainOptions>): Promise<string[]> {
  const { log } = await train({ ...options, ...more });
  return log.map(logLine);
}

describe('train', () => {
  it('writes log, checkpoint and policy, and tells every update', async () => {
    const folder = fresh();
    const seen: UpdateLog[] = [];
    const log = await logOf({ folder, updates: 3, onUpdate: (entry) => seen.push(entry) });
    expect(seen.map(logLine)).toEqual(log);
    expect(seen.map((entry) => [entry.update, entry.slots])).toEqual([
      [1, 20],
      [2, 40],
      [3, 60],
    ]);
    const files = trainingFiles(folder);
    expect(readFileSync(files.log, 'utf8')).toBe(log.map((line) => `${line}\n`).join(''));
    expect(readdirSync(folder).sort()).toEqual(['checkpoint.lyreo', 'log.jsonl', 'policy.lyreo']);
    expect(loadCheckpoint(files.checkpoint).updates).toBe(3);
    expect(loadPolicy(files.policy, options.config).updates).toBe(3);
  });

  it('stopped and resumed, again and again, it goes the same way as one left alone', async () => {
    const whole = await logOf({});
    const folder = fresh();
    let aborts = 0;
    let resumed = -1;
    for (;;) {
      const controller = new AbortController();
      const { log, aborted } = await train({
        ...options,
        folder,
        resume: true,
        signal: controller.signal,
        onUpdate: () => {
          controller.abort();
        },
        onResume: (before) => (resumed = before.length),
      });
      expect(log.map(logLine)).toEqual(whole.slice(0, log.length));
      // Stopped between two checkpoints, it has written one.
      expect(loadCheckpoint(trainingFiles(folder).checkpoint).updates).toBe(log.length);
      if (!aborted) break;
      aborts++;
    }
    expect(aborts).toBe(5);
    expect(resumed).toBe(5);
    expect(readFileSync(trainingFiles(folder).log, 'utf8')).toBe(whole.map((line) => `${line}\n`).join(''));
    // And further.
    expect((await logOf({ folder, resume: true, updates: 7 })).slice(0, 6)).toEqual(whole);
  });

  it('refuses a folder with a training, another training, and half a checkpoint', async () => {
    const folder = fresh();
    await logOf({ folder, updates: 1 });
    await expect(logOf({ folder })).rejects.toThrow(/has a training; allowed: .*--resume/);
    await expect(logOf({ folder, resume: true, seed: 3 })).rejects.toThrow(/seed is 3; allowed: 2, as in /);
    await expect(logOf({ folder, resume: true, method: 'ly-ppo' })).rejects.toThrow(
      /method's credit is "delayed"; allowed: "request"/,
    );
    const { checkpoint, log } = trainingFiles(folder);
    writeFileSync(checkpoint, readFileSync(checkpoint).subarray(0, 5000));
    await expect(logOf({ folder, resume: true })).rejects.toThrow(
      /checkpoint\.lyreo is no file of lyreo's, or cut short/,
    );
    const file = join(root, 'file');
    writeFileSync(file, '');
    await expect(logOf({ folder: join(file, 'run') })).rejects.toThrow(/file is a file; allowed: a folder/);
    rmSync(checkpoint);
    for (const resume of [true, false])
      await expect(logOf({ folder, resume })).rejects.toThrow(`${log} is the log of a training without its checkpoint`);
  });

  describe.each([
    ['lengthsFile', 'lengths.csv', 'arrivalSeconds,inputTokens,outputTokens\n0,60,90\n1,80,120\n', '2,900,900\n', {}],
    [
      'gpuProfilesFile',
      'gpus.csv',
      'gpu,memoryGB,prefillTokensPerSecond,kvBytes,iterationsPerSecond\na,20,4000,0,60\na,20,4000,2e10,30\n',
      'b,20,4000,0,60\nb,20,4000,2e10,30\n',
      { gpus: ['a', 'a', 'a'] },
    ],
  ])('of a configuration whose %s', (field, name, text, more, system) => {
    const path = join(root, name);
    const changed = new RegExp(
      `^${field} .*${name} has other content \\(sha256 \\w{12}\\) than when .* was begun; allowed`,
    );
    const folder = fresh();
    const from = async (file: string, updates: number, rest: Partial<NamedTrainOptions> = {}): Promise<string[]> =>
      logOf({ config: tinyConfig({ slots: 20, ...system, [field]: file }), folder, updates, resume: true, ...rest });

    it('has other content, is refused unless that is accepted', async () => {
      writeFileSync(path, text);
      await from(path, 1);
      const { checkpoint, policy } = trainingFiles(folder);
      await from(path, 2);
      const { config } = loadPolicy(policy);
      writeFileSync(path, text + more);
      await expect(from(path, 3)).rejects.toThrow(changed);
      const found = loadCheckpoint(checkpoint);
      const asked = { ...found, method: learningOf('lyreo').method };
      expect(() => resumeLearner(checkpoint, found, asked)).toThrow(changed);
      expect(() => loadPolicy(policy)).toThrow(changed);
      expect(() => loadPolicy(policy, config)).toThrow(changed);
      // A system with a file of its own is another system, and no changed file.
      writeFileSync(join(root, `other ${name}`), text + more);
      loadPolicy(policy, { ...config, [field]: join(root, `other ${name}`) });
      expect(loadPolicy(policy, config, { acceptChangedFiles: true }).updates).toBe(2);
      expect(await from(path, 3, { acceptChangedFiles: true })).toHaveLength(3);
      // From then on the new content is the training's.
      await from(path, 4, { config });
      writeFileSync(path, text);
      await expect(from(path, 5, { config })).rejects.toThrow(changed);
    });

    it('changes while it learns, ends with the last checkpoint', async () => {
      writeFileSync(path, text);
      const out = fresh();
      const change = (): void => {
        writeFileSync(path, text + more);
      };
      await expect(from(path, 4, { folder: out, onUpdate: change, checkpointEvery: 1 })).rejects.toThrow(changed);
      expect(loadCheckpoint(trainingFiles(out).checkpoint).updates).toBe(1);
    });
  });

  it('clears away what a killed training was writing', async () => {
    const folder = fresh();
    await logOf({ folder, updates: 1 });
    const [left, current] = [randomUUID(), randomUUID()].map((id) => join(folder, `checkpoint.lyreo.${id}.part`));
    for (const path of [left, current]) writeFileSync(path, 'half');
    const before = Date.now() / 1000 - 120;
    utimesSync(left, before, before);
    writeFileSync(join(folder, 'mine.part'), 'of someone else');
    await logOf({ folder, updates: 2, resume: true });
    expect([left, current].map(existsSync)).toEqual([false, true]);
    expect(existsSync(join(folder, 'mine.part'))).toBe(true);
  });

  it('divergence: an error that names the tensor, the log keeps what was', async () => {
    const folder = fresh();
    // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its learner below
    const update = Learner.prototype.update;
    const spy = vi.spyOn(Learner.prototype, 'update').mockImplementation(function (this: Learner): UpdateDetail {
      if (this.updates === 3) this.critic.parameters.view('layer 1 weights')[5] = Number.NaN;
      return update.call(this);
    });
    const error: unknown = await train({ ...options, folder }).catch((reason: unknown) => reason);
    spy.mockRestore();
    expect(error).toBeInstanceOf(DivergenceError);
    expect(String(error)).toMatch(/update 4: .*(critic|layer)/);
    const lines = readFileSync(trainingFiles(folder).log, 'utf8').trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as UpdateLog).update)).toEqual([1, 2, 3]);
    expect(loadCheckpoint(trainingFiles(folder).checkpoint).updates).toBe(2);
  });
});

describe('learningOf', () => {
  it('a method by name, with its own hyperparameters and those given', () => {
    const { method, training } = learningOf('ly-ppo', { gamma: 0.9 });
    expect(method).toEqual(methods['ly-ppo'].learning);
    expect(training.gamma).toBe(0.9);
    for (const name of learningMethods) expect(learningOf(name).training.clipCoef).toBe(0.2);
  });

  const refused: readonly (readonly [MethodName, object, RegExp])[] = [
    ['random', {}, /method is "random"; allowed: one that learns: lyreo, ly-ppo/],
    ['lyrio' as MethodName, {}, /method is "lyrio"; allowed: one that learns: lyreo, ly-ppo/],
    ['lyreo', { gamma: 1.5 }, /training: gamma is 1.5; allowed: a number in \[0, 1\)/],
    ['lyreo', { hidden: [0] }, /training: hidden is \[0\]; allowed: one to eight integers/],
    ['lyreo', { ratio: 'slot' }, /training: ratio is "slot"; allowed: "per request" or "per slot"/],
    ['lyreo', { learningRates: 1 }, /training: learningRates is 1; allowed: one of gamma, /],
    ['lyreo', { learningRate: Number.NaN }, /training: learningRate is NaN; allowed: a finite number > 0/],
  ];
  it('refuses a credit rule or a reward of your own under an id of the library, or under none', () => {
    const lyreo = methods.lyreo.learning as LearningMethod;
    const credit = creditRule('own', (...args) => own.create(args[2]).assign(args[0], args[1], args[3]));
    expect(() => learningOf({ ...lyreo, credit })).toThrow(
      /id of your credit rule is "own"; allowed: another one than delayed, /,
    );
    const reward = { ...lyreo.reward };
    expect(() => learningOf({ ...lyreo, reward })).toThrow(/id of your reward is "drift-plus-penalty"; allowed: /);
    expect(() => creditRule('', () => ({ advantages: [], targets: [] }) as never)).toThrow(
      'id of a credit rule is ""; allowed: a name of its own',
    );
  });

  it.each(refused)('refuses %s with %j', (name, training, text) => {
    expect(() => learningOf(name, training)).toThrow(text);
  });
});
