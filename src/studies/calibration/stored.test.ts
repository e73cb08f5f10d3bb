import { describe, expect, it } from 'vitest';
import { calibrated } from '../../system/calibrated';
import { bestUnit, storedUnits } from './balance-unit';
import { fittedByDefault, pilotConstants, presentConstants } from './constants';
import { score, targetsOf } from './objective';
import { type Candidate, bestOf, candidateRows, storedSearch } from './search';

const candidate = (index: number, objective: number, kvPoolFraction: number): Candidate => ({
  index,
  objective,
  constants: { ...pilotConstants, kvPoolFraction },
  values: [],
  overloaded: [],
});

describe('the stored calibration', () => {
  it.each([1, 2])('is a search for the present targets: seed %i', (seed) => {
    const { targets, free, candidates, ...rest } = storedSearch(seed);
    expect(targets).toEqual(targetsOf());
    expect(free).toEqual(fittedByDefault);
    expect(rest.seed).toBe(seed);
    expect(candidates.map(({ index }) => index)).toEqual(candidates.map((_, k) => k));
    expect(candidates[0].constants).toEqual(pilotConstants);
  });

  it('is what data/calibrated.json has', () => {
    const unit = bestUnit(storedUnits().trainings);
    expect(presentConstants()).toEqual({ ...bestOf(storedSearch(1).candidates).constants, balanceUnit: unit });
    expect(calibrated().balanceUnit).toBe(unit);
  });

  it('gives the same numbers again', () => {
    const { candidates, seed, slots, targets } = storedSearch(1);
    const best = bestOf(candidates);
    const again = score(best.constants, slots, seed, targets);
    again.values.forEach((value, k) => {
      expect(value).toBeCloseTo(best.values[k], 9);
    });
    expect(again.objective).toBeCloseTo(best.objective, 9);
  });
});

describe('the rows of a search', () => {
  it('have constants, values by target and the least objective so far, which never rises', () => {
    const candidates = [0.3, 0.4, 0.1, 0.2].map((objective, k) => ({
      ...candidate(k, objective, 0.01),
      values: [k],
      overloaded: k === 1 ? ['Random U = 40', 'LL U = 60'] : [],
    }));
    const rows = candidateRows({ seed: 7, slots: 10, free: [], targets: targetsOf().slice(0, 1), candidates });
    expect(rows.map(({ best }) => best)).toEqual([0.3, 0.3, 0.1, 0.1]);
    expect(rows[1]).toMatchObject({
      search: 'seed 7',
      candidate: 1,
      objective: 0.4,
      overloaded: 'Random U = 40, LL U = 60',
      kvPoolFraction: 0.01,
      tau1: pilotConstants.tau1,
      'Table II LYREO meanLatency': 1,
    });
    expect(rows[0].overloaded).toBe('no');
  });
});
