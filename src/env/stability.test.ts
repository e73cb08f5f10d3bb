import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { schedulers } from '../schedulers/index';
import { systemConfig } from '../system/presets';
import { type Workload, syntheticWorkload } from '../system/workload';
import type { Scheduler } from './scheduler';
import { simulate } from './simulate';
import { BacklogRecord, type Stability } from './stability';

/** The verdict on backlogs and arrivals given slot by slot, [slot][server]. */
function verdictOn(slots: number, of: (t: number) => { backlog: number[]; arrivals: number[] }): Stability {
  const record = new BacklogRecord(of(0).backlog.length);
  for (let t = 0; t < slots; t++) {
    const { backlog, arrivals } = of(t);
    record.add(Float64Array.from(backlog), Float64Array.from(arrivals));
  }
  return record.stability();
}

/** One queue: arrivals(t) and room for at most `capacity` completions per slot, each Poisson; one number per slot. */
function queue(slots: number, arrivalsOf: (t: number) => number, capacity: number, seed: number): Stability {
  const rng = createRng(seed);
  const poisson = (mean: number): number => {
    let count = 0;
    for (let x = -Math.log(1 - rng.uniform()); x < mean; x -= Math.log(1 - rng.uniform())) count++;
    return count;
  };
  let backlog = 0;
  return verdictOn(slots, (t) => {
    const arrivals = poisson(arrivalsOf(t));
    backlog = Math.max(0, backlog + arrivals - poisson(capacity));
    return { backlog: [backlog], arrivals: [arrivals] };
  });
}

/** The number of seeds, of 40, that give a verdict. */
function count(verdict: string, of: (seed: number) => Stability): number {
  return Array.from({ length: 40 }, (_, seed) => of(seed + 1).verdict).filter((one) => one === verdict).length;
}

