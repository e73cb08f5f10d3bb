import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UserError } from '../core/errors';
import { dataFile, readTextFile } from '../core/files';
import { systemConfig } from './presets';
import { lengthPairs, parseTrace, readTrace } from './trace';
import { configuredWorkload, slotRequests } from './workload';

const own = 'arrivalSeconds,inputTokens,outputTokens';
const azure = 'TIMESTAMP,ContextTokens,GeneratedTokens';
const burst = 'Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type';
const oldBurst = 'Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-trace-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('parseTrace', () => {
  it.each<[string, string, number[], number[], number[], number?]>([
    [
      'our own columns, in any order, with BOM and CRLF; the first arrival becomes 0',
      '\uFEFFinputTokens,arrivalSeconds,outputTokens\r\n70,2.5,215\r\n\r\n71,4,1\r\n',
      [0, 1.5],
      [70, 71],
      [215, 1],
    ],
    [
      'the 100 ns of Azure 2023, over midnight, without a last newline',
      `${azure}\n2023-11-16 23:59:59.9999999,374,44\n2023-11-17 00:00:00.0000001,396,109`,
      [0, 2e-7],
      [374, 396],
      [44, 109],
    ],
    [
      'the zones of Azure 2024, and time stamps without a fraction',
      `${azure}\n2024-05-10 00:00:00+00:00,1,2\n2024-05-10 02:00:00.5+02:00,3,4\n2024-05-09T20:30:01-0330,5,6\n`,
      [0, 0.5, 1],
      [1, 3, 5],
      [2, 4, 6],
    ],
    [
      'fractions of epoch seconds',
      `${own}\n1715299200.1,1,1\n1715299200.2,1,1\n1715299200.4000001,1,1\n1.7152992e9,1,1`,
      [0, 0.1, 0.2, 0.4000001],
      [1, 1, 1, 1],
      [1, 1, 1, 1],
      1,
    ],
    [
      'rows out of order, which it sorts, ties as they stood',
      `${own}\n3,30,1\n1,10,1\n3,31,1\n2,20,1\n`,
      [0, 1, 2, 2],
      [10, 20, 30, 31],
      [1, 1, 1, 1],
      2,
    ],
  ])('reads %s', (_what, text, arrivals, inputs, outputs, outOfOrder = 0) => {
    const { arrivalSeconds, inputTokens, outputTokens, ...rest } = parseTrace(text, 'runs/mine.csv');
    expect([arrivalSeconds, inputTokens, outputTokens].map((c) => [...c])).toEqual([arrivals, inputs, outputs]);
    expect(rest).toEqual({ name: 'mine.csv', skipped: [], outOfOrder });
  });

  it('skips and counts the failed requests of BurstGPT, new and old', () => {
    const text = `${burst}\n5.0,s1,2,GPT-4,100,50,150,API log\n6,s1,0,GPT-4,90,0,90,API log\n8,s2,1,ChatGPT,0,7,7,API log\n9,s2,1,ChatGPT,5,6,11,API log\n`;
    const trace = parseTrace(text, 'b.csv');
    expect([...trace.arrivalSeconds]).toEqual([0, 4]);
    expect([...trace.inputTokens]).toEqual([100, 5]);
    expect(trace.skipped).toEqual([
      { reason: 'failed: Response tokens is 0', count: 1 },
      { reason: 'empty: Request tokens is 0', count: 1 },
    ]);
    expect(parseTrace(`${oldBurst}\n5,ChatGPT,472,18,490,Conversation log`, 'b.csv').inputTokens[0]).toBe(472);
  });

  it.each([
    ['an empty file', '', 't.csv is empty; allowed: a header and at least one row'],
    ['a header alone', `${azure}\n`, 't.csv has a header but no request; allowed: at least one'],
    [
      'failed requests alone',
      `${oldBurst}\n5,ChatGPT,4,0,4,x\n`,
      't.csv has a header but no request (1 skipped, failed: Response tokens is 0); allowed: at least one',
    ],
    [
      'an unknown header',
      'time,in,out\n1,2,3',
      `t.csv: line 1, the header is "time,in,out"; allowed: ${own} (own); ${azure} (Azure LLM inference)`,
    ],
    ['an unknown column', `${own},model\n1,2,3,x`, `t.csv: line 1, the header, column is "model"; allowed: ${own}`],
    [
      'a time that is no number',
      `${own}\nsoon,2,3`,
      't.csv: line 2, arrivalSeconds is "soon"; allowed: a number of seconds from 0 to 1000000000000',
    ],
    ['an empty cell', `${own}\n1,,3`, 't.csv: line 2, inputTokens is ""; allowed: an integer from 1 to 2147483647'],
    [
      '0 tokens of our own',
      `${own}\n1,2,0`,
      't.csv: line 2, outputTokens is "0"; allowed: an integer from 1 to 2147483647',
    ],
    [
      'a day that is none',
      `${azure}\n2023-02-30 00:00:00,1,1`,
      't.csv: line 2, TIMESTAMP is "2023-02-30 00:00:00"; allowed: a date and time such as 2023-11-16 18:15:46.6805900, with or without an offset from -14:00 to +14:00',
    ],
    [
      'an offset that is none',
      `${azure}\n2024-05-10 00:00:00+99:99,50,100\n2024-05-10 00:00:00,50,100`,
      't.csv: line 2, TIMESTAMP is "2024-05-10 00:00:00+99:99"; allowed: a date and time such as 2023-11-16 18:15:46.6805900, with or without an offset from -14:00 to +14:00',
    ],
    [
      'times with and without an offset',
      `${azure}\n2024-05-10 00:00:00+02:00,50,100\n\n2024-05-10 00:00:00,50,100`,
      't.csv: line 4, TIMESTAMP is "2024-05-10 00:00:00"; allowed: a date and time with an offset, as in line 2',
    ],
    [
      'epoch seconds after relative ones',
      `${own}\n0,50,100\n1715299200,50,100`,
      't.csv: line 3, arrivalSeconds is "1715299200"; allowed: a time within 1000000000 s of that in line 2: all times count from one point',
    ],
    [
      'a fault behind a field over two lines',
      'Timestamp,Request tokens,Response tokens,prompt\n0,50,100,"a\nb"\n1,bad,100,x',
      't.csv: line 4, Request tokens is "bad"',
    ],
    ['seconds in an Azure trace', `${azure}\n12.5,1,1`, 't.csv: line 2, TIMESTAMP is "12.5"'],
  ])('refuses %s by name', (_what, text, message) => {
    const read = (): unknown => parseTrace(text, 't.csv');
    expect(read).toThrow(UserError);
    expect(read).toThrow(message);
  });
});

