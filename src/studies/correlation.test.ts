import { describe, expect, it } from 'vitest';
import { correlation, rankCorrelation, withinGroups } from './correlation';

describe('within groups', () => {
  it('each value is less the mean of its group, whatever the order', () => {
    expect(withinGroups([1, 10, 3], [0, 1, 0])).toEqual([-1, 0, 1]);
  });

  it('a value that a group shares says nothing', () => {
    const groups = [0, 0, 0, 1, 1, 1];
    const shared = withinGroups([0.1, 0.1, 0.1, 0.7, 0.7, 0.7], groups);
    expect(correlation(shared, withinGroups([1, 2, 3, 5, 8, 9], groups))).toBe(0);
  });
});

describe('correlation', () => {
  const credit = [1, 2, 3, 4];

  it('is 1 on a rising line, −1 on a falling one', () => {
    expect(correlation(credit, Float64Array.of(2, 4, 6, 8))).toBeCloseTo(1, 12);
    expect(correlation(credit, [4, 3, 2, 1])).toBeCloseTo(-1, 12);
  });

  it('of ranks does not see how far apart values are, and shares the ranks of equal ones', () => {
    expect(rankCorrelation(credit, [0, 1, 10, 1000])).toBeCloseTo(1, 12);
    // Ranks 1.5, 1.5, 3, 4 against 1, 2, 3, 4: covariance 4.5, squares 4.5 and 5.
    expect(rankCorrelation(credit, [7, 7, 8, 9])).toBeCloseTo(4.5 / Math.sqrt(4.5 * 5), 12);
  });
});
