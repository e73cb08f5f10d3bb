import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReplayedRequest, type ReplayResult, replay } from '../src/system/replay';
import type { Scenario, ScenarioRequest, ServerSpec } from '../src/system/scenario';
import { anyScenario, dyadicScenario } from './support/arbitraries';
import { TOLERANCE, differences } from './support/compare';
import { fuzz } from './support/fuzz';
import { isOversized } from './support/oracle';

/** A request that ran: what was asked, what came out, and the order in which it was submitted to its server. */
interface Ran extends ReplayedRequest {
  readonly request: ScenarioRequest;
  readonly slotStartsAt: number;
  readonly joinedAt: number;
}

/** The completed requests of one server in arrival order; in dyadic scenarios `joinedAt` is exact. */
function ranOn(server: ServerSpec, scenario: Scenario, result: ReplayResult): Ran[] {
  const outcomes = new Map(result.requests.map((outcome) => [outcome.id, outcome]));
  return scenario.slots.flatMap((slot, t) =>
    slot.requests.flatMap((request) => {
      const outcome = outcomes.get(request.id);
      if (request.server !== server.name || outcome === undefined || 'rejected' in outcome) return [];
      return [
        { ...outcome, request, slotStartsAt: t * scenario.slotSeconds, joinedAt: outcome.completedAt - outcome.decode },
      ];
    }),
  );
}

/** Runs a property of whole results on random scenarios. */
function always(scenarios: fc.Arbitrary<Scenario>, property: (scenario: Scenario, result: ReplayResult) => void): void {
  fc.assert(
    fc.property(scenarios, (scenario) => {
      property(scenario, replay(scenario));
    }),
    fuzz(400),
  );
}

/** Runs a property of one server at a time. */
function alwaysOnEachServer(
  scenarios: fc.Arbitrary<Scenario>,
  property: (
    on: {
      server: ServerSpec;
      trajectory: ReplayResult['servers'][number]['trajectory'];
      slots: ReplayResult['servers'][number]['slots'];
      ran: Ran[];
    },
    scenario: Scenario,
  ) => void,
): void {
  always(scenarios, (scenario, result) => {
    scenario.servers.forEach((server, s) => {
      const { trajectory, slots } = result.servers[s];
      property({ server, trajectory, slots, ran: ranOn(server, scenario, result) }, scenario);
    });
  });
}

const same = (actual: unknown, expected: unknown): void => {
  expect(differences(actual, expected)).toEqual([]);
};

type Changes = Readonly<Record<string, (value: never) => unknown>>;

/** A copy in which every field of one of these names is changed, however deep it lies. */
function changed<T>(value: T, changes: Changes): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => changed(item, changes)) as T;
  const entries = Object.entries(value).map(([name, item]: [string, unknown]) => [
    name,
    Object.hasOwn(changes, name) ? changes[name](item as never) : changed(item, changes),
  ]);
  return Object.fromEntries(entries) as T;
}

/** The result with named numbers in its iterations. */
const named = ({ requests, servers }: ReplayResult): unknown => ({
  requests,
  servers: servers.map(({ trajectory, ...rest }) => ({
    ...rest,
    trajectory: trajectory.map(([slot, k, startsAt, seconds, kvBytes, active]) => ({
      slot,
      k,
      startsAt,
      seconds,
      kvBytes,
      active,
    })),
  })),
});

const twice = (x: number): number => 2 * x;
const half = (x: number): number => x / 2;
const all = (names: string, change: (x: number) => number): Changes =>
  Object.fromEntries(names.split(' ').map((name) => [name, change]));

