import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  it('searches, shows the best beside printed numbers and the first, and continues from its log', () => {
    const args = ['--slots', '10', '--seed', '3', '--out', 'search.jsonl'];
    const { code, out } = calibrate('--candidates', '2', ...args);
    expect(code).toBe(0);
    expect(out).toMatch(/^ *target +printed +first +best\n *Fig. 2 LYREO latency +2\.4 /);
    expect(out).toMatch(/\nU = \d0 in Fig. 2, \d0 in Table II; 2 candidates in search\.jsonl\n$/);
    const [header, ...lines] = linesOf('search.jsonl');
    expect(JSON.parse(header)).toMatchObject({ seed: 3, slots: 10 });

    const more = calibrate('--candidates', '3', '--json', ...args);
    const { best, first } = JSON.parse(more.out) as { best: Candidate; first: Candidate };
    expect(best.objective).toBeLessThanOrEqual(first.objective);
    expect(linesOf('search.jsonl').slice(0, 3)).toEqual([header, ...lines]);
    expect(linesOf('search.jsonl')).toHaveLength(4);
  });

  it.each([
    [['--free', 'kappa'], /^--free is "kappa"; allowed: kvPoolFraction, /],
    [['--candidates', '0'], /^--candidates is "0"; allowed: an integer from 1 to 1000000\n$/],
    [['--finals', 'none.jsonl'], /none\.jsonl/],
  ])('exits with 2 and a message, and writes nothing: %j', (args, message) => {
    const { code, out, err } = calibrate(...args, '--out', 'nothing.jsonl');
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(existsSync(join(root, 'nothing.jsonl'))).toBe(false);
  });

  it('refuses the log of something else', () => {
    const { code, err } = calibrate('--candidates', '2', '--slots', '11', '--seed', '3', '--out', 'search.jsonl');
    expect(code).toBe(2);
    expect(err).toMatch(/^search\.jsonl is the log of another search; allowed: the same seed, slots/);
  });
});
