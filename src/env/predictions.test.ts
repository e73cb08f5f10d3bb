import { describe, expect, it } from 'vitest';
import { schedulers } from '../schedulers/index';
import { UserError } from '../core/errors';
import { systemConfig } from '../system/presets';
import { RequestTable } from '../system/request-table';
import { EdgeServer } from '../system/server';
import { Serving } from '../system/serving';
import { type Workload, slotRequests, syntheticWorkload, withPredictionError } from '../system/workload';
import { play, spread } from '../../tests/support/play';
import { givenRequests, partsOf, requestsOf, serversOf } from '../../tests/support/views';
import { EdgeEnv } from './edge-env';
import { simulate } from './simulate';

/** κ, so that the pool of an rtx3080 holds some 5,800 tokens and that of an rtx4090 some 14,000. */
const KV_SHARE = 0.009355;

/** Everything that can be reached from an object by its properties, private ones included. */
function reachable(root: object): Set<object> {
  const found = new Set<object>();
  const next: object[] = [root];
  for (let object = next.pop(); object !== undefined; object = next.pop()) {
    if (found.has(object)) continue;
    found.add(object);
    if (ArrayBuffer.isView(object)) {
      next.push(object.buffer);
      continue;
    }
    for (const key of Reflect.ownKeys(object)) {
      const value: unknown = Reflect.get(object, key);
      if (typeof value === 'object' && value !== null) next.push(value);
    }
  }
  return found;
}

describe('what a scheduler can reach', () => {
  it('holds no true length, whatever property it follows', () => {
    const secret = 937;
    const system = systemConfig('calibrated', { users: 3, slots: 4, servers: 2, stateDelaySlots: 1 });
    const lengths = [70, secret, 90] as const;
    const env = new EdgeEnv(system, 1, { workload: givenRequests([[lengths, lengths, lengths]]) });
    let step = env.reset();
    for (let t = 0; t < 2; t++) {
      const objects = [...reachable(step.view)];
      expect(objects.length).toBeGreaterThan(20);
      for (const object of objects) {
        expect(object instanceof EdgeServer || object instanceof RequestTable || object instanceof Serving).toBe(false);
        const numbers: unknown[] = ArrayBuffer.isView(object)
          ? [...(object as Float64Array)]
          : Reflect.ownKeys(object).map((key): unknown => Reflect.get(object, key));
        expect(numbers).not.toContain(secret);
      }
      step = env.step(new Int32Array(step.view.count));
    }
    expect(step.view.running[0]).toBe(3);
  });
});

describe('admission', () => {
  const system = systemConfig('calibrated', { gpus: ['rtx3080'], users: 2, slots: 3, kvPoolFraction: KV_SHARE });
  const pool = new EdgeEnv(system, 1).view.maxTokens[0];
  const after = (output: number, admission?: 'true-length'): number[] => {
    const requests = [100, output, 300] as const;
    const env = new EdgeEnv({ ...system, admission }, 1, { workload: givenRequests([[requests, requests]]) });
    env.reset();
    env.step(new Int32Array(2));
    const { view } = env.step(new Int32Array(0));
    return [view.running[0], view.waiting[0]];
  };

  it('does not know true lengths: 1000 and 5000 tokens predicted to be 300 are admitted alike', () => {
    expect(2 * (100 + 5000)).toBeGreaterThan(pool);
    expect(after(1000)).toEqual([2, 0]);
    expect(after(5000)).toEqual([2, 0]);
  });

  it('knows them where the configuration says so', () => {
    expect(after(1000, 'true-length')).toEqual([2, 0]);
    expect(after(5000, 'true-length')).toEqual([1, 1]);
  });

  it('preempts the last admitted when the pool runs out, and all are answered with parts that sum to the total', () => {
    const requests = [100, 5000, 300] as const;
    const env = new EdgeEnv({ ...system, slots: 1 }, 1, { workload: givenRequests([[requests, requests]]) });
    env.reset();
    const { outcome } = env.step(new Int32Array(2));
    if (outcome === null) throw new Error('no outcome');
    const done = outcome.completions.rows();
    expect([done.length, outcome.preemptions]).toEqual([2, 1]);
    expect(done.map(({ index }) => index)).toEqual([0, 1]);
    expect(done.map(({ preemptions }) => preemptions)).toEqual([0, 1]);
    for (const request of done) {
      for (const part of partsOf(request)) expect(part).toBeGreaterThanOrEqual(-1e-9);
      expect(partsOf(request).reduce((a, b) => a + b, 0)).toBeCloseTo(request.total, 9);
    }
    expect(env.servers[0].expectedWork()).toEqual({ tokens: 0, tokenIterations: 0 });
  });

  it('by prediction is admission by true length while predictions are exact', () => {
    const exact = systemConfig('calibrated', { slots: 60, users: 60 });
    const run = (admission?: 'true-length'): unknown => simulate({ ...exact, admission }, schedulers.jsq, 2);
    expect(run()).toEqual(run('true-length'));
  });
});

