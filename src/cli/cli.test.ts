import { type ChildProcess, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataFile } from '../core/files';
import type { RunMetrics } from '../env/metrics';
import { schedulerNames } from '../schedulers/index';
import type { SystemConfig } from '../system/config';
import type { Scenario } from '../system/scenario';
import { builtCli, commandLine } from '../../tests/support/built';
import { differences } from '../../tests/support/compare';
import type { TraceSummary } from './trace-options';

const { folder, at, run: lyreo, start } = commandLine();
const scenarios = join(__dirname, '..', '..', 'tests', 'scenarios');

/** Writes a file of the test's folder. */
function file(name: string, text: string): string {
  writeFileSync(at(name), text);
  return at(name);
}

interface SimulateResult {
  readonly version: string;
  readonly command: string;
  readonly scheduler: string;
  readonly seed: number;
  readonly preset: string;
  readonly config: SystemConfig;
  readonly servers: readonly string[];
  readonly trace?: TraceSummary;
  readonly metrics: RunMetrics;
}

function simulated(args: readonly string[]): SimulateResult {
  const { code, out, err } = lyreo(['simulate', '--json', ...args]);
  expect(err.replace(/^warning: .*\n/gm, '')).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as SimulateResult;
}

describe('lyreo', () => {
  it.each([
    ['--help', /replay[^]*simulate[^]*schedulers[^]*Exit codes[^]*Examples/],
    ['replay --help', /--out[^]*"slotSeconds"[^]*trajectory[^]*Examples/],
    ['schedulers --help', /list the schedulers/],
    ['schedulers', /ll-in-slot[^]*drift-plus-penalty/],
    ['--version', /^\d+\.\d+\.\d+\n$/],
  ])('%s', (args, text) => {
    const { code, out, err } = lyreo(args.split(' '));
    expect(code).toBe(0);
    expect(out).toMatch(text);
    expect(err).toBe('');
  });

  it('simulate --help names every option and scheduler', () => {
    const { out } = lyreo(['simulate', '--help']);
    const options =
      'scheduler mix users servers slots seed preset config gpus gpu-profiles batching lengths prediction-error trace load from nu oversized json progress no-progress trace-kv';
    for (const option of options.split(' ')) expect(out).toContain(`--${option}`);
    for (const name of schedulerNames) expect(out).toMatch(new RegExp(`^  ${name} `, 'm'));
  });

  it.each([
    ['', /^Usage: lyreo/],
    ['bogus', /unknown command 'bogus'/],
    ['replay none.json', /^none\.json does not exist; allowed: a readable file\n$/],
    ['simulate --scheduler best', /^--scheduler is "best"; allowed: random, ll, ll-in-slot, jsq, .*, wrr\n$/],
    ['simulate --users 0', /^--users is "0"; allowed: an integer from 1 to 1000000\n$/],
    ['simulate --nu NaN', /^--nu is "NaN"; allowed: a finite number >= 0\n$/],
    ['simulate --load thin', /^--load is "thin"; allowed: unscaled, per-user, thin:R or rescale:R/],
    ['simulate --load thin:2', /^--load is given without --trace; allowed: both, or neither\n$/],
    ['simulate --gpus a,', /^--gpus is "a,"; allowed: a list of GPU names, one per server\n$/],
    ['simulate --set areaMeters=0,0', /^--set areaMeters is "0,0"; allowed: two finite numbers > 0, m\n$/],
    [
      'simulate --trace-kv kv.xlsx',
      /^--trace-kv is "kv\.xlsx"; allowed: a file name that ends in \.parquet, \.csv or \.json\n$/,
    ],
    ['simulate --set users', /^--set is "users"; allowed: name=value\n$/],
    ['simulate --set user=5', /^--set is "user"; allowed: one of users, servers, .*; did you mean users\?\n$/],
    [
      'simulate --trace a.csv --lengths paper',
      /^lengths is "paper"; allowed: none beside --trace, which has the lengths\n$/,
    ],
    ['simulate --set predictionSigma=0.3', /^predictionSigma is 0\.3; allowed: none beside predictionError=none\n$/],
    [
      'simulate --set lengthsFile=samples/azure.csv --set meanOutputTokens=9',
      /^meanOutputTokens is 9; allowed: none beside a lengthsFile, /,
    ],
    ['simulate --gpus rtx3090 --mix Het', /^mix is "Het"; allowed: none beside gpus\n$/],
    [
      'simulate --set bandwidthMHz=14,6',
      /^--set bandwidthMHz is "14,6"; allowed: two finite numbers > 0, MHz, lowest <=/,
    ],
    ['simulate --users 5 --set users=6', /^users is given twice; allowed: once, by --set or by its option\n$/],
    ['simulate --trace-kv none/kv.csv', /^none\/kv\.csv lies in a folder that does not exist/],
    [
      'simulate --trace-kv /proc/kv.csv',
      /^\/proc\/kv\.csv (cannot be made in its folder|lies in a folder that does not)/,
    ],
  ])('exits with 2 and a message, no stack: %s', (args, message) => {
    const { code, out, err } = lyreo(args.split(' ').filter((arg) => arg !== ''));
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(message);
    expect(err).not.toMatch(/\n\s+at /);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('lyreo replay', () => {
  it('tells what is expected, of a file and of stdin, on stdout and in a file', () => {
    const path = join(scenarios, 'tiny-deed.json');
    const { code, out, err } = lyreo(['replay', path]);
    expect([code, err]).toEqual([0, '']);
    const expected: unknown = JSON.parse(readFileSync(join(scenarios, 'tiny-deed.expected.json'), 'utf8'));
    expect(differences(JSON.parse(out), expected)).toEqual([]);
    const again = lyreo(['replay', '-', '--out', 'result.json'], `\uFEFF${readFileSync(path, 'utf8')}`);
    expect(again).toEqual({ code: 0, out: '', err: '' });
    expect(readFileSync(at('result.json'), 'utf8')).toBe(out);
  });

  it('does not mind a reader that leaves', async () => {
    const scenario = JSON.parse(readFileSync(join(scenarios, 'tiny-deed.json'), 'utf8')) as Scenario;
    const [one] = scenario.slots.flatMap(({ requests }) => requests);
    // Far more than a pipe holds.
    const requests = Array.from({ length: 3000 }, (_, i) => ({ ...one, id: String(i) }));
    const child = start(['replay', file('long.json', JSON.stringify({ ...scenario, slots: [{ requests }] }))]);
    child.stdout.once('data', () => child.stdout.destroy());
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    expect(await ended(child)).toEqual({ code: 0, signal: null });
    expect(err).toBe('');
  });

  it.skipIf(!existsSync('/dev/full'))('says in one line that the output has no room', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [builtCli(), 'simulate', '--slots', '5'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(full);
    expect(status).toBe(2);
    expect(stderr).toBe('the output cannot be written (ENOSPC); allowed: a place with room\n');
  });
});

function ended(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      resolve({ code, signal });
    });
  });
}

