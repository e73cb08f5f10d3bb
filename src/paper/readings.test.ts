import { describe, expect, it } from 'vitest';
import { parseReadings, readingRows, readings } from './readings';

const row = { id: 'x', question: 'q', text: 't', options: ['a', 'b'], now: 'a', decidedBy: 'open', known: '' };
const textOf = (...rows: object[]): string => JSON.stringify({ rule: ['The text decides.'], readings: rows });

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

  it.each([
    [{ options: ['a'] }, 'r.json: readings[0].options is ["a"]; allowed: at least two options'],
    [{ decidedBy: 'learners' }, 'r.json: readings[0].decidedBy is "learners"; allowed: text, greedy, open'],
    [{ choice: 'a' }, 'r.json: readings[0].choice is "a"; allowed: no unknown keys'],
  ])('%j is refused', (change, message) => {
    expect(() => parseReadings(textOf({ ...row, ...change }), 'r.json')).toThrow(message);
  });

  it('has each id once', () => {
    expect(() => parseReadings(textOf(row, row), 'r.json')).toThrow('r.json: id is "x"; allowed: each id once');
  });
});
