import { describe, expect, it } from 'vitest';
import { profiles } from '../../paper/profiles';
import { schedulers } from '../../schedulers/index';
import { calibrated } from '../../system/gpus';
import { toCalibrated } from './constants';
import { calibration, judged, risesWithUsers, storedFinals, storedSearch } from './search';
import { simulateUnder } from './trial';

describe('the stored calibration', () => {
  it.each([1, 2])('has every candidate of the search with seed %i, judged by the present targets', (seed) => {
    const { candidates, ...rest } = storedSearch(seed);
    expect(rest.seed).toBe(seed);
    expect(candidates.map(({ index }) => index)).toEqual(candidates.map((_, k) => k));
    for (const { index, constants, runs, objective, reading } of candidates)
      expect(judged(index, constants, runs)).toMatchObject({ objective, reading });
  });

  it('is the best of the finals whose latency rises with U, in constants and in the readings of the loads', () => {
    const best = calibration(storedFinals());
    for (const better of storedFinals().filter(({ objective }) => objective < best.objective))
      expect(risesWithUsers(better)).toBe(false);
    expect(toCalibrated(best.constants, calibrated().command)).toEqual(calibrated());
    expect(profiles.paper.usersOf).toMatchObject(best.reading);
  });

  it('gives the same numbers again', () => {
    const best = calibration(storedFinals());
    const latencies = [1, 2, 3].map(
      (seed) =>
        simulateUnder(best.constants, schedulers['drift-plus-penalty'], { users: 50, slots: 800 }, seed).meanLatency,
    );
    const stored = best.runs.find((run) => run.standIn === 'LYREO' && run.users === 50 && run.latencyWeight === 0.5);
    expect(latencies.reduce((sum, x) => sum + x, 0) / 3).toBeCloseTo(stored?.latency ?? Number.NaN, 9);
  });
});
