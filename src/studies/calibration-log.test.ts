import { describe, expect, it } from 'vitest';
import { calibrated } from '../system/calibrated';
import { bestUnit } from './balance-unit';
import {
  type Candidate,
  bestOf,
  fittedByDefault,
  pilotConstants,
  presentConstants,
  score,
  targetsOf,
} from './calibrate';
import { agreement, bestSoFar, storedSearch, storedUnits } from './calibration-log';

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

describe('bestSoFar', () => {
  it('never rises', () => {
    expect(bestSoFar([0.3, 0.4, 0.1, 0.2].map((objective, k) => candidate(k, objective, 0.01)))).toEqual([
      0.3, 0.3, 0.1, 0.1,
    ]);
  });
});

describe('agreement', () => {
  it('is how much of the range of the search lies between the extremes, on the scale of the draw', () => {
    // κ is drawn evenly on a logarithmic scale from 1/500 to 1/60.
    const [agreed, other] = agreement([candidate(0, 0, 0.004), candidate(1, 0, 0.008)], ['kvPoolFraction', 'tau1']);
    expect([agreed.name, agreed.share]).toEqual(['tau1', 0]);
    expect(other).toMatchObject({ name: 'kvPoolFraction', least: 0.004, greatest: 0.008 });
    expect(other.share).toBeCloseTo(Math.log(2) / Math.log(500 / 60), 12);
  });
});
