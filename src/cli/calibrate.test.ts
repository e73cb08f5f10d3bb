import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UnitTraining } from '../studies/calibration/balance-unit';
import type { Candidate } from '../studies/calibration/search';
import { builtCli } from '../../tests/support/built';

let cli = '';
const root = mkdtempSync(join(tmpdir(), 'lyreo-calibrate-cli-'));
beforeAll(() => {
  cli = process.env['LYREO_CLI'] ?? builtCli();
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

function calibrate(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'calibrate', ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

const linesOf = (name: string): string[] => readFileSync(join(root, name), 'utf8').trim().split('\n');

describe('lyreo calibrate', () => {
  it('searches, tells the best beside printed and pilot, and goes on from its log', () => {
    const args = ['--slots', '10', '--seed', '3', '--out', 'search.jsonl'];
    const { code, out } = calibrate('--candidates', '2', ...args);
    expect(code).toBe(0);
    expect(out).toMatch(/^ *target +printed +pilot +best\n *Table II LYREO meanLatency +2\.63 /);
    expect(out).toMatch(/\n2 candidates in search\.jsonl\n$/);
    const [header, ...lines] = linesOf('search.jsonl');
    expect(JSON.parse(header)).toMatchObject({ seed: 3, slots: 10 });

    const more = calibrate('--candidates', '3', '--json', ...args);
    const { best, pilot } = JSON.parse(more.out) as { best: Candidate; pilot: Candidate };
    expect(best.objective).toBeLessThanOrEqual(pilot.objective);
    expect(linesOf('search.jsonl').slice(0, 3)).toEqual([header, ...lines]);
    expect(linesOf('search.jsonl')).toHaveLength(4);
  });

  it('trains under units of Y and Z, once each', () => {
    const args = ['--balance-units', '0.2', '--updates', '1', '--seed', '3', '--out', 'units.jsonl'];
    const first = calibrate(...args);
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toMatch(/^ *balanceUnit +method +mean Z +latency, s +deviation +error\n *0\.2 +lyreo /);
    expect(first.out).toMatch(/\nnearest to Table II: 0\.2; 2 trainings in units\.jsonl\n$/);
    const lines = linesOf('units.jsonl');
    expect(lines).toHaveLength(3);

    const again = calibrate(...args, '--json');
    const { trainings, best } = JSON.parse(again.out) as { trainings: UnitTraining[]; best: number };
    expect(trainings).toEqual(lines.slice(1).map((line) => JSON.parse(line) as UnitTraining));
    expect(best).toBe(0.2);
    expect(linesOf('units.jsonl')).toEqual(lines);
  });

  it.each([
    [['--balance-units', '0.1,0'], /^--balance-units is "0"; allowed: finite numbers > 0 between commas\n$/],
    [['--balance-units', '0.1,a'], /^--balance-units is "a"; allowed: finite numbers > 0 between commas\n$/],
    [['--balance-units', '0.1', '--updates', '0'], /^--updates is "0"; allowed: an integer from 1 to 10000\n$/],
    [['--free', 'kappa'], /^--free is "kappa"; allowed: kvPoolFraction, /],
    [['--candidates', '0'], /^--candidates is "0"; allowed: an integer from 1 to 1000000\n$/],
  ])('exits with 2 and a message, and writes nothing: %j', (args, message) => {
    const { code, out, err } = calibrate(...args, '--out', 'none.jsonl');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(existsSync(join(root, 'none.jsonl'))).toBe(false);
  });

  it('refuses the log of something else', () => {
    const { code, err } = calibrate('--candidates', '2', '--slots', '11', '--seed', '3', '--out', 'search.jsonl');
    expect(code).toBe(2);
    expect(err).toMatch(/^search\.jsonl is the log of another search; allowed: the same seed, slots/);
    const units = calibrate('--balance-units', '0.2', '--updates', '2', '--seed', '3', '--out', 'units.jsonl');
    expect(units.code).toBe(2);
    expect(units.err).toMatch(/^units\.jsonl is the log of other trainings; allowed: the same seed, updates/);
  });
});