describe('a request that no pool can hold', () => {
  const system = systemConfig('calibrated', { gpus: ['rtx3080'], users: 2, slots: 2, kvPoolFraction: KV_SHARE });
  const pool = new EdgeEnv(system, 1).view.maxTokens[0];
  const run = (output: number, predicted: number, admission?: 'true-length'): number[] => {
    const requests = [[100, 300] as const, [100, output, predicted] as const];
    const workload = givenRequests([requests]);
    const { completed, rejected, lostToPrediction, littleResidual } = simulate(
      { ...system, admission },
      schedulers.jsq,
      1,
      { workload },
    );
    expect(littleResidual).toBeCloseTo(0, 9);
    return [completed, rejected, lostToPrediction];
  };

  it('is admitted by its prediction and lost when it has outgrown the pool', () => {
    expect(run(pool, 300)).toEqual([1, 1, 1]);
  });

  it('is answered when it fills the pool to the last token', () => {
    expect(run(pool - 100, 300)).toEqual([2, 0, 0]);
    expect(run(pool - 99, 300)).toEqual([1, 1, 1]);
  });

  it('is refused on arrival if its prediction tells, or if admission knows its true length', () => {
    expect(run(pool, pool)).toEqual([1, 1, 0]);
    expect(run(pool, 300, 'true-length')).toEqual([1, 1, 0]);
  });
});

describe('requests that are not served', () => {
  const system = systemConfig('calibrated', {
    gpus: ['rtx3080', 'rtx4090'],
    users: 1,
    slots: 1,
    kvPoolFraction: KV_SHARE,
  });

  it.each([
    ['fits no pool', 100_000, 100_000, [1, 0, 0]],
    ['outgrows its prediction and its server', 7000, 5000, [1, 1, 0]],
    ['is sent where it cannot fit, though its prediction is exact', 7000, 7000, [1, 0, 1]],
  ])('are told apart: one that %s', (_, output, predicted, expected) => {
    const workload = givenRequests([[[100, output, predicted]]]);
    const toFirst = () => (_view: unknown, assignment: Int32Array) => assignment.fill(0);
    const run = simulate(system, toFirst, 1, { workload });
    expect([run.rejected, run.lostToPrediction, run.misassigned]).toEqual(expected);
  });
});

describe('predictions', () => {
  it.each([0.3, 2, 5])('stay within 1 and 2^31 − 1 with sigma %d', (sigma) => {
    const base = { ...systemConfig('calibrated'), maxTokens: 8192 };
    const workload = withPredictionError(syntheticWorkload(base, 1), sigma, 1);
    const slot = slotRequests(base.users);
    for (let t = 0; t < 100; t++) {
      workload.fill(t, slot);
      expect(Math.min(...slot.predictedTokens)).toBeGreaterThanOrEqual(1);
    }
  });

  it('are shown cut to the largest pool; one that is no length is refused', () => {
    const system = systemConfig('calibrated', { users: 1, slots: 1, servers: 1 });
    const shown = (predicted: number): EdgeEnv['view'] =>
      new EdgeEnv(system, 1, { workload: givenRequests([[[70, 200, predicted]]]) }).reset().view;
    const view = shown(2 ** 31 - 1);
    expect(view.predictedTokens[0]).toBe(view.maxTokens[0]);
    expect(() => shown(-1_890_929_570)).toThrow(/slot 0, request 0: predictedTokens is -1890929570; allowed/);
  });
});

