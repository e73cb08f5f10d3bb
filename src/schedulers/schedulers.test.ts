import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { EdgeEnv } from '../env/edge-env';
import type { SchedulerFactory } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { simulate } from '../env/simulate';
import type { SystemConfig } from '../system/config';
import { systemConfig } from '../system/presets';
import { givenRequests } from '../../tests/support/views';
import { CostTree, cheapest } from './choice';
import { type SchedulerName, schedulerNames, schedulers } from './index';

function config(overrides: Partial<SystemConfig> = {}): SystemConfig {
  return systemConfig('calibrated', { slots: 30, ...overrides });
}

/** Calls `seen` with every slot's view and assignment. */
function watch(
  system: SystemConfig,
  name: SchedulerName,
  seen: (view: SlotView, assignment: Int32Array) => void,
  seed = 1,
): void {
  const watched: SchedulerFactory = (...parts) => {
    const assign = schedulers[name](...parts);
    return (view, assignment) => {
      assign(view, assignment);
      seen(view, assignment.subarray(0, view.count));
    };
  };
  simulate(system, watched, seed);
}

/** The number of a slot's requests on each server. */
function counts(assignment: Int32Array, servers: number): number[] {
  const count = new Array<number>(servers).fill(0);
  for (const s of assignment) count[s]++;
  return count;
}

const mean = (name: SchedulerName, system: SystemConfig): { latency: number; deviation: number } => {
  const { meanLatency, deviation } = simulate(system, schedulers[name], 1);
  return { latency: meanLatency, deviation };
};

describe.each(schedulerNames)('%s', (name) => {
  it.each([
    { users: 40 },
    { users: 1 },
    { users: 7, servers: 1 },
    { users: 70 },
    { users: 30, lengths: 'lmsys-like', sigmaOutput: 1.6 },
  ] as const)('assigns every request to a server that can hold it: %o', (overrides) => {
    const system = config(overrides);
    watch(system, name, (view, assignment) => {
      assignment.forEach((s, i) => {
        expect(s >= 0 && s < system.servers).toBe(true);
        const anyFits = Array.from({ length: system.servers }, (_, other) => view.fits(i, other)).includes(true);
        if (anyFits) expect(view.fits(i, s)).toBe(true);
      });
    });
  });

  it('does the same twice', () => {
    expect(simulate(config(), schedulers[name], 3)).toEqual(simulate(config(), schedulers[name], 3));
  });
});

describe('random', () => {
  it('is uniform over the servers', () => {
    const total = new Array<number>(8).fill(0);
    watch(config({ slots: 400 }), 'random', (_view, a) => {
      counts(a, 8).forEach((n, s) => (total[s] += n));
    });
    // 16 000 draws: 2000 each, standard deviation 42.
    for (const n of total) expect(Math.abs(n - 2000)).toBeLessThan(200);
  });
});

describe('ll', () => {
  it('as published sends a slot to one server, the one of least workload; in a tie it draws', () => {
    const first = new Set<number>();
    watch(config(), 'll', (view, a) => {
      const least = Math.min(...view.workload);
      const tied = view.workload.filter((w) => w === least).length;
      if (tied === 1) expect(new Set(a).size).toBe(1);
      for (const s of a) expect(view.workload[s]).toBe(least);
      if (view.slot === 0) for (const s of a) first.add(s);
    });
    expect(first.size).toBe(8);
  });

  it('in-slot spreads a slot, each request to the least workload seen so far', () => {
    watch(config(), 'll-in-slot', (view, a) => {
      const load = Float64Array.from(view.workload);
      a.forEach((s, i) => {
        expect(load[s]).toBe(Math.min(...load));
        load[s] += view.requestWorkload(i, s);
      });
      if (view.slot > 3) expect(Math.max(...counts(a, 8))).toBeLessThan(20);
    });
  });
});

describe('jsq', () => {
  it('joins a shortest queue and counts the slot’s own requests', () => {
    watch(config(), 'jsq', (view, a) => {
      const queued = view.running.map((n, s) => n + view.waiting[s] + view.prefilling[s]);
      for (const s of a) {
        expect(queued[s]).toBe(Math.min(...queued));
        queued[s]++;
      }
    });
  });
});

describe('power-of-two', () => {
  it('draws both candidates uniformly: on empty servers the first of equals is the one drawn first', () => {
    const total = new Array<number>(4).fill(0);
    for (let seed = 0; seed < 400; seed++)
      watch(config({ slots: 1, users: 1, servers: 4 }), 'power-of-two', (_view, a) => total[a[0]]++, seed);
    for (const n of total) expect(Math.abs(n - 100)).toBeLessThan(40);
  });
});

describe('wrr', () => {
  it('keeps the exact proportions of the serving speeds at every moment', () => {
    const system = config({ slots: 300 });
    const total = new Array<number>(8).fill(0);
    let sent = 0;
    watch(system, 'wrr', (view, a) => {
      const weight = Array.from(view.maxTokens, (tokens, s) => tokens / view.iterationSeconds(s, tokens));
      const sum = weight.reduce((x, y) => x + y, 0);
      counts(a, 8).forEach((n, s) => (total[s] += n));
      sent += a.length;
      // Smooth weighted round robin is never a whole request away from its share, times the number of servers' log.
      total.forEach((n, s) => {
        expect(Math.abs(n - (sent * weight[s]) / sum)).toBeLessThan(2);
      });
    });
    expect(sent).toBe(300 * 40);
  });
});