describe('requests', () => {
  it('complete once or are rejected for their size, and are listed by code points', () => {
    always(anyScenario(), (scenario, { requests }) => {
      const asked = scenario.slots.flatMap((slot) => slot.requests);
      const ids = requests.map((request) => request.id);
      expect(ids).toEqual(
        asked.map((request) => request.id).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
      const rejected = new Set(requests.filter((request) => 'rejected' in request).map((request) => request.id));
      for (const request of asked) expect(rejected.has(request.id)).toBe(isOversized(scenario, request));
    });
  });

  it('have four parts, none negative, that sum to the total', () => {
    alwaysOnEachServer(anyScenario(), ({ ran }) => {
      for (const { request, slotStartsAt, completedAt, transmission, prefill, decode, waiting, total } of ran) {
        const slack = TOLERANCE * Math.max(1, total);
        expect(transmission).toBe(request.transmissionSeconds);
        expect(Math.min(transmission, prefill, decode, waiting)).toBeGreaterThanOrEqual(-slack);
        expect(Math.abs(transmission + prefill + decode + waiting - total)).toBeLessThanOrEqual(slack);
        expect(Math.abs(completedAt - slotStartsAt - total)).toBeLessThanOrEqual(slack);
      }
    });
  });

  it('deed: decode for exactly one iteration per output token; one token, one iteration', () => {
    alwaysOnEachServer(dyadicScenario({ batching: 'deed' }), ({ ran, trajectory }) => {
      for (const { request, joinedAt, completedAt, decode } of ran) {
        const own = trajectory.filter(([, , startsAt]) => joinedAt <= startsAt && startsAt < completedAt);
        expect(own).toHaveLength(request.outputTokens);
        expect(own.reduce((sum, [, , , seconds]) => sum + seconds, 0)).toBe(decode);
      }
    });
  });
});

describe('tokens and KV bytes', () => {
  it('deed: tokens are conserved', () => {
    alwaysOnEachServer(anyScenario({ batching: 'deed' }), ({ ran, trajectory }) => {
      const made = trajectory.reduce((sum, [, , , , , active]) => sum + active, 0);
      expect(made).toBe(ran.reduce((sum, { request }) => sum + request.outputTokens, 0));
    });
  });

  it('static: tokens are conserved, a batch holding its place until its longest request ends', () => {
    alwaysOnEachServer(anyScenario({ batching: 'static' }), ({ ran, trajectory }) => {
      const places = trajectory.reduce((sum, [, , , , , active]) => sum + active, 0);
      const batches = [...new Set(ran.map(({ completedAt }) => completedAt))].map((end) =>
        ran.filter(({ completedAt }) => completedAt === end),
      );
      expect(places).toBe(
        batches.reduce(
          (sum, batch) => sum + batch.length * Math.max(...batch.map(({ request }) => request.outputTokens)),
          0,
        ),
      );
      expect(trajectory).toHaveLength(
        batches.reduce((sum, batch) => sum + Math.max(...batch.map(({ request }) => request.outputTokens)), 0),
      );
    });
  });

  it('the KV cache is never above capacity', () => {
    alwaysOnEachServer(anyScenario(), ({ server, trajectory, slots }) => {
      for (const [, , , , kvBytes] of trajectory) expect(kvBytes).toBeLessThanOrEqual(server.kvCapacityBytes);
      for (const { peakKvBytes } of slots) expect(peakKvBytes).toBeLessThanOrEqual(server.kvCapacityBytes);
    });
  });

  it('the KV cache is empty after the drain: the last iteration ends every request in it, and later slots are not listed', () => {
    alwaysOnEachServer(anyScenario(), ({ ran, trajectory, slots }, scenario) => {
      const last = trajectory.at(-1);
      if (last === undefined) {
        expect(ran).toEqual([]);
        return;
      }
      const [slot, , startsAt, seconds, , active] = last;
      expect(Math.max(...ran.map(({ completedAt }) => completedAt))).toBe(startsAt + seconds);
      expect(ran.filter(({ completedAt }) => completedAt === startsAt + seconds)).toHaveLength(active);
      expect(slots.at(-1)?.slot).toBe(Math.max(slot, scenario.slots.length - 1));
    });
  });
});

describe('iterations', () => {
  it('static: nobody joins a running batch, and a batch fits at its full length', () => {
    alwaysOnEachServer(dyadicScenario({ batching: 'static' }), ({ server, ran }, scenario) => {
      for (const one of ran) {
        for (const other of ran) {
          const together = one.joinedAt === other.joinedAt && one.completedAt === other.completedAt;
          const apart = one.completedAt <= other.joinedAt || other.completedAt <= one.joinedAt;
          expect(together || apart).toBe(true);
        }
        const batch = ran.filter(({ completedAt }) => completedAt === one.completedAt);
        const tokens = batch.reduce((sum, { request }) => sum + request.inputTokens + request.outputTokens, 0);
        expect(scenario.kvBytesPerToken * tokens).toBeLessThanOrEqual(server.kvCapacityBytes);
      }
    });
  });

  it('static is deed when memory holds one request at a time', () => {
    // 201 + 1 tokens and more each, 360 at most, and two never fit in 360.
    const alone = dyadicScenario({ batching: 'deed' }).map((scenario) =>
      changed(scenario, {
        kvCapacityBytes: () => scenario.kvBytesPerToken * 360,
        inputTokens: (tokens: number) => 200 + tokens,
      }),
    );
    always(alone, (scenario, result) => {
      same(replay({ ...scenario, batching: 'static' }), result);
    });
  });
});

describe('symmetries', () => {
  it('the same scenario gives the same result, and is not changed', () => {
    always(anyScenario(), (scenario, result) => {
      const before = structuredClone(scenario);
      expect(replay(scenario)).toEqual(result);
      expect(scenario).toEqual(before);
    });
  });

  it("permuting the servers' order permutes the outputs", () => {
    always(anyScenario(), (scenario, { requests, servers }) => {
      same(replay({ ...scenario, servers: [...scenario.servers].reverse() }), {
        requests,
        servers: [...servers].reverse(),
      });
    });
  });

  it('servers share nothing: each gives the same alone', () => {
    always(anyScenario(), (scenario, result) => {
      scenario.servers.forEach((server, s) => {
        const slots = scenario.slots.map((slot) => ({
          requests: slot.requests.filter((request) => request.server === server.name),
        }));
        const alone = replay({ ...scenario, servers: [server], slots });
        const ids = new Set(slots.flatMap((slot) => slot.requests.map((request) => request.id)));
        same(alone, {
          requests: result.requests.filter((request) => ids.has(request.id)),
          servers: [result.servers[s]],
        });
      });
    });
  });

  it('renaming requests and servers changes nothing else', () => {
    always(anyScenario(), (scenario, result) => {
      const servers = new Map(scenario.servers.map(({ name }, s) => [name, `server ${String(s)}`]));
      const ids = new Map(scenario.slots.flatMap(({ requests }) => requests).map(({ id }, i) => [id, `z${99999 - i}`]));
      const server = (name: string): string | undefined => servers.get(name);
      const changes = { server, name: server, id: (id: string) => ids.get(id) };
      const renamed = changed(result, changes);
      same(replay(changed(scenario, changes)), {
        ...renamed,
        requests: [...renamed.requests].sort((a, b) => (a.id < b.id ? -1 : 1)),
      });
    });
  });

  it('time has no scale: all seconds doubled and all speeds halved doubles every time', () => {
    const slower = {
      ...all('slotSeconds transmissionSeconds', twice),
      ...all('prefillTokensPerSecond iterationsPerSecond', half),
    };
    const times = all('completedAt transmission prefill decode waiting total startsAt seconds', twice);
    always(anyScenario(), (scenario, result) => {
      same(named(replay(changed(scenario, slower))), changed(named(result), times));
    });
  });

  it('bytes have no scale: α, capacities and profiles doubled doubles the KV bytes alone', () => {
    const wider = all('kvBytesPerToken kvCapacityBytes kvBytes', twice);
    always(anyScenario(), (scenario, result) => {
      same(named(replay(changed(scenario, wider))), changed(named(result), all('peakKvBytes kvBytes', twice)));
    });
  });

  it('an empty slot in front moves everything by Δ', () => {
    always(dyadicScenario(), (scenario, result) => {
      const later = replay({ ...scenario, slots: [{ requests: [] }, ...scenario.slots] });
      const servers = later.servers.map((server) => ({ ...server, slots: server.slots.slice(1) }));
      const moved = {
        ...all('completedAt startsAt', (at) => at + scenario.slotSeconds),
        ...all('slot', (slot) => slot + 1),
      };
      same(named({ ...later, servers }), changed(named(result), moved));
    });
  });

  it('an empty slot at the end changes no request and no iteration', () => {
    always(anyScenario(), (scenario, result) => {
      const longer = replay({ ...scenario, slots: [...scenario.slots, { requests: [] }] });
      same(longer.requests, result.requests);
      same(
        longer.servers.map((server) => server.trajectory),
        result.servers.map((server) => server.trajectory),
      );
    });
  });

  it('the last slot cannot change what began before it', () => {
    always(anyScenario(), (scenario, result) => {
      const lastSlotAt = (scenario.slots.length - 1) * scenario.slotSeconds;
      const before = (outcome: ReplayResult): unknown =>
        outcome.servers.map((server) => server.trajectory.filter(([, , startsAt]) => startsAt < lastSlotAt));
      same(before(replay({ ...scenario, slots: scenario.slots.slice(0, -1) })), before(result));
    });
  });
});