const small = { users: 20, servers: 4, slots: 30 };

describe('prediction error', () => {
  const system = systemConfig('calibrated', { ...small, predictionError: 'lognormal', predictionSigma: 0.4 });

  it('shows predicted lengths while the servers run the true ones', () => {
    const truth = syntheticWorkload(system, 13);
    const out = slotRequests(20);
    truth.fill(0, out);
    const { view } = new EdgeEnv(system, 13).reset();
    const shown = Array.from(view.predictedTokens.subarray(0, 20));
    expect(shown).not.toEqual(Array.from(out.outputTokens));
    expect(Array.from(view.inputTokens.subarray(0, 20))).toEqual(Array.from(out.inputTokens));
    expect('outputTokens' in view).toBe(false);
  });

  it('shows nothing that depends on true lengths before they have been observed', () => {
    // Two worlds with equal predictions and unlike true lengths, none of which ends before the second slot does.
    const world = (output: number): Workload =>
      givenRequests(
        Array.from({ length: 31 }, (_, t) =>
          Array.from({ length: 8 }, (_user, u) => [20 + u, output + 7 * u + t, 150 + u] as const),
        ),
      );
    const plain = systemConfig('calibrated', { ...small, users: 8 });
    const views = [300, 420].map((output) => {
      const seen: unknown[] = [];
      play(new EdgeEnv(plain, 14, { workload: world(output) }), spread, ({ view }) => {
        if (view.slot <= 2) seen.push(requestsOf(view), serversOf(view), view.allFit);
      });
      return seen;
    });
    expect(views[0]).toHaveLength(9);
    expect(views[1]).toEqual(views[0]);
  });
});

describe('a request larger than any pool', () => {
  const workload = givenRequests([
    [
      [10, 10],
      [5_000_000, 10],
      [20, 30],
    ],
    [[5_000_000, 1]],
    [],
    [[7, 5_000_000]],
  ]);

  it('is counted as rejected and never shown, by default', () => {
    const counts: unknown[] = [];
    play(
      new EdgeEnv(systemConfig('calibrated', { ...small, slots: 4 }), 1, { workload }),
      spread,
      ({ outcome, view }) => {
        counts.push([view.count, outcome?.arrived, outcome?.rejected]);
      },
    );
    expect(counts).toEqual([
      [2, undefined, undefined],
      [0, 3, 1],
      [0, 1, 1],
      [0, 0, 0],
      [0, 1, 1],
    ]);
  });

  it('stops with an error that names it when oversized is "error"', () => {
    const env = new EdgeEnv(systemConfig('calibrated', { ...small, slots: 4, oversized: 'error' }), 1, { workload });
    expect(() => env.reset()).toThrow(UserError);
    expect(() =>
      new EdgeEnv(systemConfig('calibrated', { ...small, oversized: 'error' }), 1, { workload }).reset(),
    ).toThrow(/slot 0, request 1: .*5000010.*allowed: at most/);
  });

  it('is rejected by a server too small for it, though others would hold it', () => {
    const system = systemConfig('calibrated', { gpus: ['rtx3080', 'rtx4090'], slots: 1 });
    const [small] = new EdgeEnv(system, 1).servers;
    const env = new EdgeEnv(system, 1, {
      workload: givenRequests([
        [
          [small.maxTokens, 1],
          [small.maxTokens, 1],
        ],
      ]),
    });
    expect(env.reset().view.allFit).toBe(false);
    const { outcome } = env.step(Int32Array.of(0, 1));
    expect([outcome?.arrived, outcome?.rejected, outcome?.completions.length]).toEqual([2, 1, 1]);
  });
});
