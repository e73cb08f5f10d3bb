import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { profiles } from './profiles';
import { runSpec } from './run-spec';
import { Results } from './results';
import { executeRun } from './run';
import { RunStore, type StoredRun, rounded, runsFolder } from './run-store';

const root = mkdtempSync(join(tmpdir(), 'lyreo-store-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const spec = runSpec(profiles.smoke, { method: 'll' }, 1);
let store: RunStore;
let count = 0;
let run: StoredRun;
beforeEach(async () => {
  store = new RunStore(join(root, String(count++)));
  run = await executeRun(spec);
});

describe('store of runs', () => {
  it('is nowhere where LYREO_RUNS is a file', () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    vi.stubEnv('LYREO_RUNS', file);
    expect(() => runsFolder('quick')).toThrow(
      /^LYREO_RUNS is ".*"; allowed: a folder, or a path where one can be made/,
    );
    vi.stubEnv('LYREO_RUNS', join(root, 'new'));
    expect(runsFolder('quick')).toBe(join(root, 'new', 'quick'));
    vi.unstubAllEnvs();
  });

  it('gives back what was stored, with six digits, leaves nothing half-written, and names neither host nor folder nor user', () => {
    store.save(run);
    expect(readdirSync(store.folder)).toEqual([`${spec.key}.json`]);
    const again = store.load(spec.key);
    expect(again?.evaluation).toEqual(rounded(run.evaluation));
    expect(again?.config).toEqual(run.config);
    const text = readFileSync(store.path(spec.key), 'utf8');
    expect(text.length).toBeLessThan(6000);
    for (const word of [hostname(), root, process.cwd()]) expect(text).not.toContain(word);
  });

  it('finds a run again whose seed has more digits than its results', async () => {
    const seed = 123_456_789;
    store.save(await executeRun(runSpec(profiles.smoke, { method: 'll' }, seed)));
    const results = new Results(profiles.smoke, store.loadAll());
    expect(results.runs({ method: 'll' }).map((each) => each.seed)).toEqual([seed]);
  });

  it('tells done from missing, and is empty where there is no folder', () => {
    expect([store.loadAll(), store.has(spec.key), store.load(spec.key)]).toEqual([[], false, undefined]);
    const other = runSpec(profiles.smoke, { method: 'll' }, 2);
    store.save(run);
    expect(store.sort([spec, other])).toEqual({ done: [spec], missing: [other] });
  });

  it.each(['', '{}', '{"key":', '[]', '{"key": "a", "seed": 1, "evaluation": {}}', 'text for a number'])(
    'takes a damaged file (%s) for missing, with one warning',
    (text) => {
      const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      store.save({ ...run, key: 'a' });
      store.save(run);
      expect(store.has(spec.key)).toBe(true);
      const whole = readFileSync(store.path(spec.key), 'utf8');
      const isText = text.startsWith('text');
      writeFileSync(store.path(spec.key), isText ? whole.replace(/"meanLatency":[\d.]+/, '"meanLatency":"x"') : text);
      expect(store.loadAll().map(({ key }) => key)).toEqual(['a']);
      expect(store.load(spec.key)).toBeUndefined();
      expect(store.sort([spec])).toEqual({ done: [], missing: [spec] });
      expect(stderr.mock.calls.flat()).toEqual([expect.stringContaining(`${spec.key}.json is skipped as damaged (`)]);
      store.save(run);
      expect(store.load(spec.key)?.key).toBe(spec.key);
      stderr.mockRestore();
    },
  );
});
