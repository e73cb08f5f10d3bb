import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { dataFile } from '../core/files';
import { configuredWorkload } from './configured-workload';
import { lengthPairs } from './length-pairs';
import { systemConfig } from './presets';
import { slotRequests } from './workload';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-lengths-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function fileOf(name: string, ...rows: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `arrivalSeconds,inputTokens,outputTokens\n${rows.join('\n')}\n`);
  return path;
}

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
