import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { builtCli } from '../../tests/support/built';
import { trainingFiles } from '../lyreo/train';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-kill-'));
/** More with LYREO_KILLS=20. */
const KILLS = Number(process.env['LYREO_KILLS'] ?? 5);
const UPDATES = 8;
const system = ['--users', '5', '--servers', '3', '--slots', '30', '--seed', '3', '--updates', String(UPDATES)];
const small = '--set predictorSteps=8 --set predictorBatch=8 --set updateEpochs=2 --checkpoint-every 2'.split(' ');

let cli = '';
beforeAll(() => {
  cli = process.env['LYREO_CLI'] ?? builtCli();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs a training; kills it after so many milliseconds. */
async function trained(out: string, args: readonly string[], killAfterMs?: number): Promise<number | null> {
  const all = [cli, 'train', ...system, ...small, '--out', out, '--no-progress', ...args];
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'ignore', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs ?? 120_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return code;
}

describe('a training that is killed', () => {
  it(`at ${KILLS} moments ends with the log, the weights and the checkpoint of one left alone`, async () => {
    const alone = join(folder, 'alone');
    const startAt = performance.now();
    expect(await trained(alone, [])).toBe(0);
    const tookMs = performance.now() - startAt;
    const wanted = trainingFiles(alone);
    expect(readFileSync(wanted.log, 'utf8').split('\n')).toHaveLength(UPDATES + 1);

    const rng = createRng(Number(process.env['LYREO_KILL_SEED'] ?? 1)).fork('kills');
    let kills = 0;
    for (let round = 0; kills < KILLS; round++) {
      const out = join(folder, `round ${round}`);
      const { log, policy, checkpoint } = trainingFiles(out);
      // Again and again into the same folder, until it has had the time to end.
      for (let code: number | null = null; code !== 0;) {
        const killAfterMs = kills < KILLS ? (0.2 + 0.8 * rng.uniform()) * tookMs : undefined;
        code = await trained(out, ['--resume'], killAfterMs);
        if (code === null) kills++;
        else expect(code).toBe(0);
        // The files are whole, whenever the process was killed.
        if (existsSync(log))
          for (const line of readFileSync(log, 'utf8').trim().split('\n').filter(Boolean)) JSON.parse(line);
      }
      expect(readFileSync(log, 'utf8')).toBe(readFileSync(wanted.log, 'utf8'));
      expect(readFileSync(policy).equals(readFileSync(wanted.policy))).toBe(true);
      expect(readFileSync(checkpoint).equals(readFileSync(wanted.checkpoint))).toBe(true);
    }
  });
});
