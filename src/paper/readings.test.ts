import { describe, expect, it } from 'vitest';
import { readingRows, readings } from './readings';

describe('data/readings.json', () => {
  it('has each reading once, with two options or more and a step of the rule before them', () => {
    const { rule, readings: list } = readings();
    expect(rule[0]).toMatch(/text/);
    const ids = list.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const users = ['fig2-users', 'fig3-users', 'table2-users'];
    const others = ['balance-unit', 'static-answer', 'static-router', 'll-workload', 'ratio'];
    expect(ids).toEqual(expect.arrayContaining([...users, ...others]));
    for (const { options, decidedBy } of list) {
      expect(options.length).toBeGreaterThan(1);
      expect(['text', 'greedy', 'open']).toContain(decidedBy);
    }
    expect(readingRows().map(({ reading }) => reading)).toEqual(list.map(({ question }) => question));
  });
});
