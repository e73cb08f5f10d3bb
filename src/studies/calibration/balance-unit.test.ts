import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tinyConfig } from '../../../tests/support/tiny';
import { type BalanceUnitOptions, bestUnit, deviationError, unitTrainings } from './balance-unit';
import { publishedFacts } from '../../paper/published';
import { train } from '../../paper/train';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-units-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const slots = 15;
const options: BalanceUnitOptions = {
  units: [0.05, 0.5],
  seed: 2,
  updates: 2,
  slots,
  system: { users: 5, servers: 2 },
};

describe('unitTrainings', () => {
  it('trains both methods under each unit, as every other training is', async () => {
    const counts: number[] = [];
    const found = await unitTrainings({ ...options, onTraining: (done) => counts.push(done) });
    expect(found.map(({ balanceUnit, method }) => [balanceUnit, method])).toEqual([
      [0.05, 'lyreo'],
      [0.05, 'ly-ppo'],
      [0.5, 'lyreo'],
      [0.5, 'ly-ppo'],
    ]);
    expect(counts).toEqual([1, 2, 3, 4]);
    const config = tinyConfig({ users: 5, servers: 2, slots, balanceUnit: 0.5 });
    const { learner, log } = await train({ config, method: 'ly-ppo', seed: 2, updates: 2 });
    learner.dispose();
    // The last quarter of two updates is the second.
    expect(found[3]).toMatchObject({ queue: log[1].queue, latency: log[1].latency, deviation: log[1].deviation });
  });

  it('goes on from its log with the same bytes, trains nothing twice, and refuses that of others', async () => {
    const [whole, parts] = [join(folder, 'whole.jsonl'), join(folder, 'parts.jsonl')];
    const all = await unitTrainings({ ...options, updates: 1, logFile: whole });
    const stop = new AbortController();
    const stopped = unitTrainings({
      ...options,
      updates: 1,
      logFile: parts,
      signal: stop.signal,
      onTraining: (done) => {
        if (done === 3) stop.abort();
      },
    });
    await expect(stopped).rejects.toThrow(/abort/i);
    expect(readFileSync(parts, 'utf8').trim().split('\n')).toHaveLength(1 + 3);
    const trained: number[] = [];
    const rest = await unitTrainings({
      ...options,
      updates: 1,
      logFile: parts,
      onTraining: (done) => trained.push(done),
    });
    expect(trained).toEqual([4]);
    expect(rest).toEqual(all);
    expect(readFileSync(parts, 'utf8')).toBe(readFileSync(whole, 'utf8'));
    expect(await unitTrainings({ ...options, updates: 1, logFile: parts, units: [0.5] })).toEqual(all.slice(2));
    await expect(unitTrainings({ ...options, updates: 2, logFile: parts })).rejects.toThrow('log of other trainings');
    const elsewhere = { ...options, updates: 1, logFile: parts, system: { users: 6, servers: 2 } };
    await expect(unitTrainings(elsewhere)).rejects.toThrow('log of other trainings');
  });
});

describe('bestUnit', () => {
  const training = { queue: 0, latency: 2, method: 'lyreo' } as const;
  const printed = publishedFacts().table2.LYREO[1];

  it('is the unit whose LYREO is nearest to the printed deviation, on a logarithmic scale', () => {
    const trainings = [
      { ...training, balanceUnit: 0.1, deviation: 2 * printed },
      { ...training, balanceUnit: 0.2, deviation: printed / 1.9 },
      { ...training, balanceUnit: 0.2, deviation: printed, method: 'ly-ppo' as const },
    ];
    expect(deviationError(trainings, 0.1)).toBeCloseTo(Math.log(2) ** 2, 12);
    expect(deviationError(trainings, 0.2)).toBeCloseTo(Math.log(1.9) ** 2, 12);
    expect(deviationError(trainings, 0.3)).toBeNaN();
    expect(bestUnit(trainings)).toBe(0.2);
  });
});
