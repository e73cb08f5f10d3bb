import { describe, expect, it } from 'vitest';
import { UserError } from '../core/errors';
import type { Trace } from './trace';
import { slotAt, traceLoad, traceSlots, traceWorkload, type TraceLoad, type TraceOptions } from './trace-workload';
import { slotRequests, type Workload } from './workload';

const makeTrace = (arrivals: readonly number[]): Trace => ({
  name: 'test.csv',
  arrivalSeconds: Float64Array.from(arrivals),
  inputTokens: Int32Array.from(arrivals, (_, i) => i + 1),
  outputTokens: Int32Array.from(arrivals, (_, i) => 1000 + i),
  skipped: [],
  outOfOrder: 0,
});
const unscaled: TraceLoad = { kind: 'unscaled' };
const options: TraceOptions = { users: 4, slotSeconds: 1, slots: 1000, load: unscaled, seed: 1 };

/** l_in of every request of a slot; in makeTrace that is the request's index plus 1. */
function inputs(workload: Workload, slot: number): number[] {
  const out = slotRequests(workload.maxRequestsPerSlot);
  workload.fill(slot, out);
  return [...out.inputTokens.subarray(0, out.count)];
}
const all = (workload: Workload, slots: number): number[] =>
  Array.from({ length: slots }, (_, t) => inputs(workload, t)).flat();

describe('traceWorkload, unscaled', () => {
  const trace = makeTrace([0, 0.5, 1, 1.999, 4]);
  const workload = traceWorkload(trace, options);

  it('issues in slot t what arrived within [t·Δ, (t+1)·Δ)', () => {
    expect([0, 1, 2, 3, 4, 5, 99].map((t) => inputs(workload, t))).toEqual([[1, 2], [3, 4], [], [], [5], [], []]);
    expect(workload.maxRequestsPerSlot).toBe(2);
    expect(traceSlots(trace, unscaled, 1)).toBe(5);
  });

  it('is the same in any order and whoever asks', () => {
    const again = traceWorkload(trace, options);
    const [a, b] = [slotRequests(2), slotRequests(2)];
    workload.fill(4, a);
    workload.fill(1, a);
    again.fill(1, b);
    expect(a).toMatchObject({ count: b.count, inputTokens: b.inputTokens, user: b.user });
    expect(a.predictedTokens).toEqual(a.outputTokens);
  });

  it('spreads requests over all users, by the seed', () => {
    const many = makeTrace(Array.from({ length: 4000 }, (_, i) => i / 4000));
    const usersOf = (seed: number): Int32Array => {
      const out = slotRequests(4000);
      traceWorkload(many, { ...options, seed }).fill(0, out);
      return out.user;
    };
    const counts = [0, 1, 2, 3].map((u) => usersOf(1).filter((x) => x === u).length);
    // 1000 each within 4 standard deviations, √(4000·¼·¾) = 27.
    counts.forEach((n) => {
      expect(Math.abs(n - 1000)).toBeLessThan(110);
    });
    expect(usersOf(2)).not.toEqual(usersOf(1));
  });
});

describe('traceWorkload, thin', () => {
  const trace = makeTrace(Array.from({ length: 10_000 }, (_, i) => i / 10));

  it('keeps each request with probability wanted/recorded, in its own slot', () => {
    // 10 per slot over 1000 slots; 3 wanted: 3000 kept within 4 standard deviations, √(10000·0.3·0.7) = 46.
    expect(traceLoad(trace, 1)).toBe(10);
    const load: TraceLoad = { kind: 'thin', requestsPerSlot: 3 };
    const workload = traceWorkload(trace, { ...options, load });
    expect(traceSlots(trace, load, 1)).toBe(1000);
    const kept = all(workload, 1000);
    expect(Math.abs(kept.length - 3000)).toBeLessThan(184);
    expect(inputs(workload, 7).every((i) => i >= 71 && i <= 80)).toBe(true);
    expect(all(traceWorkload(trace, { ...options, load, seed: 2 }), 1000)).not.toEqual(kept);
  });

  it('keeps all at the recorded load, and cannot go above', () => {
    expect(all(traceWorkload(trace, { ...options, load: { kind: 'thin', requestsPerSlot: 10 } }), 1000)).toHaveLength(
      10_000,
    );
    expect(() => traceWorkload(trace, { ...options, load: { kind: 'thin', requestsPerSlot: 11 } })).toThrow(
      'trace load: requestsPerSlot of thin is 11; allowed: at most the recorded load (10 per slot over the 1000 slots that are run); rescale can raise it',
    );
  });
});

