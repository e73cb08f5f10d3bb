import { describe, expect, it } from 'vitest';
import { Delay } from './delay';

/** The output of a delay whose numbers of slot t are t + 1 and 10·(t + 1). */
function through(slots: number, count: number, delay = new Delay(slots, 2), from = 0): number[][] {
  return Array.from({ length: count }, (_, k) => {
    const numbers = Float64Array.of(from + k + 1, 10 * (from + k + 1));
    delay.pass(from + k, numbers);
    return [...numbers];
  });
}

describe('Delay', () => {
  it('gives the numbers of so many slots ago, and slot 0’s until there are any', () => {
    expect(through(2, 5).map(([first]) => first)).toEqual([1, 1, 1, 2, 3]);
    expect(through(1, 4)).toEqual([
      [1, 10],
      [1, 10],
      [2, 20],
      [3, 30],
    ]);
    expect(through(0, 3).map(([first]) => first)).toEqual([1, 2, 3]);
  });

  it('takes the same slot again, and a copy goes on by itself', () => {
    const delay = new Delay(2, 2);
    through(2, 4, delay);
    const copy = new Delay(2, 2);
    copy.copyFrom(delay);
    for (const one of [copy, delay]) {
      const again = Float64Array.of(4, 40);
      one.pass(3, again);
      expect([...again]).toEqual([2, 20]);
    }
    expect(through(2, 2, copy, 4)).toEqual([
      [3, 30],
      [4, 40],
    ]);
    const changed = Float64Array.of(-1, -1);
    delay.pass(4, changed);
    expect(through(2, 2, copy, 5)[1]).toEqual([5, 50]);
  });
});
