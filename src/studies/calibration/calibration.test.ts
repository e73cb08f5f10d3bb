import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { schedulers } from '../../schedulers/index';
import { systemConfig } from '../../system/presets';
import { simulate } from '../../env/simulate';
import { constantNames, pilotConstants, ranges, toCalibrated, units } from './constants';
import { bestReading, score, sensitivity, targetsOf } from './objective';
import { bestOf, calibration, judged, search, storedFinals } from './search';
import { type TrialRun, loadReadings, simulateUnder, trialRuns } from './trial';

const folder = mkdtempSync(join(tmpdir(), 'lyreo-calibrate-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const slots = 10;
const reading = { fig2: 30, table2: 50 };
const { constants } = calibration(storedFinals());
const present = trialRuns(constants, slots, 3);

/** The runs with one number of one run changed. */
function withChange(standIn: TrialRun['standIn'], users: number, change: Partial<TrialRun>): TrialRun[] {
  return present.map((run) => (run.standIn === standIn && run.users === users ? { ...run, ...change } : run));
}

describe('the runs of a trial', () => {
  it('are those of simulate under the shipped constants', () => {
    const run = simulate(systemConfig('calibrated', { slots, users: 40 }), schedulers['drift-plus-penalty'], 3);
    const ours = present.find(({ standIn, users }) => standIn === 'LYREO' && users === 40);
    expect(ours).toMatchObject({ latency: run.meanLatency, deviation: run.deviation, queue: run.meanQueue });
    const batches = simulate(
      systemConfig('calibrated', { slots, batching: 'static' }),
      schedulers['latency-greedy'],
      3,
    );
    expect(present.find(({ standIn, users }) => standIn === 'Static' && users === 40)?.latency).toBe(
      batches.meanLatency,
    );
  });

  it('follow the constants', () => {
    const fields = { users: 20, slots };
    const slower = simulateUnder({ ...constants, tau0Rtx3080: 0.05 }, schedulers.ll, fields, 3);
    expect(slower.meanLatency).toBeGreaterThan(simulateUnder(constants, schedulers.ll, fields, 3).meanLatency);
  });
});

describe('the objective', () => {
  it('is the weighted mean of ln(1 + (error/0.2)²)', () => {
    const [latency, queue] = targetsOf(reading); // weights 2 and 1
    const { objective, values, losses } = score(present, [latency, queue]);
    const loss = (value: number, printed: number): number => Math.log1p((Math.log(value / printed) / 0.2) ** 2);
    expect(losses[0]).toBeCloseTo((2 * loss(values[0], 2.4)) / 3, 12);
    expect(objective).toBeCloseTo(losses[0] + losses[1], 12);
  });

  it('counts of a bound and of an order only the side that misses it', () => {
    const order = targetsOf(reading).filter(({ name }) => name === 'Fig. 3 Static < LL');
    expect(score(withChange('LL', 30, { latency: 1000 }), order).objective).toBe(0);
    expect(score(withChange('LL', 30, { latency: 0.001 }), order).objective).toBeGreaterThan(0);
  });

  it('takes an overloaded run for a hundred times too much, and lets Random be one', () => {
    const [latency] = targetsOf(reading);
    const worst = Math.log1p((Math.log(100) / 0.2) ** 2);
    expect(score(withChange('LYREO', 30, { overloaded: true }), [latency]).objective).toBeCloseTo(worst, 12);
    const random = targetsOf(reading).filter(({ name }) => name.includes('Random'));
    expect(random.length).toBeGreaterThan(1);
    expect(score(withChange('Random', 30, { overloaded: true }), random).objective).toBe(0);
  });

  it('chooses the loads under which the runs are nearest', () => {
    const best = bestReading(present);
    expect(loadReadings).toContainEqual(best.reading);
    for (const each of loadReadings)
      expect(best.objective).toBeLessThanOrEqual(score(present, targetsOf(each)).objective);
  });

  it('tells what less and more of one constant does', () => {
    const { less, more } = sensitivity('slowdown', constants, reading, 3, slots);
    const by = (factor: number): number => {
      const changed = { ...constants, slowdown: factor * constants.slowdown };
      return score(trialRuns(changed, slots, 3), targetsOf(reading)).objective;
    };
    expect([less, more]).toEqual([by(0.8), by(1.2)]);
  });
});

describe('the search', () => {
  it('takes the units in turn, begins with the pilot’s constants, and stays within the ranges', async () => {
    const found = await search({ candidates: 5, seed: 1, slots });
    expect(found.map((one) => one.constants.balanceUnit)).toEqual([...units, units[0], units[1]]);
    expect(found[0].constants).toEqual(pilotConstants);
    for (const { constants: drawn } of found.slice(3))
      for (const name of constantNames.filter((other) => other !== 'balanceUnit')) {
        expect(drawn[name]).toBeGreaterThanOrEqual(0.999 * ranges[name].least);
        expect(drawn[name]).toBeLessThanOrEqual(1.001 * ranges[name].greatest);
      }
    expect(bestOf(found).objective).toBeLessThanOrEqual(found[0].objective);
    expect(judged(0, pilotConstants, found[0].runs)).toEqual(found[0]);
  });

  it('continues from its log with the same bytes, and refuses that of another search', async () => {
    const [whole, parts] = [join(folder, 'whole.jsonl'), join(folder, 'parts.jsonl')];
    await search({ candidates: 4, seed: 2, slots, logFile: whole });
    await search({ candidates: 2, seed: 2, slots, logFile: parts });
    await search({ candidates: 4, seed: 2, slots, logFile: parts });
    expect(readFileSync(parts, 'utf8')).toBe(readFileSync(whole, 'utf8'));
    await expect(search({ candidates: 4, seed: 3, slots, logFile: parts })).rejects.toThrow('log of another search');
  });

  it('writes what the library reads', () => {
    const file = join(folder, 'calibrated.json');
    const data = toCalibrated(constants, 'lyreo calibrate');
    writeFileSync(file, JSON.stringify(data));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(data);
  });
});
