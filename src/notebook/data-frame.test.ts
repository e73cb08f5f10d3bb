import { describe, expect, it } from 'vitest';
import { aggregate, csvOf, toDataFrame } from './data-frame';

describe('toDataFrame', () => {
  it('has no null: a missing number is NaN, and the column’s mean leaves it out', () => {
    const frame = toDataFrame([{ a: 1, b: null }, { a: 2, b: 3 }, { a: 4 }]);
    expect(frame.values).toEqual([
      [1, Number.NaN],
      [2, 3],
      [4, Number.NaN],
    ]);
    expect((frame['b'] as { mean(): number }).mean()).toBe(3);
  });

  it('keeps 2.5 below twenty whole numbers, in tensors too', () => {
    const rows = [...Array.from({ length: 20 }, () => ({ x: 1 })), { x: 2.5 }];
    const column = toDataFrame(rows)['x'] as { tensor: { dataSync(): Float32Array } };
    expect(column.tensor.dataSync()[20]).toBe(2.5);
  });

  it('groups and aggregates as danfojs does', () => {
    const rows = [1, 2, 3].flatMap((seed) => [
      { method: 'LYREO', seed, latency: seed },
      { method: 'PPO', seed, latency: 10 * seed },
    ]);
    const means = toDataFrame(rows)
      .groupby(['method'])
      .agg({ latency: ['mean', 'min', 'max'] });
    expect(means.values).toEqual([
      ['LYREO', 2, 1, 3],
      ['PPO', 20, 10, 30],
    ]);
  });

  it('refuses a column of numbers and texts', () => {
    expect(() => toDataFrame([{ x: 1 }, { x: 'one' }])).toThrow('column "x" mixes number and string');
  });
});

describe('what danfojs gets wrong', () => {
  const frame = toDataFrame([
    { name: 'a, b', x: 1 },
    { name: 'c', x: null },
    { name: 'd', x: 3 },
  ]);

  it('writes nothing for a missing number in CSV, and quotes commas', () => {
    expect(csvOf(frame)).toBe('name,x\n"a, b",1\nc,\nd,3\n');
  });

  it('leaves out rows that lack a column', () => {
    const means = aggregate(frame, ['name'], { x: 'mean' });
    expect(means.values).toEqual([
      ['a, b', 1],
      ['d', 3],
    ]);
  });
});
