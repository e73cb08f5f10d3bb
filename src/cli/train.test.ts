import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readArrayFile, writeArrayFile } from '../lyreo/array-file';
import type { SystemConfig } from '../system/config';
import { type Ended, commandLine } from '../../tests/support/built';

const { at, run, start } = commandLine();
const lyreo = (...args: string[]): Ended => run(args);
const logOf = (name: string): string => readFileSync(at(name, 'log.jsonl'), 'utf8');

const system = ['--users', '5', '--servers', '3', '--slots', '30'];
const quick = ['--set', 'predictorSteps=4', '--set', 'updateEpochs=2', '--set', 'hidden=16,16,8'];

describe('lyreo train and evaluate', () => {
  it('trains, resumes from the folder alone, and evaluates beside schedulers', () => {
    const first = lyreo('train', ...system, ...quick, '--updates', '2', '--json', '--out', 'run');
    expect(first.code).toBe(0);
    expect(first.out).toBe(logOf('run'));
    expect(first.err).toMatch(
      /^update 1\/2 {2}latency \d.* s {2}deviation .* {2}queue .* {2}quality .* slots\/s {2}ETA \d:\d\d\nupdate 2\/2/,
    );

    const second = lyreo('train', '--out', 'run', '--resume', '--updates', '3');
    expect(second.code).toBe(0);
    expect(second.err).toMatch(/^resumed after update 2\nupdate 3\/3/);
    expect(second.out).toMatch(/^after 3 updates, mean of the last 3: latency .* s, P99 .* s, deviation/);
    const whole = lyreo('train', ...system, ...quick, '--updates', '3', '--json', '--no-progress');
    expect(whole).toEqual({ code: 0, out: logOf('run'), err: '' });

    const text = lyreo('evaluate', 'run/policy.lyreo', 'random', 'static', '--episodes', '3');
    expect(text.code).toBe(0);
    expect(text.out).toMatch(/^5 users, 3 servers, Mod, 30 slots, deed, seeds 1 to 3; mean ± 95 % interval\n/);
    expect(text.out).toMatch(
      /run\/policy\.lyreo +\d\S* ± \d[^]*random[^]*static[^]*Difference to run\/policy\.lyreo, seed by seed:[^]*random +[+-]\d/,
    );
    const json = lyreo('evaluate', 'run/policy.lyreo', 'random', '--episodes', '2', '--json');
    const result = JSON.parse(json.out) as {
      seeds: number[];
      contenders: { name: string; runs: { arrived: number }[]; differences: unknown }[];
    };
    expect(result.seeds).toEqual([1, 2]);
    expect(result.contenders.map(({ name, runs }) => [name, runs.map((run) => run.arrived)])).toEqual([
      ['run/policy.lyreo', [150, 150]],
      ['random', [150, 150]],
    ]);
    expect(lyreo('evaluate', 'run/policy.lyreo', 'random', '--episodes', '2', '--json')).toEqual(json);
    const changed = lyreo('evaluate', 'run/policy.lyreo', '--slots', '20', '--preset', 'literal', '--json');
    const { config } = JSON.parse(changed.out) as { config: SystemConfig };
    expect(config).toMatchObject({ users: 5, servers: 3, slots: 20, kvPoolFraction: 1 });
  });

  it.each([
    ['train --set gamma=2', /^training: gamma is 2; allowed: a number in \[0, 1\)\n$/],
    ['train --set gama=0.9', /^--set is "gama"; allowed: one of users, .* gamma, .*; did you mean gamma\?\n$/],
    ['train --set user=10', /^--set is "user"; allowed: one of users, .*; did you mean users\?\n$/],
    ['train --set gamma=0.9 --set gamma=0.8', /^gamma is given twice by --set; allowed: once\n$/],
    [
      'train --method ppo --set startQueue=5',
      /^--set startQueue is "5"; allowed: none .*; lyreo, ly-ppo, .* use it\n$/,
    ],
    [
      'train --method ly-ppo --set predictorSteps=5',
      /^--set predictorSteps is "5"; allowed: none .*; lyreo, .* use it\n$/,
    ],
    ['train --set gamma', /^--set is "gamma"; allowed: name=value\n$/],
    ['train --set ratio=both', /ratio is "both"; allowed: "per request" or "per slot"/],
    [
      'train --set learningRate=1e30 --slots 5 --updates 2',
      /is not finite; .*; allowed: .* a learningRate below 1e\+30/,
    ],
    ['train --set hidden=64,x', /hidden is \[64,"x"\]; allowed: one to eight integers/],
    ['train --method random', /--method is "random"; allowed: lyreo, ly-ppo/],
    ['train --resume', /--resume is given without --out; allowed: both, or neither/],
    ['train --trace a.csv', /unknown option '--trace'/],
    ['train --updates 0', /--updates is "0"; allowed: an integer from 1/],
    ['evaluate nobody', /contender is "nobody"; allowed: a policy file, random, ll, /],
    ['evaluate', /missing required argument/],
    ['evaluate ll runs/none.lyreo', /^policy file runs\/none\.lyreo does not exist; allowed: .*\n$/],
    ['evaluate ll --draws independent', /^--draws is given without a policy; allowed: with policy files\n$/],
    ['evaluate ll random ll', /^contender ll is given twice; allowed: each contender once\n$/],
  ])('%s: a fault of the input', (args, text) => {
    const { code, out, err } = lyreo(...args.split(' '));
    expect(err).toMatch(text);
    expect([code, out]).toEqual([2, '']);
  });

  it('evaluates with a warning about rejected requests, overload and no latency, and "-" for what there is not', () => {
    const overloaded = lyreo('evaluate', 'll', 'random', '--users', '40', '--servers', '2', '--episodes', '2');
    expect(overloaded.err).toMatch(
      /^warning: ll: OVERLOADED in 2 of 2 runs: servers 1, 2 of 2: requests on server 1 went .*\nwarning: random: OVERLOADED in 2 of 2 runs: .*\n$/,
    );
    writeFileSync(at('small.json'), '{"kvPoolFraction": 1e-7, "users": 5, "servers": 3, "slots": 4}');
    const args = ['evaluate', 'll', '--config', 'small.json', '--episodes', '2'];
    const { code, out, err } = lyreo(...args);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^warning: ll: 40 of 40 requests \(100 %\) are larger .*\nwarning: ll: no request was completed in 2 of 2 runs/,
    );
    expect(out).toMatch(/\n +ll +- /);
    expect(out).not.toContain('NaN');
    expect(lyreo(...args, '--json').out).toContain('"meanLatency":null');
  });

  it('does not train into a folder that has a training, nor evaluate on other servers', () => {
    expect(lyreo('train', ...system, ...quick, '--updates', '1', '--out', 'taken').code).toBe(0);
    expect(lyreo('train', '--out', 'taken')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/taken has a training; allowed: .*--resume/) as string,
    });
    expect(lyreo('train', '--out', 'taken', '--resume', '--seed', '2').err).toMatch(
      /allowed: .*, as in taken\/checkpoint/,
    );
    expect(lyreo('evaluate', 'taken/policy.lyreo', '--servers', '4').err).toMatch(
      /trained for 3 servers, .*; this system has 4 servers/,
    );
  });

  it('resumes to the updates that were asked for, and compares only the options that are given', () => {
    const updatesOf = (): number => logOf('goal').split('\n').length - 1;
    const resume = (...args: string[]): Ended => lyreo('train', '--out', 'goal', '--resume', ...args);
    expect(lyreo('train', ...system, ...quick, '--seed', '7', '--updates', '1', '--out', 'goal').code).toBe(0);
    expect(resume()).toMatchObject({ code: 0, err: 'nothing to do: 1 updates are done, 1 were asked for\n' });

    // The goal as an interrupted training leaves it.
    const path = at('goal', 'checkpoint.lyreo');
    writeArrayFile(path, { ...readArrayFile(path), target: 3 });
    const third = resume('--users', '5', '--set', 'updateEpochs=2');
    expect(third.err).toMatch(/^resumed after update 1\nupdate 2\/3.*\nupdate 3\/3/);
    expect([third.code, updatesOf()]).toEqual([0, 3]);
    expect(resume('--updates', '4').err).toMatch(/^resumed after update 3\nupdate 4\/4/);
    expect(resume().err).toBe('nothing to do: 4 updates are done, 4 were asked for\n');
    expect(resume('--updates', '2').err).toBe('nothing to do: 4 updates are done, 2 were asked for\n');

    for (const [args, complaint] of [
      ['--users 6', /^users is 6; allowed: 5, as in goal\/checkpoint/],
      ['--preset literal', /^--preset is "literal"; allowed: calibrated, as in goal\/checkpoint/],
      ['--preset pilot', /^--preset is "pilot"; allowed: calibrated, as in goal\/checkpoint/],
      ['--set updateEpochs=3', /^updateEpochs is 3; allowed: 2/],
      ['--seed 1', /^seed is 1; allowed: 7/],
      ['--method ly-ppo', /^--method is "ly-ppo"; allowed: lyreo, as in goal\/checkpoint/],
      ['--credit own', /^method's credit is "own"; allowed: "request", as in goal\/checkpoint/],
    ] as const)
      expect(resume(...args.split(' '))).toMatchObject({ code: 2, err: expect.stringMatching(complaint) as string });
  });

  it.each([
    ['SIGINT', 1, 130],
    ['SIGTERM', 1, 143],
    ['SIGINT', 2, 130],
  ] as const)('%s × %d: resumes to the same log, as it says', async (signal, times, exitCode) => {
    const out = `${signal}-${times}`;
    const args = ['train', ...system, ...quick, '--checkpoint-every', '1000'];
    const child = start([...args, '--updates', '500', '--out', out]);
    let err = '';
    // A second signal would end it at once.
    let isAsked = false;
    const code = await new Promise<number | null>((resolve) => {
      child.stderr.on('data', (data: Buffer) => {
        err += String(data);
        if (!err.includes('update   2/500') || isAsked) return;
        isAsked = true;
        for (let k = 0; k < times; k++) child.kill(signal);
      });
      child.on('close', resolve);
    });
    expect(code).toBe(exitCode);
    expect(err).toContain(`\nthe training ends after this update; --out ${out} --resume continues it\n`);
    const done = Number(/stopped after update (\d+) of 500\n/.exec(err)?.[1] ?? 0);
    if (times === 1) expect(done).toBeGreaterThanOrEqual(2);
    const updates = String(done + 1);
    expect(lyreo('train', '--out', out, '--resume', '--updates', updates).code).toBe(0);
    expect(lyreo(...args, '--updates', updates, '--json', '--no-progress').out).toBe(logOf(out));
  });
});
