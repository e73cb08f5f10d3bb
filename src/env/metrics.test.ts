import { describe, expect, it } from 'vitest';
import { schedulerNames, schedulers } from '../schedulers/index';
import type { SystemConfig } from '../system/config';
import { systemConfig } from '../system/presets';
import { type RunMetrics, Metrics } from './metrics';
import { reportText } from '../cli/report';
import { simulate, simulateAsync } from './simulate';

function run(overrides: Partial<SystemConfig> = {}, seed = 1): RunMetrics {
  return simulate(systemConfig('calibrated', { slots: 120, ...overrides }), schedulers['ll-in-slot'], seed);
}

describe('a run’s report', () => {
  it.each(schedulerNames)('accounts for every request, and by Little’s law for every second (%s)', (name) => {
    for (const batching of ['deed', 'static'] as const) {
      const m = simulate(systemConfig('calibrated', { slots: 80, users: 50, batching }), schedulers[name], 2);
      expect(m.arrived).toBe(80 * 50);
      expect(m.arrived).toBe(m.completed + m.inFlight + m.rejected);
      expect(m.inFlight).toBe(0);
      expect(Math.abs(m.littleResidual)).toBeLessThan(1e-9);
    }
  });

  it('splits the mean latency into its parts', () => {
    const { parts, meanLatency } = run();
    const values: readonly number[] = Object.values({ ...parts });
    expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(meanLatency, 9);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
  });

  it('orders its figures as they must be', () => {
    const m = run({ users: 60 });
    expect(m.p50Latency).toBeLessThan(m.p99Latency);
    expect(m.worstDeviation).toBeGreaterThanOrEqual(m.deviation);
    expect(m.perServer).toHaveLength(8);
    expect(m.perServer.reduce((sum, s) => sum + s.deviation, 0) / 8).toBeCloseTo(m.deviation, 12);
    expect(Math.max(...m.perServer.map((s) => s.deviation))).toBeCloseTo(m.worstDeviation, 12);
    expect(m.perServer.reduce((sum, s) => sum + s.eta, 0) / 8).toBeCloseTo(m.meanEta, 12);
    for (const { peak } of m.perServer) expect(peak).toBeLessThanOrEqual(1);
  });

  it('counts rejected requests', () => {
    const m = run({ lengths: 'lmsys-like', kvPoolFraction: 0.001 });
    expect(m.rejected).toBeGreaterThan(0);
    expect(m.completed + m.rejected).toBe(m.arrived);
  });

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
    { users: 40, slots: 1200 },
    { users: 40, slots: 2000 },
  ])('is STABLE when the servers keep up: %o', (overrides) => {
    expect(run(overrides).stability.verdict).toBe('STABLE');
  });

  it.each([
    { users: 150 },
    { users: 150, slots: 1000 },
    { users: 40, servers: 2 },
    { users: 120, batching: 'static' },
  ] as const)('is OVERLOADED, with the growth, when they fall behind: %o', (overrides) => {
    const { verdict, reason } = run(overrides).stability;
    expect(verdict).toBe('OVERLOADED');
    expect(reason).toMatch(
      /^servers? [\d, ]+ of \d: requests on server \d went from [\d.]+ to [\d.]+ in the last \d+ slots, \+[\d.]+ per slot at [\d.]+ arrivals per slot$/,
    );
  });

  it('says when a run is too short to tell', () => {
    const { verdict, reason } = run({ users: 500, slots: 7 }).stability;
    expect(verdict).toBe('UNKNOWN');
    expect(reason).toMatch(/only 7 slots/);
  });
});

describe('simulateAsync', () => {
  const config = systemConfig('calibrated', { slots: 3000 });

  it('has the same result, lets timers run and reports every slot', async () => {
    let [ticks, slots] = [0, 0];
    const timer = setInterval(() => ticks++, 1);
    const metrics = await simulateAsync(config, schedulers['ll-in-slot'], 1, { onSlot: (n) => (slots = n) });
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
