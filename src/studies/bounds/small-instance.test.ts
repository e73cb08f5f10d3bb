import { describe, expect, it } from 'vitest';
import { readEpisode } from './episode';
import { lowerBound } from './lower-bound';
import { schedulerNames } from '../../schedulers/index';
import { systemConfig } from '../../system/presets';
import { profiles } from '../../paper/profiles';
import { runSpec } from '../../paper/run-spec';
import { boundedRuns } from './bounded-run';
import { moves, smallInstance } from './small-instance';
import { executeRun, heldOutSeeds } from '../../paper/run';

const config = systemConfig('calibrated', { users: 2, servers: 2, slots: 3, kvPoolFraction: 0.002 });
const instances = [1, 2, 3].map((seed) => smallInstance(config, seed));

describe('smallInstance', () => {
  it('has every scheduler above the optimum', () => {
    for (const { rows, seed } of instances) {
      expect(rows.map(({ scheduler }) => scheduler)).toEqual(schedulerNames);
      for (const { gap, keepsBalance, balancedGap, deviation, ...row } of rows) {
        expect(row.seed).toBe(seed);
        expect(gap).toBeGreaterThan(-1e-9);
        expect(keepsBalance).toBe(deviation <= config.balanceTolerance ? 1 : 0);
        if (keepsBalance === 1) expect(balancedGap).toBeGreaterThan(-1e-9);
        else expect(balancedGap).toBeNaN();
      }
    }
    expect(instances.flatMap(({ rows }) => rows.filter(({ keepsBalance }) => keepsBalance === 1))).not.toEqual([]);
  });

  it('keeping ε never makes the optimum faster', () => {
    for (const { optimum, balanced } of instances)
      expect(balanced?.meanLatency ?? Infinity).toBeGreaterThanOrEqual(optimum?.meanLatency ?? Infinity);
  });
});

describe('moves', () => {
  it('no single request does better elsewhere, all together', () => {
    const [{ optimum, seed }] = instances;
    if (optimum === null) throw new Error('no optimum');
    const swapped = optimum.assignments.map((row) => row.map((s) => 1 - s));
    const all = moves(config, seed, optimum.assignments, swapped);
    expect(all.map(({ request, other }) => [request.server, other])).toEqual(
      optimum.assignments.flat().map((s) => [s, 1 - s]),
    );
    for (const { ownSeconds, othersSeconds } of all) expect(ownSeconds + othersSeconds).toBeGreaterThan(-1e-9);
    expect(moves(config, seed, optimum.assignments, optimum.assignments)).toEqual([]);
  });
});

describe('boundedRuns', () => {
  it('takes the same episodes as the run, the first so many', async () => {
    const profile = profiles.smoke;
    const run = await executeRun(runSpec(profile, { method: 'll-in-slot' }, 1));
    const system = { ...run.config, slots: profile.evaluationSlots };
    const [first, second] = heldOutSeeds(profile, 1).map((seed) => lowerBound(readEpisode(system, seed)));
    const [one, two] = run.evaluation.perEpisode.meanLatency;
    expect(boundedRuns(1)(run)).toEqual({ meanLatency: one, bound: first });
    const both = boundedRuns()(run);
    expect(both.bound).toBeCloseTo((first + second) / 2, 12);
    expect(both.meanLatency).toBeCloseTo((one + two) / 2, 12);
    expect(both.bound).toBeLessThan(both.meanLatency);
  });
});
