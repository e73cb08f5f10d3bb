import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeRuns } from './make-runs';
import { profiles } from './profiles';
import { runSpec } from './run-spec';
import { RunStore } from './run-store';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-make-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const specs = ([1, 2] as const).map((seed) =>
  runSpec(profiles.smoke, { method: 'random', system: {}, training: {} }, seed),
);

describe('makeRuns', () => {
  it('makes what is missing, once, and tells how far it is', async () => {
    const store = new RunStore(folder);
    const told: number[] = [];
    expect(await makeRuns(specs, { store, onProgress: (done) => told.push(done) })).toBe(2);
    expect(store.sort(specs).missing).toEqual([]);
    expect(told).toEqual([0, 1, 2]);
    expect(await makeRuns(specs, { store })).toBe(0);
  });

  it('ends when it is asked to', async () => {
    await expect(makeRuns(specs, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