describe('the samples', () => {
  it.each([
    ['own.csv', 60, 0],
    ['azure.csv', 60, 0],
    ['burstgpt.csv', 57, 3],
  ])('%s has %d requests and %d failures', (name, requests, failures) => {
    const file = dataFile(join('samples', name));
    const trace = parseTrace(readTextFile(file), file);
    expect(trace.arrivalSeconds).toHaveLength(requests);
    expect(trace.skipped.reduce((n, s) => n + s.count, 0)).toBe(failures);
    expect(readTrace(file)).toEqual(trace);
  });
});

describe('readTrace', () => {
  it('reads across the borders of the stream as in one piece', () => {
    // Over 1 MiB, so that rows, and CR from LF, are cut apart.
    const rows = Array.from(
      { length: 90_000 },
      (_, i) => `${String(i / 8)},${String(1 + (i % 977))},${String(1 + (i % 31))}`,
    );
    const text = [`\uFEFF${own}`, ...rows].join('\r\n');
    expect(text.length).toBeGreaterThan(1 << 20);
    expect(readTrace(write('long.csv', text))).toEqual(parseTrace(text, 'long.csv'));
  });

  it('names the line of a fault far into the file', () => {
    const rows = Array.from({ length: 100_000 }, (_, i) => `${String(i)},5,5`);
    rows[90_000] = '90000,five,5';
    expect(() => readTrace(write('bad.csv', [own, ...rows].join('\n')))).toThrow(
      /bad\.csv: line 90002, inputTokens is "five"/,
    );
  });

  it('refuses a file that is empty, absent or a folder', () => {
    expect(() => readTrace(write('empty.csv', ''))).toThrow(/empty\.csv is empty/);
    expect(() => readTrace(join(folder, 'none.csv'))).toThrow(/none\.csv does not exist; allowed: a readable file/);
    expect(() => readTrace(folder)).toThrow(/is a folder/);
  });
});

const fileOf = (name: string, ...rows: string[]): string => write(name, [own, ...rows].join('\n'));

describe('a file of lengths', () => {
  it.each(['samples/own.csv', 'samples/azure.csv', 'samples/burstgpt.csv'])('of the package: %s', (name) => {
    const pairs = lengthPairs(name);
    expect(pairs).toEqual(lengthPairs(dataFile(name)));
    expect(pairs.inputTokens.length).toBeGreaterThan(50);
  });

  it('is read once, and again when it has changed', () => {
    const path = fileOf('changing.csv', '0,10,20');
    const before = lengthPairs(path);
    expect(lengthPairs(path)).toBe(before);
    fileOf('changing.csv', '0,11,20');
    utimesSync(path, 1000, 1000);
    expect([...lengthPairs(path).inputTokens]).toEqual([11]);
  });

  it('brings its means along, unless they are given', () => {
    const lengthsFile = fileOf('two.csv', '0,10,100', '1,20,201');
    expect(systemConfig('calibrated', { lengthsFile })).toMatchObject({ meanInputTokens: 15, meanOutputTokens: 150.5 });
    expect(systemConfig('calibrated', { lengthsFile, meanInputTokens: 9 })).toMatchObject({ meanInputTokens: 9 });
  });

  it('gives every user a pair of it in every slot, with a prediction error if one is asked for', () => {
    const lengthsFile = fileOf('pairs.csv', '0,10,100', '0,20,200', '3,30,300');
    const pairsOf = (predictionError: 'none' | 'lognormal', seed: number): number[][] => {
      const config = systemConfig('calibrated', { lengthsFile, users: 50, predictionError });
      const workload = configuredWorkload(config, seed);
      const out = slotRequests(workload.maxRequestsPerSlot);
      workload.fill(7, out);
      expect(out.count).toBe(50);
      return [[...out.inputTokens], [...out.outputTokens], [...out.predictedTokens]];
    };
    const [input, output, predicted] = pairsOf('none', 1);
    expect(new Set(input)).toEqual(new Set([10, 20, 30]));
    expect(output).toEqual(input.map((tokens) => 10 * tokens));
    expect(predicted).toEqual(output);
    expect(pairsOf('none', 1)[0]).toEqual(input);
    expect(pairsOf('none', 2)[0]).not.toEqual(input);
    const erring = pairsOf('lognormal', 1);
    expect(erring.slice(0, 2)).toEqual([input, output]);
    expect(erring[2]).not.toEqual(output);
  });
});
