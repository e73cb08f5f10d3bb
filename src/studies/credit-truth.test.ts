import { describe, expect, it } from 'vitest';
import { besideTruth, besideTruthInSlot, correlation, rankCorrelation } from './credit-truth';

// Two slots of two requests; the last decision was not looked at.
const advantages = Float32Array.of(1, 3, 10, 20);
const effects = { decisions: Int32Array.of(0, 1, 2), effects: Float64Array.of(5, 9, 2) };

describe('credit beside truth', () => {
  it('pairs each decision with its credit', () => {
    expect(besideTruth(advantages, effects)).toEqual({
      credit: Float64Array.of(1, 3, 10),
      truth: Float64Array.of(5, 9, 2),
    });
  });

  it('within a slot, takes the mean over the decisions looked at away', () => {
    expect(besideTruthInSlot(advantages, effects, 2)).toEqual({
      credit: Float64Array.of(-1, 1, 0),
      truth: Float64Array.of(-2, 2, 0),
    });
  });

  it('credit that a slot shares says nothing within it', () => {
    const shared = Float32Array.of(0.1, 0.1, 0.7, 0.7);
    const all = { decisions: Int32Array.of(0, 1, 2, 3), effects: Float64Array.of(1, 2, 3, 5) };
    expect(correlation(besideTruthInSlot(shared, all, 2))).toBe(0);
  });
});

describe('correlation', () => {
  const credit = Float64Array.of(1, 2, 3, 4);

  it('is 1 on a rising line, −1 on a falling one', () => {
    expect(correlation({ credit, truth: Float64Array.of(2, 4, 6, 8) })).toBeCloseTo(1, 12);
    expect(correlation({ credit, truth: Float64Array.of(4, 3, 2, 1) })).toBeCloseTo(-1, 12);
  });

  it('of ranks does not see how far apart values are, and shares the ranks of equal ones', () => {
    expect(rankCorrelation({ credit, truth: Float64Array.of(0, 1, 10, 1000) })).toBeCloseTo(1, 12);
    // Ranks 1.5, 1.5, 3, 4 against 1, 2, 3, 4: covariance 4.5, squares 4.5 and 5.
    expect(rankCorrelation({ credit, truth: Float64Array.of(7, 7, 8, 9) })).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12);
  });
});