describe('traceWorkload, rescale', () => {
  it('makes the mean gap Δ / wanted and loses nobody', () => {
    // Gaps of 0.5 s, mean load 2; wanted 4: gaps of 0.25 s, slots of 1–4, 5–8, 9.
    const trace = makeTrace([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]);
    const load: TraceLoad = { kind: 'rescale', requestsPerSlot: 4 };
    const workload = traceWorkload(trace, { ...options, load, slots: 3 });
    expect([0, 1, 2, 3].map((t) => inputs(workload, t))).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9], []]);
    expect(traceSlots(trace, load, 1)).toBe(3);
  });

  it('cannot spread one moment', () => {
    const make = (): unknown =>
      traceWorkload(makeTrace([0, 0]), { ...options, slots: 2, load: { kind: 'rescale', requestsPerSlot: 1 } });
    expect(make).toThrow(UserError);
    expect(make).toThrow('trace test.csv: all requests arrive at one time');
  });
});

describe('a part of a trace', () => {
  /** 10 requests in slots 0 to 999, then 4 per slot to 1999. */
  const quietHead = makeTrace([
    ...Array.from({ length: 10 }, (_, k) => 100 * k),
    ...Array.from({ length: 4000 }, (_, k) => 1000 + k / 4),
  ]);
  const issued = (load: TraceLoad, slots: number, from?: number): number[] =>
    all(traceWorkload(quietHead, { ...options, load, slots, from }), slots + 10);

  it('begins at slot `from` as recorded and ends after the slots that are run', () => {
    expect(issued(unscaled, 2, 1000)).toEqual([11, 12, 13, 14, 15, 16, 17, 18]);
    expect(issued(unscaled, 101, 899)).toEqual([10]);
    expect(traceSlots(quietHead, unscaled, 1, 1000)).toBe(1000);
    expect(() => issued(unscaled, 2, 2000)).toThrow(
      'trace test.csv: from is 2000; allowed: a slot of the trace, an integer from 0 to 1999',
    );
  });

  it('has as many requests per slot as rescale wants', () => {
    // The first 20·100, 0.5·100 and 4·100 requests from there on.
    expect(issued({ kind: 'rescale', requestsPerSlot: 20 }, 100)).toHaveLength(2000);
    expect(issued({ kind: 'rescale', requestsPerSlot: 0.5 }, 100)).toHaveLength(50);
    expect(issued({ kind: 'rescale', requestsPerSlot: 4 }, 100, 1500)).toEqual(
      Array.from({ length: 400 }, (_, k) => 2011 + k),
    );
    expect(traceSlots(quietHead, { kind: 'rescale', requestsPerSlot: 20 }, 1, 1000)).toBe(200);
    expect(() => issued({ kind: 'rescale', requestsPerSlot: 20 }, 201, 1000)).toThrow(
      'trace test.csv: slots is 201; allowed: at most 200, since at 20 requests per slot it has no more',
    );
  });

  it('has as many requests per slot as thin wants, or says how many there are', () => {
    // 200 of 400 within 4 standard deviations, √(400·½·½) = 10.
    expect(Math.abs(issued({ kind: 'thin', requestsPerSlot: 2 }, 100, 1000).length - 200)).toBeLessThan(40);
    // 100 of 210 over slots 950 to 1049, half of them empty: √(200·½·½) = 7.
    expect(Math.abs(issued({ kind: 'thin', requestsPerSlot: 1 }, 100, 950).length - 100)).toBeLessThan(28);
    expect(() => issued({ kind: 'thin', requestsPerSlot: 2 }, 100)).toThrow(
      'trace load: requestsPerSlot of thin is 2; allowed: at most the recorded load (0.01 per slot over the 100 slots that are run)',
    );
  });
});