describe('BacklogRecord', () => {
  it.each([0.8, 0.9, 0.95])('does not call a queue at load %d OVERLOADED, and mostly STABLE in a long run', (load) => {
    expect(count('OVERLOADED', (seed) => queue(800, () => 10 * load, 10, seed))).toBe(0);
    expect(count('STABLE', (seed) => queue(6400, () => 10 * load, 10, seed))).toBeGreaterThanOrEqual(38);
  });

  it.each([1.05, 1.1, 1.5])('does not call a queue at load %d STABLE, and mostly OVERLOADED in a long run', (load) => {
    expect(count('STABLE', (seed) => queue(800, () => 10 * load, 10, seed))).toBeLessThanOrEqual(1);
    expect(count('OVERLOADED', (seed) => queue(6400, () => 10 * load, 10, seed))).toBeGreaterThanOrEqual(38);
  });

  it('decides nothing about fewer than 30 slots', () => {
    for (const slots of [1, 7, 29]) {
      const { verdict, reason, perServer } = queue(slots, () => 20, 10, 1);
      expect(verdict).toBe('UNKNOWN');
      expect(perServer).toEqual(['UNKNOWN']);
      expect(reason).toBe(`only ${slots} slots, too few to tell growth from start-up; at least 30 are needed`);
    }
    expect(queue(30, () => 20, 10, 1).verdict).toBe('OVERLOADED');
  });

  it('decides nothing where nothing has completed in the first third', () => {
    const { verdict, reason } = verdictOn(90, (t) => ({ backlog: [5 * Math.min(t + 1, 50)], arrivals: [5] }));
    expect(verdict).toBe('UNKNOWN');
    expect(reason).toMatch(/had none completed in the first third of the run/);
  });

  it('waits for the end of a start-up that levels off', () => {
    // Every request takes 50 slots: the backlog grows to 250 by slot 50, and stays.
    const { verdict } = verdictOn(120, (t) => ({
      backlog: [5 * Math.min(t + 1, 50) - (t > 20 ? 1 : 0)],
      arrivals: [5],
    }));
    expect(verdict).not.toBe('OVERLOADED');
  });

  it('tells a backlog that follows the arrivals from an overload', () => {
    // Arrivals from 1 to 81 per slot; each request takes 2 slots.
    const rising = verdictOn(400, (t) => ({ backlog: [2 * (1 + t / 5)], arrivals: [1 + t / 5] }));
    expect(rising.verdict).toBe('STABLE');
    // The same arrivals, of which 30 per slot are served.
    let backlog = 0;
    const beyond = verdictOn(400, (t) => {
      backlog = Math.max(0, backlog + 1 + t / 5 - 30);
      return { backlog: [backlog + 2], arrivals: [1 + t / 5] };
    });
    expect(beyond.verdict).toBe('OVERLOADED');
  });

  it.each([
    [800, 1 / 10],
    [1000, 1 / 12],
    [5000, 1 / 4],
  ])('counts the end: %d slots, the last %d of them too much', (slots, share) => {
    const arrivals = (t: number): number => (t < slots * (1 - share) ? 5 : 20);
    expect(count('OVERLOADED', (seed) => queue(slots, arrivals, 10, seed))).toBeGreaterThanOrEqual(38);
  });

  it('does not call a backlog that was large and is gone OVERLOADED', () => {
    const arrivals = (t: number): number => (t >= 100 && t < 300 ? 20 : 5);
    expect(count('OVERLOADED', (seed) => queue(1200, arrivals, 10, seed))).toBe(0);
  });

  it('does not call a backlog that is large and still there STABLE, though no more arrives', () => {
    const flood = verdictOn(600, (t) => ({
      backlog: [t < 300 ? 150 * t : 45_000 - 60 * (t - 300)],
      arrivals: [t < 300 ? 200 : 0],
    }));
    expect(flood.verdict).toBe('UNKNOWN');
    expect(flood.reason).toMatch(/more requests than arrive in a third/);
  });

  it('names the server that is overloaded among many', () => {
    const rng = createRng(5);
    const { verdict, reason, perServer } = verdictOn(400, (t) => ({
      backlog: Array.from({ length: 80 }, (_, s) => (s === 0 ? 10 + t : 3) + rng.int(4)),
      arrivals: Array.from({ length: 80 }, (_, s) => (s === 0 ? 10 : 5)),
    }));
    expect(verdict).toBe('OVERLOADED');
    expect(perServer).toEqual(['OVERLOADED', ...Array.from({ length: 79 }, () => 'STABLE')]);
    expect(reason).toMatch(
      /^server 1 of 80: requests on server 1 went from .*, \+1\.00 per slot at 10\.0 arrivals per slot$/,
    );
  });

  it('merges batches without a trace: a constant backlog over 100,003 slots', () => {
    const record = new BacklogRecord(1);
    for (let t = 0; t < 100_003; t++) record.add(Float64Array.of(7), Float64Array.of(3));
    expect(record.stability()).toEqual({
      verdict: 'STABLE',
      reason:
        'requests in the system went from 7.0 to 7.0 in the last 66723 slots, +0.00 per slot at 3.0 arrivals per slot',
      perServer: ['STABLE'],
    });
  });

  it('calls idle servers STABLE', () => {
    expect(verdictOn(100, () => ({ backlog: [0, 0], arrivals: [0, 0] })).verdict).toBe('STABLE');
  });
});

describe('a run', () => {
  it('with one server that gets too much names it: 400 users, 80 servers, 10 requests of each slot to server 1', () => {
    const skewed = (): Scheduler => (view, assignment) => {
      for (let i = 0; i < view.count; i++) assignment[i] = i < 10 ? 0 : 1 + (i % (view.serverCount - 1));
    };
    const { stability } = simulate(
      systemConfig('calibrated', { users: 400, servers: 80, slots: 300, kvPoolFraction: 0.007 }),
      skewed,
      1,
    );
    expect(stability.verdict).toBe('OVERLOADED');
    expect(stability.reason).toMatch(/^server 1 of 80: /);
    expect(stability.perServer?.[0]).toBe('OVERLOADED');
    expect(stability.perServer?.slice(1)).not.toContain('OVERLOADED');
  });

  it('whose arrivals rise or rise at the end', () => {
    const verdict = (perSlot: (t: number) => number, slots: number): string => {
      const config = systemConfig('calibrated', { slots, users: 200 });
      const requests = syntheticWorkload(config, 1);
      const workload: Workload = {
        maxRequestsPerSlot: config.users,
        fill(slot, out): void {
          requests.fill(slot, out);
          out.count = perSlot(slot);
        },
      };
      return simulate(config, schedulers['ll-in-slot'], 1, { workload }).stability.verdict;
    };
    expect(verdict((t) => 1 + Math.round((39 * t) / 63), 64)).not.toBe('OVERLOADED');
    expect(verdict((t) => (t < 720 ? 20 : 200), 800)).toBe('OVERLOADED');
  });
});
