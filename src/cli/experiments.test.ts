import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredRun } from '../paper/run-store';
import type { Scoreboard } from '../paper/scoreboard';
import { type Ended, commandLine } from '../../tests/support/built';

const { at, run, start } = commandLine();
const environment = (runs: string): NodeJS.ProcessEnv => ({ LYREO_RUNS: at(runs) });
const lyreo = (runs: string, ...args: string[]): Ended => run(args, undefined, environment(runs));
const smoke = (...args: string[]): string[] => ['experiments', '--profile', 'smoke', ...args];
const filesOf = (runs: string): string[] =>
  existsSync(at(runs, 'smoke')) ? readdirSync(at(runs, 'smoke')).sort() : [];
const results = (runs: string): unknown[] =>
  filesOf(runs)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const { key, evaluation, log } = JSON.parse(readFileSync(at(runs, 'smoke', name), 'utf8')) as StoredRun;
      return { key, evaluation, log };
    });

describe('lyreo experiments', () => {
  it('makes what is missing, once, in processes of its own, and a shard makes the same', () => {
    const first = lyreo('a', ...smoke('fig2', '--seeds', '1', '--jobs', '2', '--progress'));
    expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^smoke: 3 of 3 runs stored in .*smoke\n$/)]);
    expect(first.err).toMatch(/ETA/);
    const files = filesOf('a').filter((name) => name !== '.partial');
    expect(files).toHaveLength(3);

    const times = files.map((name) => readFileSync(at('a', 'smoke', name), 'utf8'));
    const again = lyreo('a', ...smoke('fig2', '--seeds', '1'));
    expect(again.code).toBe(0);
    expect(files.map((name) => readFileSync(at('a', 'smoke', name), 'utf8'))).toEqual(times);

    expect(lyreo('b', ...smoke('fig2', '--seeds', '1', '--shard', '2/3')).code).toBe(0);
    expect(results('b')).toHaveLength(1);
    expect(results('a')).toEqual(expect.arrayContaining(results('b')));
  });

  it('lists what is done and what is missing', () => {
    const [one] = filesOf('a').filter((name) => name.startsWith('lyreo-s1'));
    const { code, out } = lyreo('a', ...smoke('--list'));
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`${one.replace('.json', '')} +done +fig2 fig3 table2`));
    expect(out).toMatch(/random-s2-\w+ +missing/);
    expect(out).toMatch(/\n3 of \d+ runs are done; the others take roughly \d+ minutes of one core\n$/);
  });

  it('lets two commands make the same runs at once: both end well, with the same results and whole files', async () => {
    const command = (): Promise<unknown[]> => once(start(smoke('fig2', '--seeds', '1'), environment('c')), 'exit');
    expect(await Promise.all([command(), command()])).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(results('c')).toEqual(results('a'));
    expect(filesOf('c').filter((name) => !/\.json$|^\.partial$/.test(name))).toEqual([]);
  });

  it('says at once where no runs can be stored', () => {
    writeFileSync(at('file'), '');
    const { code, err } = lyreo(join('file', 'below'), ...smoke('fig3', '--seeds', '1'));
    expect([code, err]).toEqual([2, expect.stringMatching(/allowed: a folder/)]);
  });

  it('goes on after a failed run, and exits with 1', () => {
    // A file where the folder of the checkpoints should be: trainings fail, the others do not.
    const key = filesOf('a')
      .find((name) => name.startsWith('lyreo-s1'))
      ?.replace('.json', '');
    mkdirSync(at('d', 'smoke'), { recursive: true });
    writeFileSync(at('d', 'smoke', '.partial'), 'no folder');
    const { code, out, err } = lyreo('d', ...smoke('fig3', '--seeds', '1'));
    expect(code).toBe(1);
    expect(err).toContain(`${key} failed:`);
    expect(out).toMatch(/3 of 6 runs stored .*; 3 failed/);
  });

  it('ends at Ctrl-C with 130, without half files', async () => {
    const child = start(smoke('--jobs', '1', '--progress'), environment('e'));
    const ended = once(child, 'exit');
    while (filesOf('e').filter((name) => name.endsWith('.json')).length < 2)
      await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(filesOf('e').filter((name) => /\.part$/.test(name))).toEqual([]);
    expect(filesOf('e').length).toBeLessThan(60);
  });

  it.each([
    [smoke('fig9'), "'fig9' is invalid for argument 'figures'. Allowed choices are fig2, fig3"],
    [smoke('--shard', '3/2'), '--shard is "3/2"; allowed: i/n'],
    [smoke('--seeds', '1,1'), '--seeds is "1,1"; allowed: different integers'],
    [smoke('--only', 'nothing'), '--only is "nothing"; allowed: the beginning of a run'],
  ])('exits with 2: %j', (args, message) => {
    const { code, out, err } = lyreo('f', ...args);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });
});

describe('lyreo scoreboard', () => {
  it('prints a row per claim and the summary', () => {
    const { code, out } = lyreo('a', 'scoreboard', '--profile', 'smoke');
    expect(code).toBe(0);
    expect(out).toMatch(/cannot be tested +latency of LYREO at U = 60 {2}paper 3.3 s\n.*lyreo experiments fig4/);
    const ofClaims = String.raw`: \d+ of \d+ independent claims hold \(\d+ of them fitted; by chance \d+ of the \d+ decided would\), .*`;
    const wanted = [
      String.raw`\nsmoke:`,
      String.raw`LYREO \(request credit\)${ofClaims}`,
      String.raw`LYREO \(printed\)${ofClaims}`,
      String.raw`all claims: \d+ hold, \d+ do not.*, \d+ cannot be tested; settings: \d+ hold, .*, 0 cannot be tested\n$`,
    ];
    expect(out).toMatch(new RegExp(wanted.join('\n')));
  });

  it('prints JSON', () => {
    const { out } = lyreo('a', 'scoreboard', '--profile', 'smoke', '--json');
    const board = JSON.parse(out) as Scoreboard;
    expect(board.profile).toBe('smoke');
    const { holds, contradicted, notShown, cannotBeTested } = board.claims;
    expect(holds + contradicted + notShown + cannotBeTested).toBe(
      board.rows.filter(({ kind }) => kind !== 'setting').length,
    );
  });
});