describe('slots of a decimal length', () => {
  const counts = (arrivals: readonly number[], slotSeconds: number, from?: number): number[] => {
    const workload = traceWorkload(makeTrace(arrivals), { ...options, slotSeconds, from });
    return [0, 1, 2, 3].map((t) => inputs(workload, t).length);
  };

  it('begin at decimal times', () => {
    expect(counts([0, 0.1, 0.2, 0.3], 0.1)).toEqual([1, 1, 1, 1]);
    expect(counts([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 0.1, 3)).toEqual([1, 1, 1, 1]);
    expect(counts([0, 0.29999, 0.3, 0.6, 0.9], 0.3)).toEqual([2, 1, 1, 1]);
    expect(traceSlots(makeTrace([0, 0.1, 0.2, 0.3]), unscaled, 0.1)).toBe(4);
    expect(traceLoad(makeTrace([0, 0.1, 0.2, 0.3]), 0.1)).toBe(1);
  });

  it('agree with whole numbers of nanoseconds, over a trace of 115 days', () => {
    for (const delta of [1, 7, 100, 300, 900, 1100])
      for (let t = 1; t < 1e10; t = 2 * t + 1) {
        const [slotSeconds, startAt] = [delta / 1000, (t * delta) / 1000];
        if (startAt > 1e7) break;
        expect(slotAt(startAt, slotSeconds)).toBe(t);
        expect(slotAt((t * delta * 1000 - 0.1) / 1e6, slotSeconds)).toBe(t - 1); // 100 ns earlier
      }
  });
});

describe('traceWorkload, per-user', () => {
  const trace = makeTrace([0, 0.1, 0.2]);
  const workload = traceWorkload(trace, { ...options, users: 5, load: { kind: 'per-user' } });

  it('is one request per user in every slot, its length pair from the trace', () => {
    const out = slotRequests(5);
    const drawn = new Set<number>();
    for (let t = 0; t < 50; t++) {
      workload.fill(t, out);
      expect(out.count).toBe(5);
      expect([...out.user]).toEqual([0, 1, 2, 3, 4]);
      out.inputTokens.forEach((input, n) => {
        drawn.add(input);
        expect(out.outputTokens[n]).toBe(input + 999);
      });
    }
    expect([...drawn].sort()).toEqual([1, 2, 3]);
    expect(traceSlots(trace, { kind: 'per-user' }, 1)).toBe(Number.POSITIVE_INFINITY);
  });
});

it.each<[Partial<TraceOptions>, string]>([
  [{ users: 0 }, 'trace workload: users is 0; allowed: an integer from 1 to 1000000'],
  [{ slotSeconds: Number.NaN }, 'trace workload: slotSeconds is NaN; allowed: a finite number > 0'],
  [
    { load: { kind: 'thin', requestsPerSlot: 0 } },
    'trace workload: load.requestsPerSlot is 0; allowed: a finite number > 0',
  ],
  [{ slots: 0 }, 'trace workload: slots is 0; allowed: an integer from 1 to 1000000000'],
  [{ load: { kind: 'per-user' }, from: 3 }, 'trace workload: from is 3; allowed: none with the load per-user'],
  [{ load: { kind: 'rescale', requestsPerSlot: Number.NaN } }, 'trace workload: load.requestsPerSlot is NaN'],
])('traceWorkload refuses %j by name', (fault, message) => {
  expect(() => traceWorkload(makeTrace([0, 1]), { ...options, ...fault })).toThrow(message);
});
