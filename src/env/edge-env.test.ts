import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { schedulers } from '../schedulers/index';
import type { SystemConfig } from '../system/config';
import { serverSpecs } from '../system/gpus';
import { systemConfig } from '../system/presets';
import type { IterationRecorder } from '../system/trajectory';
import { syntheticWorkload } from '../system/workload';
import { checkEnv } from '../../tests/support/check-env';
import { play, spread } from '../../tests/support/play';
import { givenRequests, partsOf, requestsOf, serversOf } from '../../tests/support/views';
import { EdgeEnv, type EdgeEnvOptions } from './edge-env';
import type { SlotOutcome } from './outcome';
import { driftPlusPenalty, rewardWeights } from './reward';
import type { Scheduler, SchedulerFactory } from './scheduler';
import { simulate } from './simulate';
import { driftBound, lyapunov } from './virtual-queue';

function config(overrides: Partial<SystemConfig> = {}): SystemConfig {
  return systemConfig('calibrated', { users: 20, servers: 4, slots: 30, ...overrides });
}

/** Tells every outcome of a run whose requests are spread over the servers. */
function each(system: SystemConfig, seed: number, onSlot: (outcome: SlotOutcome) => void): void {
  simulate(system, () => spread, seed, { onSlot });
}

describe('EdgeEnv', () => {
  it.each([
    { name: 'deed', overrides: {} },
    { name: 'static', overrides: { batching: 'static' } },
    { name: 'one slot', overrides: { slots: 1 } },
    { name: 'one user and server', overrides: { users: 1, servers: 1 } },
    { name: 'predicted lengths', overrides: { predictionError: 'lognormal', predictionSigma: 0.5 } },
    { name: 'long slots', overrides: { slotSeconds: 5 } },
    { name: 'heavy tails', overrides: { lengths: 'lmsys-like', users: 30 } },
  ] as const)('conforms: $name', ({ overrides }) => {
    const system = config(overrides);
    checkEnv(
      () => new EdgeEnv(system, 3, { reward: (outcome) => driftPlusPenalty.terms(outcome, rewardWeights(system)) }),
      spread,
    );
    checkEnv(() => new EdgeEnv(system, 3), spread);
  });

  it('accounts for every request at every slot: arrived = completed + in flight + rejected', () => {
    const large = config({ lengths: 'lmsys-like', sigmaOutput: 2, users: 40 });
    let [arrived, completed, rejected, slots] = [0, 0, 0, 0];
    each(large, 1, (outcome) => {
      slots++;
      arrived += outcome.arrived;
      completed += outcome.completions.length;
      rejected += outcome.rejected;
      expect(arrived).toBe(completed + outcome.inSystem + rejected);
      expect(arrived).toBe(40 * slots);
    });
    expect(rejected).toBeGreaterThan(0);
    expect(completed + rejected).toBe(arrived);
  });

  it('completes each request once, on the server it was assigned to', () => {
    const seen = new Set<string>();
    each(config(), 5, ({ completions }) => {
      for (const { slot, index, server } of completions.rows()) {
        const key = `${slot}/${index}`;
        expect(seen.has(key)).toBe(false);
        seen.add(key);
        expect(server).toBe((index + slot) % 4);
      }
    });
    expect(seen.size).toBe(20 * 30);
  });

  it('leaves nothing behind after the drain', () => {
    const env = new EdgeEnv(config({ users: 60, predictionError: 'lognormal', predictionSigma: 0.6 }), 2);
    play(env, spread);
    expect(env.outcome.inSystem).toBe(0);
    for (const server of env.servers) {
      expect(server.requestCount).toBe(0);
      expect(server.runningCount + server.waitingCount + server.prefillingCount).toBe(0);
      expect(server.expectedWork()).toEqual({ tokens: 0, tokenIterations: 0 });
      expect(server.kvTokens).toBe(0);
    }
  });

  it.each(['deed', 'static'] as const)(
    'splits D_tot into parts that are not negative and sum to it (%s)',
    (batching) => {
      each(config({ users: 50, batching }), 4, ({ completions }) => {
        for (const request of completions.rows()) {
          expect(Math.min(...partsOf(request))).toBeGreaterThan(-1e-12);
          expect(partsOf(request).reduce((a, b) => a + b, 0)).toBeCloseTo(request.total, 9);
          expect(request.completedAt - request.slot).toBeCloseTo(request.total, 12);
        }
      });
    },
  );

  it.each(['deed', 'static'] as const)('has η and the peak of the recorded iterations (%s)', (batching) => {
    const system = config({ users: 40, batching });
    const pools = serverSpecs(system).map((spec) => spec.kvCapacityBytes);
    const eta = Array.from({ length: system.slots }, () => new Float64Array(4));
    const peak = Array.from({ length: system.slots }, () => new Float64Array(4));
    const recorder: IterationRecorder = {
      record({ server: s, slot, seconds, kvBytes }) {
        if (slot >= system.slots) return;
        eta[slot][s] += (kvBytes * seconds) / pools[s];
        peak[slot][s] = Math.max(peak[slot][s], kvBytes / pools[s]);
      },
    };
    const onSlot = (outcome: SlotOutcome): void => {
      for (let s = 0; s < 4; s++) {
        expect(outcome.eta[s]).toBeCloseTo(eta[outcome.slot][s], 12);
        expect(outcome.peak[s]).toBeCloseTo(peak[outcome.slot][s], 12);
        expect(outcome.peak[s]).toBeLessThanOrEqual(1);
      }
    };
    simulate(system, () => spread, 6, { recorder, onSlot });
  });

  it('moves the virtual queues by Z(t+1) = max(Z + Y − ε, 0), within the drift bound', () => {
    const system = config({ balanceTolerance: 0.001 });
    let expected = [0, 0, 0, 0];
    let grew = false;
    play(
      new EdgeEnv(system, 8),
      (view, a) => a.fill(0, 0, view.count),
      ({ outcome, view }) => {
        expect(Array.from(view.queue)).toEqual(
          outcome === null ? [0, 0, 0, 0] : expected.map((z, s) => Math.max(z + outcome.deviation[s] - 0.001, 0)),
        );
        if (outcome === null) return;
        expect(Array.from(outcome.queue)).toEqual(expected);
        const mean = outcome.eta.reduce((a, b) => a + b, 0) / 4;
        outcome.deviation.forEach((y, s) => {
          expect(y).toBeCloseTo((outcome.eta[s] - mean) ** 2, 12);
        });
        const drift = lyapunov(view.queue) - lyapunov(outcome.queue);
        expect(drift).toBeLessThanOrEqual(driftBound(outcome.queue, outcome.deviation, 0.001) + 1e-12);
        expected = Array.from(view.queue);
        grew ||= expected.some((z) => z > 0.1);
      },
    );
    expect(grew).toBe(true);
  });

  it('gives every scheduler the same users, links and requests, however much it draws itself', () => {
    const slots = [schedulers.random, schedulers.ll, schedulers['power-of-two']].map((factory, f) => {
      const rng = createRng(9).fork('scheduler');
      for (let draws = 0; draws < 100 * f; draws++) rng.uniform();
      const seen: unknown[] = [];
      play(new EdgeEnv(config(), 9), factory(config(), rng), ({ view }) => seen.push(requestsOf(view)));
      return JSON.stringify(seen);
    });
    expect(slots[1]).toBe(slots[0]);
    expect(slots[2]).toBe(slots[0]);
    let other = '';
    play(new EdgeEnv(config(), 10), spread, ({ view }) => (other ||= JSON.stringify([requestsOf(view)])));
    expect(slots[0].startsWith(other.slice(0, -1))).toBe(false);
  });

  it('gives permuted outcomes for permuted servers', () => {
    // Without a network in between: servers differ in place and band, so the links are made alike.
    const base: Partial<SystemConfig> = {
      fading: 'none',
      bandwidthMHz: [10, 10],
      txPowerDbm: [20, 20],
      pathLossDbPerDecade: 0,
    };
    const order = [2, 0, 3, 1];
    const gpus = ['rtx3080', 'rtx3090', 'rtx4090', 'rtx3080'];
    const told = (names: string[], place: (s: number) => number): { total: number[]; eta: number[][] } => {
      const total: number[] = [];
      const eta: number[][] = [];
      const assign: Scheduler = (view, a) => {
        for (let i = 0; i < view.count; i++) a[i] = place((i * i + view.slot) % 4);
      };
      const onSlot = (outcome: SlotOutcome): void => {
        eta.push([0, 1, 2, 3].map((s) => outcome.eta[place(s)]));
        for (const request of outcome.completions.rows()) total[request.slot * 20 + request.index] = request.total;
      };
      simulate(config({ ...base, gpus: names }), () => assign, 11, { onSlot });
      return { total, eta };
    };
    const plain = told(gpus, (s) => s);
    const moved: string[] = [];
    gpus.forEach((gpu, s) => (moved[order[s]] = gpu));
    expect(told(moved, (s) => order[s])).toEqual(plain);
  });

  describe('fork', () => {
    it.each([
      { name: 'deed', overrides: {} },
      { name: 'static', overrides: { batching: 'static' } },
      { name: 'predicted lengths', overrides: { predictionError: 'lognormal' } },
    ] as const)('has the same future and leaves the original alone: $name', ({ overrides }) => {
      const system = config({ users: 40, ...overrides });
      const options: EdgeEnvOptions = { reward: (outcome) => driftPlusPenalty.terms(outcome, rewardWeights(system)) };
      /** The rest of a run. */
      const transcript = (env: EdgeEnv, assign: Scheduler): string => {
        const lines: unknown[] = [requestsOf(env.view), serversOf(env.view)];
        for (let last = false; !last;) {
          const a = new Int32Array(env.view.count);
          assign(env.view, a);
          const { reward, stepType, view } = env.step(a);
          const { completions, eta, queue, inSystem } = env.outcome;
          const totals = completions.rows().map(({ total }) => total);
          lines.push(reward, totals, [...eta], [...queue], inSystem, requestsOf(view), serversOf(view));
          last = stepType === 'last';
        }
        return JSON.stringify(lines);
      };
      const start = (): EdgeEnv => {
        const env = new EdgeEnv(system, 12, options);
        env.reset();
        for (let t = 0; t < 10; t++) {
          const a = new Int32Array(env.view.count);
          spread(env.view, a);
          env.step(a);
        }
        return env;
      };
      const expected = transcript(start(), spread);
      const env = start();
      const [copy, astray] = [env.fork(), env.fork()];
      expect(transcript(astray, (v, a) => a.fill(1, 0, v.count))).not.toBe(expected);
      expect(transcript(copy, spread)).toBe(expected);
      expect(transcript(env, spread)).toBe(expected);
    });
  });

  it('takes empty slots, and refuses an assignment to no server', () => {
    const workload = givenRequests([[], [[5, 5]], []]);
    const counts: number[] = [];
    simulate(config({ slots: 3 }), () => spread, 1, {
      workload,
      onSlot: ({ completions }) => counts.push(completions.length),
    });
    expect(counts).toEqual([0, 1, 0]);
    const env = new EdgeEnv(config(), 1);
    env.reset();
    for (const wrong of [4, -1])
      expect(() => env.step(new Int32Array(20).fill(wrong))).toThrow(
        `assignment[0] is ${wrong}; allowed: a server's index, 0 to 3`,
      );
    expect(() => env.step(new Int32Array(3))).toThrow(/assignment\[3\] is missing/);
  });

  it.each([
    [{ slotSeconds: -1 }, 'slotSeconds is -1; allowed: a finite number > 0'],
    [{ kvPoolFraction: 5 }, 'kvPoolFraction is 5; allowed: a number in (0, 1]'],
    [{ slots: 0 }, 'slots is 0; allowed: an integer from 1 to 1000000000'],
    [{ gpus: ['rtx3080'] }, 'gpus has 1 names and servers is 4; allowed: as many names as servers'],
    [{ usrs: 3 }, 'usrs is 3; allowed: no unknown keys; did you mean users?'],
  ])('refuses %j in a configuration that was changed by hand', (fields, message) => {
    expect(() => simulate({ ...config(), ...fields }, schedulers.random, 1)).toThrow(`configuration: ${message}`);
  });

  it('refuses a request of a user that the configuration does not have, and a scheduler that is none', () => {
    const env = new EdgeEnv(config(), 1, { workload: syntheticWorkload(config({ users: 41 }), 1) });
    expect(() => env.reset()).toThrow('slot 0, request 20: user is 20; allowed: an index of the 20 users, 0 to 19');
    const misspelt = schedulers['rndom' as 'random'];
    expect(() => simulate(config(), misspelt, 1)).toThrow(
      /scheduler is missing; allowed: a function .*schedulers\.random/,
    );
    const empty = (() => undefined) as unknown as SchedulerFactory;
    expect(() => simulate(config(), empty, 1)).toThrow(/result of the scheduler is missing; allowed: a function /);
    const idle: SchedulerFactory = () => (view, assignment) => void (assignment[0] = view.slot);
    expect(() => simulate(config(), idle, 1)).toThrow(/^assignment\[1\] is -1; allowed: a server's index, 0 to /);
  });

  it('holds finished requests to the end of a static batch', () => {
    const workload = givenRequests([
      [
        [10, 5],
        [10, 50],
      ],
    ]);
    const totals = (batching: 'deed' | 'static'): number[] => {
      const env = new EdgeEnv(config({ slots: 1, batching }), 1, { workload });
      env.reset();
      const done = env.step(Int32Array.of(0, 0)).outcome!.completions;
      return done.rows().map(({ completedAt }) => completedAt);
    };
    const [early, late] = totals('deed');
    expect(early).toBeLessThan(late);
    const [first, second] = totals('static');
    expect(first).toBe(second);
  });
});