describe('lyreo simulate', () => {
  it('prints a report to read', () => {
    const { code, out, err } = lyreo(['simulate', '--slots', '40', '--users', '20']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^ll-in-slot, seed 1: calibrated, 20 users, 8 servers, 40 slots of 1 s, deed, lengths paper\n/);
    expect(out).toMatch(/requests arrived +800 +in 40 slots/);
    expect(out).toMatch(/latency, 99th percentile +[\d.]+ +s/);
    expect(out).toMatch(/s8-rtx3090 +[\d.]+/);
    expect(out).toMatch(/\n(STABLE|UNKNOWN): /);
  });

  it('prints one JSON object with everything that made it', () => {
    const args = '--slots 30 --seed 7 --scheduler drift-plus-penalty --nu 2 --mix Het';
    const result = simulated(args.split(' '));
    expect(Object.keys(result).join(' ')).toBe('version command scheduler seed preset config servers metrics');
    expect(result.command).toBe(`lyreo simulate --json ${args}`);
    expect(result.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect([result.scheduler, result.seed, result.preset]).toEqual(['drift-plus-penalty', 7, 'calibrated']);
    expect(result.config).toMatchObject({ slots: 30, latencyWeight: 2, mix: 'Het', users: 40 });
    expect(result.servers).toHaveLength(8);
    expect(result.metrics.arrived).toBe(1200);
    expect(result.metrics.arrived).toBe(result.metrics.completed + result.metrics.rejected + result.metrics.inFlight);
  });

  it('is the same twice, and its own configuration gives the same again', () => {
    const args = '--slots 20 --seed 3 --prediction-error 0.4 --state-delay 2 --batching static'.split(' ');
    const first = simulated(args);
    expect(simulated(args)).toEqual(first);
    const again = simulated(['--seed', '3', '--config', file('again.json', JSON.stringify(first.config))]);
    expect(again.metrics).toEqual(first.metrics);
    expect(first.config).toMatchObject({
      predictionError: 'lognormal',
      predictionSigma: 0.4,
      stateDelaySlots: 2,
      batching: 'static',
    });
  });

  it('lets options go before the file, and the file before the preset', () => {
    const config = file('system.json', '\uFEFF{"preset": "literal", "users": 5, "slots": 9, "meanOutputTokens": 50}');
    const result = simulated(['--config', config, '--slots', '4']);
    expect(result.preset).toBe('literal');
    expect(result.config).toMatchObject({ users: 5, slots: 4, meanOutputTokens: 50, kvPoolFraction: 1 });
    expect(simulated(['--config', config, '--preset', 'calibrated']).config.kvPoolFraction).toBeLessThan(1);
    const { code, err } = lyreo(['simulate', '--config', file('wrong.json', '{"user": 5}')]);
    expect(code).toBe(2);
    expect(err).toMatch(/wrong\.json: user is 5; allowed: no unknown keys/);
  });

  describe('with a trace', () => {
    const csv = `arrivalSeconds,inputTokens,outputTokens\n${Array.from({ length: 60 }, (_, i) => `${0.5 * i},${10 + i},${20 + i}`).join('\n')}\n`;

    it.each([
      { load: [], slots: 30, arrived: 60 },
      { load: ['--load', 'rescale:4'], slots: 15, arrived: 60 },
      { load: ['--load', 'unscaled', '--slots', '10'], slots: 10, arrived: 20 },
      { load: ['--load', 'rescale:4', '--from', '20', '--slots', '3'], slots: 3, arrived: 12 },
      { load: ['--load', 'per-user', '--slots', '10', '--users', '3'], slots: 10, arrived: 30 },
    ])('runs it, as long as it is: $load', ({ load, slots, arrived }) => {
      const result = simulated(['--trace', file('trace.csv', csv), ...load]);
      expect(result.config.slots).toBe(slots);
      expect([result.metrics.arrived, result.metrics.completed]).toEqual([arrived, arrived]);
      expect(result.trace).toMatchObject({
        name: 'trace.csv',
        load: load[1] ?? 'unscaled',
        requests: 60,
        recordedPerSlot: 2,
      });
    });

    it('thins it by the seed, in an evaluation by that of each run', () => {
      const thinned = ['--trace', file('trace.csv', csv), '--load', 'thin:1'];
      const etas = [1, 2].map((seed) => {
        const { metrics } = simulated([...thinned, '--scheduler', 'll', '--seed', String(seed)]);
        expect(Math.abs(metrics.arrived - 30)).toBeLessThan(16);
        return metrics.meanEta;
      });
      expect(etas[0]).not.toBe(etas[1]);
      const { out } = lyreo(['evaluate', 'll', '--episodes', '2', '--seed', '1', '--json', ...thinned]);
      const [{ runs }] = (JSON.parse(out) as { contenders: { runs: { meanEta: number }[] }[] }).contenders;
      expect(runs.map(({ meanEta }) => meanEta)).toEqual(etas);
    });

    it('warns of what is not run, of empty slots, of failed and of rejected requests', () => {
      const trace = file('trace.csv', csv);
      expect(lyreo(['simulate', '--trace', trace, '--slots', '10']).err).toBe(
        'warning: trace.csv: the first 10 of its 30 slots are run\n',
      );
      expect(lyreo(['simulate', '--trace', trace, '--slots', '40']).err).toBe(
        'warning: trace.csv: it fills 30 slots, the other 10 are empty\n',
      );
      const azure = file(
        'azure.csv',
        'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:47.0,374,44\n2023-11-16 18:15:46.0,100000,44\n2023-11-16 18:15:48.0,10,0\n',
      );
      const { err, code } = lyreo(['simulate', '--trace', azure]);
      expect(code).toBe(0);
      expect(err).toMatch(/azure\.csv: 1 rows skipped, failed: GeneratedTokens is 0/);
      expect(err).toMatch(/azure\.csv: 1 rows were out of order/);
      expect(err).toMatch(/1 of 2 requests \(50 %\) are larger than the KV pools and were rejected/);
      const strict = lyreo(['simulate', '--trace', azure, '--oversized', 'error']);
      expect(strict.code).toBe(2);
      expect(strict.err).toMatch(/request 0: inputTokens \+ outputTokens is 100044; allowed: at most \d+/);
      expect(strict.out).toBe('');
    });

    it('counts the rows that are left out, of a trace and of a file of lengths', () => {
      const burst = dataFile('samples/burstgpt.csv');
      const { trace } = simulated(['--trace', burst, '--slots', '2']);
      expect(trace).toMatchObject({ requests: 57, skipped: [{ count: 3, reason: 'failed: Response tokens is 0' }] });
      const config = file('lengths.json', '{"lengthsFile": "samples/burstgpt.csv", "slots": 2}');
      for (const command of ['simulate', 'evaluate ll --episodes 2'])
        expect(lyreo([...command.split(' '), '--config', config])).toMatchObject({
          out: expect.stringMatching(
            /^40 users, 8 servers|^ll-in-slot, .*, lengths samples\/burstgpt\.csv\n/,
          ) as string,
          err: 'warning: burstgpt.csv: 3 rows skipped, failed: Response tokens is 0\n',
        });
    });

    it('names what is wrong with it', () => {
      const broken = file('broken.csv', 'arrivalSeconds,inputTokens,outputTokens\r\n0,5,5\r\n1,-5,5\r\n');
      expect(lyreo(['simulate', '--trace', broken])).toEqual({
        code: 2,
        out: '',
        err: `${broken}: line 3, inputTokens is "-5"; allowed: an integer from 1 to 2147483647\n`,
      });
      const { err } = lyreo(['simulate', '--trace', file('trace.csv', csv), '--load', 'thin:5']);
      expect(err).toMatch(
        /requestsPerSlot of thin is 5; allowed: at most the recorded load \(2 per slot over the 30 slots that are run\)/,
      );
    });
  });

  it('warns when the servers are overloaded', () => {
    const { code, out, err } = lyreo(['simulate', '--users', '200', '--slots', '60']);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^warning: OVERLOADED: servers 1.* of 8: requests on server 1 went from .*latencies grow with the number of slots/,
    );
    expect(out).toMatch(/\nOVERLOADED: /);
  });

  it('shows progress on stderr only when it is a terminal or wanted', () => {
    const wanted = lyreo(['simulate', '--slots', '60', '--progress', '--json']);
    expect(wanted.err).toMatch(/100 % {2}60\/60 slots {2}\d+ slots\/s {2}ETA 0:00\n$/);
    JSON.parse(wanted.out);
    expect(lyreo(['simulate', '--slots', '60', '--no-progress']).err).toBe('');
  });

  describe('--trace-kv', () => {
    const columns = ['slot', 'k', 'server', 'startsAt', 'seconds', 'kvBytes', 'active'] as const;
    type Row = Readonly<Record<(typeof columns)[number], number>>;
    const record = (name: string): RunMetrics => {
      const { metrics } = simulated(['--slots', '150', '--trace-kv', name]);
      expect(readdirSync(folder).filter((entry) => entry.endsWith('.part'))).toEqual([]);
      return metrics;
    };
    let rows: Row[] = [];

    it('writes every iteration as JSON', () => {
      const metrics = record('kv.json');
      rows = JSON.parse(readFileSync(at('kv.json'), 'utf8')) as Row[];
      // More than are kept in memory at a time.
      expect(rows.length).toBeGreaterThan(65_536);
      expect(Object.keys(rows[0])).toEqual([...columns]);
      const within = rows.filter((row) => row.slot < 150);
      const iterations = Array.from({ length: 8 }, (_, s) => within.filter((row) => row.server === s).length);
      expect(iterations).toEqual(metrics.perServer.map((server) => server.iterations));
      const isSound = ({ k, active, kvBytes, startsAt, slot }: Row): boolean =>
        k >= 1 && active >= 1 && kvBytes > 0 && Math.floor(startsAt) === slot;
      expect(rows.find((row) => !isSound(row))).toBeUndefined();
    });

    it('writes the same as CSV and as Parquet', async () => {
      record('kv.csv');
      const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => row[column]).join(','))];
      expect(readFileSync(at('kv.csv'), 'utf8')).toBe(`${lines.join('\n')}\n`);
      record('kv.parquet');
      const { asyncBufferFromFile, parquetReadObjects } = await import('hyparquet');
      const read = await parquetReadObjects({ file: await asyncBufferFromFile(at('kv.parquet')) });
      expect(JSON.stringify(read)).toBe(JSON.stringify(rows));
    });

    it.each(['csv', 'json', 'parquet'])('tells in one line that a disk has no room for the %s', (ending) => {
      const name = `large.${ending}`;
      // The shell's limit of 50 KB stands in for a small disk; a link to /dev/full for one without any room.
      const args = `'${process.execPath}' '${builtCli()}' simulate --slots 60 --no-progress --trace-kv ${name}`;
      const limited = spawnSync('sh', ['-c', `ulimit -f 100; exec ${args}`], { cwd: folder, encoding: 'utf8' });
      const allowed = 'allowed: a file that can be written\n';
      expect([limited.status, limited.stdout, limited.stderr]).toEqual([
        2,
        '',
        `${name} is larger than a file may be here; ${allowed}`,
      ]);
      expect(readdirSync(folder).filter((entry) => entry.startsWith('large.'))).toEqual([]);
      if (!existsSync('/dev/full')) return;
      symlinkSync('/dev/full', at(`full.${ending}`));
      const full = lyreo(['simulate', '--slots', '5', '--no-progress', '--trace-kv', `full.${ending}`]);
      expect([full.code, full.err]).toEqual([2, `full.${ending} does not fit on the disk; ${allowed}`]);
    });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('on %s exits with %d and leaves nothing half-written', async (signal, code) => {
    const before = readdirSync(folder);
    const args = ['simulate', '--slots', '100000000', '--progress', '--trace-kv', 'never.csv'];
    const child = start(args);
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.once('data', () => child.kill(signal));
    expect(await ended(child)).toEqual({ code, signal: null });
    expect(out).toBe('');
    expect(readdirSync(folder)).toEqual(before);
  });
});
