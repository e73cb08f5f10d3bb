import { describe, expect, it } from 'vitest';
import { schedulers } from '../schedulers/index';
import type { SystemConfig } from '../system/config';
import { systemConfig } from '../system/presets';
import { type RunMetrics, Metrics } from './metrics';
import { reportText } from '../cli/report';
import { simulate, simulateAsync } from './simulate';

function run(overrides: Partial<SystemConfig> = {}, seed = 1): RunMetrics {
  return simulate(systemConfig('calibrated', { slots: 120, ...overrides }), schedulers['ll-in-slot'], seed);
}

describe('a run’s report', () => {
  it('of nothing has no latency', () => {
    const m = new Metrics(2, 0.01).report();
    expect([m.arrived, m.highKvPercent, m.littleResidual]).toEqual([0, 0, 0]);
    for (const x of [m.meanLatency, m.p50Latency, m.p99Latency, ...Object.values({ ...m.parts })]) expect(x).toBeNaN();
    expect(JSON.parse(JSON.stringify(m))).toMatchObject({ meanLatency: null, parts: { decode: null } });
    const text = reportText(
      m,
      ['a', 'b'].map((name) => ({ name, kvCapacityBytes: 5e8 })),
      { kvPoolFraction: 0.05, balanceTolerance: 0.01 },
    );
    expect(text).toMatch(/latency, mean +- +s\n/);
    expect(text).not.toContain('NaN');
    expect(text).toMatch(/server +KV pool GB +of GPU GB .*\n +a +0\.5 +10 /);
  });

  it('is the same for the same seed and for predicted lengths that are right', () => {
    expect(run()).toEqual(run());
    expect(run({}, 2)).not.toEqual(run());
    expect(run({ predictionError: 'lognormal', predictionSigma: 0 })).toEqual(run());
  });
});

describe('the verdict', () => {
  it.each([
    { users: 20, slots: 400 },
    { users: 40, slots: 2000 },
  ])('is STABLE when the servers keep up: %o', (overrides) => {
    expect(run(overrides).stability.verdict).toBe('STABLE');
  });

  it.each([{ users: 150 }, { users: 40, servers: 2 }, { users: 120, batching: 'static' }] as const)(
    'is OVERLOADED, with the growth, when they fall behind: %o',
    (overrides) => {
      const { verdict, reason } = run(overrides).stability;
      expect(verdict).toBe('OVERLOADED');
      expect(reason).toMatch(
        /^servers? [\d, ]+ of \d: requests on server \d went from [\d.]+ to [\d.]+ in the last \d+ slots, \+[\d.]+ per slot at [\d.]+ arrivals per slot$/,
      );
    },
  );
});

describe('simulateAsync', () => {
  const config = systemConfig('calibrated', { slots: 3000 });

  it('has the same result, lets timers run and reports every slot', async () => {
    let [ticks, slots] = [0, 0];
    const timer = setInterval(() => ticks++, 1);
    const metrics = await simulateAsync(config, schedulers['ll-in-slot'], 1, {
      onSlot: ({ slot }) => (slots = slot + 1),
    });
    clearInterval(timer);
    expect(metrics).toEqual(simulate(config, schedulers['ll-in-slot'], 1));
    expect(slots).toBe(3000);
    expect(ticks).toBeGreaterThan(0);
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    setTimeout(() => {
      controller.abort(new Error('enough'));
    }, 5);
    const { signal } = controller;
    await expect(
      simulateAsync(systemConfig('calibrated', { slots: 1e8 }), schedulers.random, 1, { signal }),
    ).rejects.toThrow('enough');
  });
});
