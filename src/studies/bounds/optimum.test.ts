import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SchedulerFactory } from '../../env/scheduler';
import { simulate } from '../../env/simulate';
import { schedulerNames, schedulers } from '../../schedulers/index';
import { replay } from '../../system/replay';
import { systemConfig } from '../../system/presets';
import { anyScenario } from '../../../tests/support/arbitraries';
import { fuzz } from '../../../tests/support/fuzz';
import { type SmallSystem, smallSystem } from '../../../tests/support/small-systems';
import { readEpisode } from './episode';
import { type Optimum, exactOptimum } from './optimum';
import { ServerCosts } from './server-costs';

/** Sends request n of the episode to servers[n]. */
const playing =
  (servers: readonly number[]): SchedulerFactory =>
  () => {
    let n = 0;
    return (view, assignment) => {
      for (let i = 0; i < view.count; i++) assignment[i] = servers[n++];
    };
  };

/** Every assignment, run by the whole environment: least mean latency with and without the constraint. */
function enumerated({ config, seed }: SmallSystem, tolerance: number): { free: number; balanced: number } {
  const { length: count } = readEpisode(config, seed).requests;
  let [free, balanced] = [Infinity, Infinity];
  for (let code = 0; code < config.servers ** count; code++) {
    const servers = Array.from({ length: count }, (_, n) => Math.floor(code / config.servers ** n) % config.servers);
    const run = simulate(config, playing(servers), seed);
    if (run.completed < count) continue;
    free = Math.min(free, run.meanLatency);
    if (run.worstDeviation <= tolerance) balanced = Math.min(balanced, run.meanLatency);
  }
  return { free, balanced };
}

const optima = ({ config, seed }: SmallSystem, tolerance: number): (Optimum | null)[] => {
  const costs = new ServerCosts(readEpisode(config, seed));
  return [exactOptimum(costs), exactOptimum(costs, tolerance)];
};

describe('exactOptimum', () => {
  it('is the least of all assignments, with the constraint and without', () => {
    fc.assert(
      fc.property(smallSystem({ requests: 5 }), fc.constantFrom(0.001, 0.01, 0.05), (system, tolerance) => {
        const { free, balanced } = enumerated(system, tolerance);
        const [best, kept] = optima(system, tolerance);
        expect(best?.meanLatency ?? Infinity).toBeCloseTo(free, 9);
        expect(kept?.meanLatency ?? Infinity).toBeCloseTo(balanced, 9);
      }),
      fuzz(40),
    );
  });

  it('what it found leads to what it says', () => {
    fc.assert(
      fc.property(smallSystem({ requests: 9 }), (system) => {
        for (const optimum of optima(system, 0.02)) {
          if (optimum === null) continue;
          const run = simulate(system.config, playing(optimum.assignments.flat()), system.seed);
          expect(run.meanLatency).toBeCloseTo(optimum.meanLatency, 9);
          expect(run.worstDeviation).toBeCloseTo(optimum.worstDeviation, 9);
        }
      }),
      fuzz(30),
    );
  });

  it('no scheduler does better', () => {
    fc.assert(
      fc.property(smallSystem({ requests: 9 }), ({ config, seed }) => {
        const costs = new ServerCosts(readEpisode(config, seed));
        const free = exactOptimum(costs)?.meanLatency ?? Infinity;
        for (const name of schedulerNames) {
          const run = simulate(config, schedulers[name], seed);
          if (run.completed < costs.episode.requests.length) continue;
          expect(run.meanLatency).toBeGreaterThanOrEqual(free - 1e-9);
          const balanced = exactOptimum(costs, run.worstDeviation + 1e-12);
          expect(run.meanLatency).toBeGreaterThanOrEqual((balanced?.meanLatency ?? Infinity) - 1e-9);
        }
      }),
      fuzz(20),
    );
  });

  it('later requests never help earlier ones, on which its bound rests', () => {
    fc.assert(
      fc.property(anyScenario({ feasible: true }), fc.nat({ max: 6 }), (scenario, last) => {
        const before = replay({ ...scenario, slots: scenario.slots.slice(0, last) }).requests;
        const all = new Map(replay(scenario).requests.map((request) => [request.id, request]));
        for (const request of before) {
          const later = all.get(request.id);
          if ('rejected' in request || later === undefined || 'rejected' in later) throw new Error('rejected');
          expect(later.total).toBeGreaterThanOrEqual(request.total * (1 - 1e-12));
        }
      }),
      fuzz(600),
    );
  });

  it('has no answer where nothing keeps the constraint', () => {
    const system = fc
      .sample(smallSystem({ requests: 4 }), { numRuns: 20, seed: 3 })
      .find(({ config }) => config.servers > 1);
    if (system === undefined) throw new Error('no system with two servers');
    expect(optima(system, 0)[1]).toBeNull();
  });

  it('says how many requests it can take', () => {
    const config = systemConfig('literal', { users: 13, slots: 2 });
    expect(() => new ServerCosts(readEpisode(config, 1))).toThrow('requests of the episode is 26; allowed: at most 24');
  });
});
