import { describe, expect, it } from 'vitest';
import { systemConfig } from '../system/presets';
import { parseScenario } from '../system/scenario';
import { type ReplayedRequest, replay } from '../system/replay';
import { schedulers } from '../schedulers/index';
import { inspect } from './inspect';
import { companions, kvByRequest, requestIterations } from './inspect-request';
import { repeatAssignments, toScenario } from './repeat';
import { simulate } from './simulate';

const config = systemConfig('calibrated', { slots: 8, users: 48 });
const run = inspect(config, schedulers.random, 3);

describe('a run kept whole', () => {
  it('reports what simulate reports', () => {
    expect(run.metrics).toEqual(simulate(config, schedulers.random, 3));
    expect(run.requests).toHaveLength(run.metrics.completed);
    expect(run.slots).toHaveLength(8 * 8);
  });

  it.each(['deed', 'static'] as const)('equals the replay of its own scenario, %s', (batching) => {
    const again = inspect({ ...config, batching }, repeatAssignments(run), 3);
    const result = replay(parseScenario(toScenario(again)));
    const replayed = new Map(result.requests.map((request) => [request.id, request as ReplayedRequest]));
    for (const { id, completedAt, transmission, prefill, decode, total } of again.requests) {
      const other = replayed.get(id);
      expect(other?.completedAt).toBe(completedAt);
      expect(other).toMatchObject({ transmission, total });
      expect(other?.prefill).toBeCloseTo(prefill, 12);
      expect(other?.decode).toBeCloseTo(decode, 12);
    }
    const trajectory = result.servers.flatMap((server) => server.trajectory);
    const rows = again.iterations.map((row) => [row.slot, row.k, row.startsAt, row.seconds, row.kvBytes, row.active]);
    expect(rows).toEqual(trajectory);
  });

  it('marks phase I until the slot batch is prefilled, and slows exactly the iterations during which a prefill runs', () => {
    for (const { server, slot, startsAt, phase, prefillRuns } of run.iterations) {
      const sent = run.requests.filter((request) => request.server === server);
      const end = sent.find((request) => request.slot === slot)?.prefillEndAt ?? 0;
      expect(phase).toBe(startsAt < end - 1e-9 ? 'I' : 'II');
      expect(prefillRuns).toBe(sent.some((r) => r.prefillStartAt <= startsAt + 1e-9 && startsAt < r.prefillEndAt));
    }
    expect(new Set(run.iterations.map(({ phase }) => phase)).size).toBe(2);
    expect(new Set(run.iterations.map(({ prefillRuns }) => prefillRuns)).size).toBe(2);
  });
});

describe.each(['deed', 'static'] as const)('one request in the batch, %s', (batching) => {
  const again = inspect({ ...config, batching }, repeatAssignments(run), 3);

  it('makes one token per iteration, which sum to D_dec', () => {
    for (const request of again.requests.filter((_, i) => i % 17 === 0)) {
      const rows = requestIterations(again, request);
      expect(rows.filter((row) => row.token > 0)).toHaveLength(request.outputTokens);
      expect(rows.reduce((sum, row) => sum + row.seconds, 0)).toBeCloseTo(request.decode, 9);
      expect(companions(again, request)).toContain(request);
    }
  });

  it('holds its share of m(k, t): by request it sums to the whole', () => {
    const { iterations, requests } = kvByRequest(again, 2, 1, 5);
    expect(iterations.length).toBeGreaterThan(10);
    iterations.forEach(({ kvBytes, startsAt }, i) => {
      expect(startsAt).toBeGreaterThanOrEqual(1);
      expect(requests.reduce((sum, one) => sum + one.kvBytes[i], 0)).toBeCloseTo(kvBytes, 6);
    });
  });
});

describe('a request that was preempted', () => {
  const crowded = systemConfig('calibrated', {
    gpus: ['rtx3080'],
    users: 12,
    slots: 6,
    kvPoolFraction: 0.002,
    predictionError: 'lognormal',
    predictionSigma: 1.5,
  });

  it.each(['deed', 'static'] as const)(
    'has all its stays: tokens, D_dec and its share of the KV cache, %s',
    (batching) => {
      const again = inspect({ ...crowded, batching }, schedulers.random, 1);
      const { metrics } = again;
      expect(metrics.preemptions).toBeGreaterThan(1);
      expect(metrics.lostToPrediction).toBe(0);
      expect(again.requests.some(({ stays }) => stays.length > 1)).toBe(true);
      for (const request of again.requests) {
        const rows = requestIterations(again, request);
        expect(rows.map((row) => row.token).filter((token) => token > 0)).toEqual(
          Array.from({ length: request.outputTokens }, (_, n) => n + 1),
        );
        expect(rows.reduce((sum, row) => sum + row.seconds, 0)).toBeCloseTo(request.decode, 6);
      }
      const { iterations, requests } = kvByRequest(again, 0);
      iterations.forEach(({ kvBytes, active }, i) => {
        const shares = requests.map((one) => one.kvBytes[i]);
        expect(shares.filter((share) => share > 0)).toHaveLength(active);
        expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(kvBytes, 6);
      });
      const result = replay(parseScenario(toScenario(again)));
      const rows = again.iterations.map((row) => [row.slot, row.k, row.startsAt, row.seconds, row.kvBytes, row.active]);
      expect(rows).toEqual(result.servers.flatMap((server) => server.trajectory));
    },
  );
});

describe('repeating assignments', () => {
  it('refuses a run with other requests', () => {
    const other = systemConfig('calibrated', { slots: 8, users: 20 });
    expect(() => inspect(other, repeatAssignments(run), 3)).toThrow('slot 0 has 20 requests; the run to repeat has 48');
  });
});
