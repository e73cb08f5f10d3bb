import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { simulate } from '../env/simulate';
import { profiles } from './profiles';
import { type RunSpec, runSpec } from './run-spec';
import { measure } from './evaluate';
import type { MethodName } from './methods';
import { schedulers } from '../schedulers/index';
import { executeRun, heldOutSeeds } from './run';
import { RunStore } from './run-store';

const profile = profiles.smoke;
const folder = mkdtempSync(join(tmpdir(), 'lyreo-run-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const specOf = (method: MethodName): RunSpec => runSpec(profile, { method }, 1);

describe('a run', () => {
  it.each(['lyreo', 'lyreo-count', 'ppo', 'random'] as const)('of %s has the same result each time', async (method) => {
    const spec = specOf(method);
    const [a, b] = [await executeRun(spec), await executeRun(spec)];
    expect(b).toEqual({ ...a, wallSeconds: b.wallSeconds });
    expect(a.key).toBe(spec.key);
    expect(a.command).toBe(`lyreo experiments --profile smoke --only ${spec.key}`);
  });

  it('of LYREO holds its log and its policy under static batching', async () => {
    const run = await executeRun(specOf('lyreo'));
    expect(run.log?.latency).toHaveLength(profile.updates);
    expect(run.log?.update).toEqual([1, 2]);
    expect(run.underStatic?.meanLatency).toBeGreaterThan(run.evaluation.meanLatency);
  });

  it('of LYREO learns from a file of lengths, and with old state', async () => {
    const system = { lengthsFile: 'samples/azure.csv', stateDelaySlots: 1 };
    const run = await executeRun(runSpec(profile, { method: 'lyreo', system }, 1));
    expect(run.log?.update).toEqual([1, 2]);
    expect(run.config).toMatchObject(system);
    expect(run.config.meanOutputTokens).toBeCloseTo(198.6, 9);
  });

  it('stopped in the middle goes on from its checkpoint with the same result', async () => {
    const spec = specOf('ly-ppo');
    const store = new RunStore(folder);
    const whole = await executeRun(spec);
    const controller = new AbortController();
    const stopped = executeRun(spec, {
      store,
      signal: controller.signal,
      onUpdate: () => {
        controller.abort(new Error('stopped'));
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(existsSync(store.partialFolder(spec.key))).toBe(true);
    const rest = await executeRun(spec, { store });
    expect(rest).toEqual({ ...whole, resumedAt: 1, wallSeconds: rest.wallSeconds });
    store.save(rest);
    expect(existsSync(store.partialFolder(spec.key))).toBe(false);
  });
});

describe('an evaluation', () => {
  const { config } = specOf('ll');
  const seeds = heldOutSeeds({ ...profile, episodes: 3 }, 5);

  it('without a completed request has no latency', async () => {
    const tiny = { ...config, kvPoolFraction: 1e-7, slots: 5 };
    const { completed, meanLatency, p99Latency, parts, deviation, perEpisode } = await measure(
      tiny,
      schedulers.ll,
      seeds,
    );
    expect([completed, deviation]).toEqual([0, 0]);
    for (const x of [meanLatency, p99Latency, ...Object.values({ ...parts }), ...perEpisode.meanLatency])
      expect(x).toBeNaN();
  });

  it('reports what simulate reports, with quantiles from the least to the greatest', async () => {
    const all = await measure(config, schedulers.ll, seeds);
    const runs = seeds.map((seed) => simulate(config, schedulers.ll, seed));
    expect(all.perEpisode.meanLatency).toEqual(runs.map((run) => run.meanLatency));
    expect(all.perEpisode.deviation).toEqual(runs.map((run) => run.deviation));
    expect(all.deviation).toBeCloseTo(runs.reduce((sum, run) => sum + run.deviation, 0) / 3, 12);
    const parts = Object.values<number>(all.parts).reduce((sum, part) => sum + part, 0);
    expect(parts).toBeCloseTo(all.meanLatency, 9);
    expect(all.completed).toBe(3 * 12 * 6);
    const { latencyQuantiles: quantiles } = all;
    for (const list of [quantiles, all.deviationQuantiles]) expect(list).toEqual([...list].sort((a, b) => a - b));
    expect([quantiles.length, quantiles[0] < all.meanLatency, quantiles[20] > all.meanLatency]).toEqual([
      21,
      true,
      true,
    ]);
  });

  it('is held out and the same for all methods', () => {
    expect(heldOutSeeds(profile, 1)).toEqual(heldOutSeeds(profile, 1));
    expect(new Set([1, 2, 3].flatMap((seed) => heldOutSeeds(profiles.paper, seed))).size).toBe(9);
  });
});
