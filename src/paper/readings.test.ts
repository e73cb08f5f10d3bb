import { describe, expect, it } from 'vitest';
import { readingRows, readings } from './readings';

describe('data/readings.json', () => {
  it('has the readings whose users the text leaves open, with the rule before them', () => {
    const { rule, readings: list } = readings();
    expect(rule[0]).toMatch(/text/);
    for (const id of [
      'fig2-users',
      'fig3-users',
      'table2-users',
      'balance-unit',
      'static-answer',
      'static-router',
      'll-workload',
      'ratio',
    ])
      expect(list.map((reading) => reading.id)).toContain(id);
    expect(readingRows().map(({ reading }) => reading)).toEqual(list.map(({ question }) => question));
  });

  it('has each id once, two options or more, and a step of the rule', () => {
    const { readings: list } = readings();
    expect(new Set(list.map(({ id }) => id)).size).toBe(list.length);
    for (const { options, decidedBy } of list) {
      expect(options.length).toBeGreaterThan(1);
      expect(['text', 'greedy', 'open']).toContain(decidedBy);
    }
  });
});
