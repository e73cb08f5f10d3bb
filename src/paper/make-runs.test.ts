import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeRuns } from './make-runs';
import { profiles } from './profiles';
import { makeCell } from './run-spec';
import { RunStore } from './run-store';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-make-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const cells = ([1, 2] as const).map((seed) =>
  makeCell(profiles.smoke, { method: 'random', system: {}, training: {} }, seed),
);

describe('makeRuns', () => {
  it('makes what is missing, once, and tells how far it is', async () => {
    const store = new RunStore(folder);
    const told: number[] = [];
    expect(await makeRuns(cells, { store, onProgress: (done) => told.push(done) })).toBe(2);
    expect(store.sort(cells).missing).toEqual([]);
    expect(told).toEqual([0, 1, 2]);
    expect(await makeRuns(cells, { store })).toBe(0);
  });

  it('ends when it is asked to', async () => {
    await expect(makeRuns(cells, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
