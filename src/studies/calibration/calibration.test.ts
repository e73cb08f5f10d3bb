import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { schedulers } from '../../schedulers/index';
import { parseCalibrated } from '../../system/calibrated';
import { systemConfig } from '../../system/presets';
import { constantNames, pilotConstants, presentConstants, ranges, toCalibrated } from './constants';
import { meanError, score, simulateUnder, targetsOf } from './objective';
import { bestOf, search } from './search';
import { sensitivity } from './sensitivity';
import { simulate } from '../../env/simulate';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-calibrate-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const slots = 12;

describe('calibration', () => {
  it('runs the shipped constants as every other run does', () => {
    const targets = targetsOf();
    const { values } = score(presentConstants(), slots, 3, targets);
    const run = simulate(systemConfig('calibrated', { slots, users: 40 }), schedulers['drift-plus-penalty'], 3);
    expect(values[targets.findIndex(({ name }) => name === 'Table II LYREO meanLatency')]).toBe(run.meanLatency);
    expect(values[targets.findIndex(({ name }) => name === 'Table II LYREO deviation')]).toBe(run.deviation);
  });

  it('is a weighted mean of squared logarithms', () => {
    const [target] = targetsOf();
    const { objective, values, overloaded } = score(presentConstants(), slots, 3, [target]);
    expect(objective).toBeCloseTo(Math.log(values[0] / target.printed) ** 2 + Math.log(2) ** 2 * overloaded.length, 12);
    const bound = { ...target, isBound: true, printed: 1000 };
    expect(score(presentConstants(), slots, 3, [bound]).objective).toBe(Math.log(2) ** 2 * overloaded.length);
  });

  it('counts no number for more than a factor of two, and of a bound only what is above it', () => {
    const [latency, deviation] = targetsOf(); // weights 2 and 1
    const values = [1.1 * latency.printed, 9 * deviation.printed];
    const error = Math.log(1.1) ** 2;
    expect(meanError(values, [latency, deviation])).toBeCloseTo((2 * error + Math.log(2) ** 2) / 3, 12);
    expect(meanError(values, [latency, deviation], Infinity)).toBeCloseTo((2 * error + Math.log(9) ** 2) / 3, 12);
    expect(meanError([0.5 * latency.printed], [{ ...latency, isBound: true }])).toBe(0);
  });

  it('tells what less and more of one constant does', () => {
    const constants = presentConstants();
    const { less, more } = sensitivity('tau1', constants, 3, slots);
    const by = (factor: number): number =>
      score({ ...constants, tau1: factor * constants.tau1 }, slots, 3, targetsOf()).objective;
    expect([less.objective, more.objective]).toEqual([by(0.8), by(1.2)]);
    const { pathLossDb } = systemConfig('calibrated');
    const loss = sensitivity('pathLossDb', constants, 3, slots);
    expect(loss.more).toEqual(score(constants, slots, 3, targetsOf(), { pathLossDb: pathLossDb + 10 }));
  });

  it('simulates under other constants as simulate does under the shipped ones', () => {
    const fields = { users: 20, slots };
    const run = simulateUnder(presentConstants(), schedulers.ll, fields, 3);
    expect(run).toEqual(simulate(systemConfig('calibrated', fields), schedulers.ll, 3));
    const slower = simulateUnder({ ...presentConstants(), tau0Rtx3080: 0.05 }, schedulers.ll, fields, 3);
    expect(slower.meanLatency).toBeGreaterThan(run.meanLatency);
  });

  it('stays within its ranges, and finds nothing worse than what it began with', async () => {
    const found = await search({ candidates: 4, seed: 1, slots });
    expect(found[0].constants).toEqual(pilotConstants);
    for (const { constants } of found.slice(1))
      for (const name of constantNames.filter((each) => each !== 'balanceUnit')) {
        expect(constants[name]).toBeGreaterThanOrEqual(0.999 * ranges[name].least);
        expect(constants[name]).toBeLessThanOrEqual(1.001 * ranges[name].greatest);
      }
    expect(bestOf(found).objective).toBeLessThanOrEqual(found[0].objective);
  });

  it('goes on from its log with the same bytes, and refuses that of another search', async () => {
    const [whole, parts] = [join(folder, 'whole.jsonl'), join(folder, 'parts.jsonl')];
    await search({ candidates: 4, seed: 2, slots, logFile: whole });
    await search({ candidates: 2, seed: 2, slots, logFile: parts });
    await search({ candidates: 4, seed: 2, slots, logFile: parts });
    expect(readFileSync(parts, 'utf8')).toBe(readFileSync(whole, 'utf8'));
    await expect(search({ candidates: 4, seed: 3, slots, logFile: parts })).rejects.toThrow('log of another search');
  });

  it('writes what the library reads', () => {
    const file = join(folder, 'calibrated.json');
    const data = toCalibrated(presentConstants(), 'lyreo calibrate');
    writeFileSync(file, JSON.stringify(data));
    expect(parseCalibrated(readFileSync(file, 'utf8'), file)).toEqual(data);
  });
});