describe('latency-greedy and drift-plus-penalty', () => {
  // In the printed unit, 1, Z takes more slots than these to grow.
  const system = config({ slots: 300, balanceUnit: 0.3 });
  const drift = mean('drift-plus-penalty', system);
  const random = mean('random', system);
  const leastLoaded = mean('ll-in-slot', system);

  it('drift-plus-penalty keeps the deviation within ε and is no slower than least loaded', () => {
    expect(drift.deviation).toBeLessThan(0.01);
    expect(drift.deviation).toBeLessThan(0.2 * random.deviation);
    expect(drift.latency).toBeLessThan(leastLoaded.latency);
  });

  it('drift-plus-penalty weighs: more ν, less latency and more deviation', () => {
    // Far below, it chases its own forecast's error; far above, imbalance costs latency too.
    const balanced = mean('drift-plus-penalty', { ...system, latencyWeight: 0.1 });
    const hasty = mean('drift-plus-penalty', { ...system, latencyWeight: 5 });
    expect(hasty.latency).toBeLessThan(balanced.latency);
    expect(hasty.deviation).toBeGreaterThan(balanced.deviation);
  });
});

describe('CostTree', () => {
  const anywhere = { allFit: true } as unknown as SlotView;

  it.each([1, 2, 3, 5, 8, 13, 800])('draws among the least of %d servers, each of them', (servers) => {
    const rng = createRng(servers);
    const tree = new CostTree(servers);
    for (let s = 0; s < servers; s++) tree.set(s, rng.int(5));
    for (let n = 0; n < 300; n++) {
      const least = Math.min(...tree.cost);
      expect(tree.cost[tree.cheapest(anywhere, 0, rng)]).toBe(least);
      expect(tree.cost[cheapest(anywhere, 0, tree.cost, rng)]).toBe(least);
      tree.set(rng.int(servers), rng.int(6));
    }
  });

  it('passes over servers that cannot hold the request', () => {
    const view = { allFit: false, isCandidate: (_i: number, s: number) => s !== 1 } as unknown as SlotView;
    const tree = new CostTree(3);
    [2, 0, 1].forEach((cost, s) => {
      tree.set(s, cost);
    });
    expect(tree.cheapest(view, 0, createRng(1))).toBe(2);
  });
});

describe('ties', () => {
  it.each(['jsq', 'll-in-slot', 'll', 'power-of-two', 'wrr'] as const)(
    '%s: one user uses all of eight equal servers',
    (name) => {
      const used = new Set<number>();
      watch(config({ users: 1, slots: 200, mix: 'Hom' }), name, (_view, a) => {
        a.forEach((s) => used.add(s));
      });
      expect(used.size).toBe(8);
    },
  );
});

describe('a prediction that fits no pool', () => {
  it.each(schedulerNames)('%s spreads such requests', (name) => {
    const system = config({ users: 8, servers: 8, slots: 1, mix: 'Hom' });
    const requests = Array.from({ length: 8 }, () => [70, 200, 20_000] as const);
    const { view } = new EdgeEnv(system, 1, { workload: givenRequests([requests]) }).reset();
    const assignment = new Int32Array(8);
    schedulers[name](system, createRng(1))(view, assignment);
    expect(view.isCandidate(0, 3)).toBe(true);
    expect(view.fits(0, 3)).toBe(false);
    // LL as published sends a slot to the least loaded; here all are, and it draws.
    expect(new Set(assignment).size).toBeGreaterThan(
      name === 'random' || name === 'll' || name === 'power-of-two' ? 2 : 7,
    );
  });
});

describe('requests that outlive their predicted lengths', () => {
  const erring = config({ slots: 100, predictionError: 'lognormal' });

  it('leave those beside them in sight: the rest of each is at least one token', () => {
    // One request of 1000 tokens predicted to have 10, and three slots later four of 200 tokens, on server 0.
    const system = config({ users: 5, servers: 2, mix: 'Hom', slots: 6 });
    const later = Array.from({ length: 4 }, () => [70, 200] as const);
    const workload = givenRequests([[[70, 1000, 10]], [], [], later]);
    const env = new EdgeEnv(system, 1, { workload });
    let step = env.reset();
    for (let t = 0; t < 4; t++) step = env.step(new Int32Array(step.view.count));
    const { running, waiting, prefilling, remainingOutputTokens, remainingTokenIterations, workload: load } = step.view;
    expect(running[0] + waiting[0] + prefilling[0]).toBe(5);
    // Four of them have generated the same g tokens: 4·(200 − g) + 1 tokens are expected.
    const g = 200 - (remainingOutputTokens[0] - 1) / 4;
    expect(Number.isInteger(g) && g > 0 && g < 100).toBe(true);
    const left = 200 * 70 + (200 * 201) / 2 - (g * 70 + (g * (g + 1)) / 2);
    // The outlived one holds its next iteration's tokens.
    const outlived = remainingTokenIterations[0] - 4 * left;
    expect(outlived).toBe(step.view.kvTokens[0] - 4 * (70 + g + 1));
    expect(load[0]).toBeGreaterThan(0);
  });

  it('do not make drift-plus-penalty send a whole slot to one server', () => {
    let largest = 0;
    watch(erring, 'drift-plus-penalty', (_, assignment) => {
      largest = Math.max(largest, ...counts(assignment, 8));
    });
    expect(largest).toBeLessThan(30);
  });
});
