import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { profileNames, profiles } from './profiles';
import { type RunSpec, canonicalJson, matrix, runSpec, shardOf } from './run-spec';
import { figureIds, figurePoints } from './sweeps';
import { methods } from './methods';

describe.each(profileNames)('matrix of %s', (name) => {
  const profile = profiles[name];
  const specs = matrix(profile);
  const figures = figurePoints(profile).map(({ figureId }) => figureId);

  it('has every key once, as a file name; equal names are the same point, the first seed of everything comes first', () => {
    const points = new Map<string, string>();
    for (const { key, name: point, config, hyperparameters } of specs) {
      expect(key).toMatch(/^[\w.-]+-s\d+-[0-9a-f]{8}$/);
      const text = canonicalJson([config, hyperparameters]);
      expect(points.get(point) ?? text).toBe(text);
      points.set(point, text);
    }
    expect(new Set(specs.map(({ key }) => key)).size).toBe(specs.length);
    const seeds = specs.map(({ seed }) => seed);
    expect(seeds).toEqual([...seeds].sort((a, b) => a - b));
    expect(new Set(specs.filter(({ seed }) => seed === seeds[0]).flatMap((spec) => spec.figureIds))).toEqual(
      new Set(figures),
    );
  });

  it('holds every run of each figure alone, and splits into shards that are the whole', () => {
    for (const figureId of new Set(figures)) {
      const alone = matrix(profile, [figureId]);
      expect(alone.length).toBeGreaterThan(0);
      expect(alone).toEqual(specs.filter((spec) => spec.figureIds.includes(figureId)));
    }
    const shards = [1, 2, 3].flatMap((i) => shardOf(specs, i, 3));
    expect(shards.map(({ key }) => key).sort()).toEqual(specs.map(({ key }) => key).sort());
  });
});

describe('matrix', () => {
  it('runs once what several figures show', () => {
    const [lyreo, ...more] = matrix(profiles.paper).filter(({ name, seed }) => name === 'lyreo' && seed === 1);
    expect(more).toEqual([]);
    expect(lyreo.figureIds).toEqual(['fig2', 'fig3', 'fig4', 'fig5', 'fig6', 'fig8', 'beyond']);
  });

  it('has the sizes that the profiles promise', () => {
    const { paper, quick } = profiles;
    expect(paper).toMatchObject({ seeds: [1, 2, 3, 4, 5], slots: 800, evaluationSlots: 800, episodes: 3 });
    const trainings = (of: typeof paper): number =>
      matrix(of).filter(({ method }) => methods[method].learning !== undefined).length;
    expect(trainings(quick)).toBeLessThan(150);
    expect(trainings(paper)).toBeGreaterThan(200);
    const beyond = (of: typeof paper): ReturnType<typeof matrix> =>
      matrix(of).filter(({ figureIds: shownBy }) => shownBy.join() === 'beyond');
    expect(beyond(paper).filter(({ hyperparameters }) => hyperparameters !== null)).toHaveLength(45);
    expect(beyond(paper).every(({ config, hyperparameters }) => hyperparameters === null || config.users === 40)).toBe(
      true,
    );
    expect(matrix(paper, figureIds, [7]).every(({ seed }) => seed === 7)).toBe(true);
  });

  it('changes a key with whatever changes the result, and with nothing else', () => {
    const point = { method: 'lyreo' } as const;
    const key = (change: object, of = profiles.quick): string => runSpec(of, { ...point, ...change }, 1).key;
    const same = key({});
    expect(key({ system: { users: 40, mix: 'Mod' } })).toBe(same);
    expect(key({ training: { window: 12 } })).toBe(same);
    const others = [
      key({ system: { users: 41 } }),
      key({ system: { kvPoolFraction: 0.0081 } }),
      key({ training: { gamma: 0.97 } }),
      key({ method: 'lyreo-slot' }),
      key({ system: { stateDelaySlots: 1 } }),
      key({ system: { lengthsFile: 'samples/azure.csv' } }),
      key({ system: { lengthsFile: 'samples/burstgpt.csv' } }),
      key({}, { ...profiles.quick, updates: 9 }),
      key({}, { ...profiles.quick, episodes: 2 }),
      runSpec(profiles.quick, point, 2).key,
    ];
    expect(new Set([same, ...others]).size).toBe(others.length + 1);
    // The number of updates is nothing to a method that does not learn.
    expect(key({ method: 'll' }, { ...profiles.quick, updates: 9 })).toBe(key({ method: 'll' }));
  });

  it('hashes the requests in a file of lengths, and names cells by file, delay and place', () => {
    const folder = mkdtempSync(join(tmpdir(), 'lyreo-matrix-'));
    const lengthsFile = join(folder, 'my trace.csv');
    const specOf = (row: string): RunSpec => {
      writeFileSync(lengthsFile, `arrivalSeconds,inputTokens,outputTokens\n0,5,50\n${row}\n`);
      return runSpec(profiles.quick, { method: 'll', system: { lengthsFile, stateDelaySlots: 3 } }, 1);
    };
    const [a, b] = [specOf('1,5,50'), specOf('1,6,49')];
    expect(a.name).toBe('ll-my-trace-stale3');
    // The same means and the same name; other pairs.
    expect([b.name, b.key === a.key]).toEqual([a.name, false]);
    expect(specOf('1,5,50').key).toBe(a.key);
    rmSync(folder, { recursive: true });
  });

  it('writes equal values as equal text, infinities too', () => {
    expect(canonicalJson({ b: [1, { d: Infinity, c: 2 }], a: null })).toBe('{"a":null,"b":[1,{"c":2,"d":"Infinity"}]}');
  });
});
