import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Candidate } from '../studies/calibration/search';
import { type Ended, commandLine } from '../../tests/support/built';

const { at, run } = commandLine();
const calibrate = (...args: string[]): Ended => run(['calibrate', ...args]);
const linesOf = (name: string): string[] => readFileSync(at(name), 'utf8').trim().split('\n');

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
    expect(existsSync(at('nothing.jsonl'))).toBe(false);
  });

  it('refuses the log of something else', () => {
    const { code, err } = calibrate('--candidates', '2', '--slots', '11', '--seed', '3', '--out', 'search.jsonl');
    expect(code).toBe(2);
    expect(err).toMatch(/^search\.jsonl is the log of another search; allowed: the same seed, slots/);
  });
});
