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

/** Start and end of every prefill of a server: start = max(slot start + slowest upload, previous end), length = Σ inputTokens / v_pre. */
function prefills(server: ServerSpec, scenario: Scenario): { startsAt: number; endsAt: number; ids: string[] }[] {
  const found: { startsAt: number; endsAt: number; ids: string[] }[] = [];
  scenario.slots.forEach((slot, t) => {
    const batch = slot.requests.filter((request) => request.server === server.name && !isOversized(scenario, request));
    if (batch.length === 0) return;
    const uploadedAt =
      t * scenario.slotSeconds + batch.reduce((max, request) => Math.max(max, request.transmissionSeconds), 0);
    const startsAt = Math.max(uploadedAt, found.at(-1)?.endsAt ?? 0);
    const endsAt =
      startsAt + batch.reduce((sum, request) => sum + request.inputTokens, 0) / server.prefillTokensPerSecond;
    found.push({ startsAt, endsAt, ids: batch.map((request) => request.id) });
  });
  return found;
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

/** The scenario with every request changed. */
function mapRequests(
  scenario: Scenario,
  change: (request: ScenarioRequest, index: number) => ScenarioRequest,
): Scenario {
  let index = 0;
  return {
    ...scenario,
    slots: scenario.slots.map((slot) => ({ requests: slot.requests.map((request) => change(request, index++)) })),
  };
}

/** The result with every point in time moved, spans untouched. */
function shifted(result: ReplayResult, bySlots: number, slotSeconds: number): ReplayResult {
  const by = bySlots * slotSeconds;
  return {
    requests: result.requests.map((request) =>
      'rejected' in request ? request : { ...request, completedAt: request.completedAt + by },
    ),
    servers: result.servers.map(({ name, slots, trajectory }) => ({
      name,
      slots: slots.map((slot) => ({ ...slot, slot: slot.slot + bySlots })),
      trajectory: trajectory.map(
        ([slot, k, startsAt, seconds, kvBytes, active]) =>
          [slot + bySlots, k, startsAt + by, seconds, kvBytes, active] as const,
      ),
    })),
  };
}

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

  it('are prefilled with their slot and join at or after its end, first come first served', () => {
    alwaysOnEachServer(dyadicScenario(), ({ server, ran }, scenario) => {
      const batches = prefills(server, scenario);
      let previousJoin = 0;
      for (const { id, prefill, joinedAt } of ran) {
        const batch = batches.find(({ ids }) => ids.includes(id));
        expect(prefill).toBe((batch?.endsAt ?? NaN) - (batch?.startsAt ?? NaN));
        expect(joinedAt).toBeGreaterThanOrEqual(batch?.endsAt ?? NaN);
        expect(joinedAt).toBeGreaterThanOrEqual(previousJoin);
        previousJoin = joinedAt;
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

  it('the KV cache is α·Σ(input + generated) of the requests between joining and completion', () => {
    alwaysOnEachServer(dyadicScenario(), ({ ran, trajectory }, scenario) => {
      trajectory.forEach(([, , startsAt, , kvBytes, active]) => {
        const running = ran.filter(({ joinedAt, completedAt }) => joinedAt <= startsAt && startsAt < completedAt);
        expect(active).toBe(running.length);
        const tokens = running.map(({ request, joinedAt }) => {
          const made = trajectory.filter(([, , at]) => joinedAt <= at && at <= startsAt).length;
          return request.inputTokens + Math.min(made, request.outputTokens);
        });
        expect(kvBytes).toBe(scenario.kvBytesPerToken * tokens.reduce((sum, n) => sum + n, 0));
      });
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
  it('lie in the slot they start in, numbered from 1', () => {
    alwaysOnEachServer(anyScenario(), ({ trajectory }, { slotSeconds }) => {
      const count = new Map<number, number>();
      for (const [slot, k, startsAt] of trajectory) {
        expect(slot * slotSeconds <= startsAt && startsAt < (slot + 1) * slotSeconds).toBe(true);
        count.set(slot, (count.get(slot) ?? 0) + 1);
        expect(k).toBe(count.get(slot));
      }
    });
  });

  it('sum to η, peak and K of every slot by brute force, idle slots of the horizon included', () => {
    alwaysOnEachServer(anyScenario(), ({ server, trajectory, slots }, scenario) => {
      const listed = new Set([...scenario.slots.keys(), ...trajectory.map(([slot]) => slot)]);
      const expected = [...listed].map((slot) => {
        const own = trajectory.filter(([at]) => at === slot);
        const byteSeconds = own.reduce((sum, [, , , seconds, kvBytes]) => sum + kvBytes * seconds, 0);
        return {
          slot,
          eta: byteSeconds / (server.kvCapacityBytes * scenario.slotSeconds),
          peakKvBytes: Math.max(0, ...own.map(([, , , , kvBytes]) => kvBytes)),
          iterations: own.length,
        };
      });
      same(slots, expected);
    });
  });

  it('take 1/v(KV bytes), longer by 1/(1 − w) while a prefill runs', () => {
    alwaysOnEachServer(anyScenario(), ({ server, trajectory }, scenario) => {
      const points = server.decodeProfile;
      const batches = prefills(server, scenario);
      for (const [, , startsAt, seconds, kvBytes] of trajectory) {
        // The profile as a sum of clamped ramps, one per segment: another formula than the engine's.
        const plain = points.slice(1).reduce((sum, to, i) => {
          const from = points[i];
          const share = Math.min(1, Math.max(0, (kvBytes - from.kvBytes) / (to.kvBytes - from.kvBytes)));
          return sum + share * (1 / to.iterationsPerSecond - 1 / from.iterationsPerSecond);
        }, 1 / points[0].iterationsPerSecond);
        const slowed = batches.some((batch) => batch.startsAt <= startsAt && startsAt < batch.endsAt);
        same(seconds, slowed ? plain / (1 - scenario.prefillSlowdown) : plain);
      }
    });
  });

  it('never overlap, follow without a gap while there is work, and resume at a prefill end', () => {
    alwaysOnEachServer(dyadicScenario(), ({ server, trajectory, ran }, scenario) => {
      const readyAt = new Map(
        prefills(server, scenario).flatMap(({ ids, endsAt }) => ids.map((id) => [id, endsAt] as const)),
      );
      let freeAt = 0;
      for (const [, , startsAt, seconds] of trajectory) {
        expect(startsAt).toBeGreaterThanOrEqual(freeAt);
        if (startsAt > freeAt) {
          const held = ran.filter(({ id, completedAt }) => (readyAt.get(id) ?? NaN) <= freeAt && completedAt > freeAt);
          expect(held).toEqual([]);
          expect([...readyAt.values()]).toContain(startsAt);
        }
        freeAt = startsAt + seconds;
      }
    });
  });

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
    const alone = dyadicScenario({ batching: 'deed' }).map((scenario) => {
      // 201 + 1 tokens and more each, 360 at most, and two never fit in 360.
      const servers = scenario.servers.map((server) => ({
        ...server,
        kvCapacityBytes: scenario.kvBytesPerToken * 360,
      }));
      return mapRequests({ ...scenario, servers }, (request) => ({
        ...request,
        inputTokens: 200 + request.inputTokens,
      }));
    });
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
      const names = new Map(scenario.servers.map((server, s) => [server.name, `server ${String(s)}`]));
      const rename = (name: string): string => names.get(name) ?? name;
      const newId = new Map(
        scenario.slots.flatMap((slot) => slot.requests).map((request, i) => [request.id, `z${String(99999 - i)}`]),
      );
      const renamed = mapRequests(
        { ...scenario, servers: scenario.servers.map((server) => ({ ...server, name: rename(server.name) })) },
        (request) => ({
          ...request,
          id: newId.get(request.id) ?? '',
          server: rename(request.server),
        }),
      );
      const requests = result.requests
        .map((request) => ({ ...request, id: newId.get(request.id) ?? '' }))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      same(replay(renamed), {
        requests,
        servers: result.servers.map((server) => ({ ...server, name: rename(server.name) })),
      });
    });
  });

  it('time has no scale: all seconds doubled and all speeds halved doubles every time', () => {
    always(anyScenario(), (scenario, result) => {
      const slower = mapRequests(
        {
          ...scenario,
          slotSeconds: 2 * scenario.slotSeconds,
          servers: scenario.servers.map((server) => ({
            ...server,
            prefillTokensPerSecond: server.prefillTokensPerSecond / 2,
            decodeProfile: server.decodeProfile.map((point) => ({
              ...point,
              iterationsPerSecond: point.iterationsPerSecond / 2,
            })),
          })),
        },
        (request) => ({ ...request, transmissionSeconds: 2 * request.transmissionSeconds }),
      );
      same(replay(slower), {
        requests: result.requests.map((request) =>
          'rejected' in request
            ? request
            : {
                id: request.id,
                completedAt: 2 * request.completedAt,
                transmission: 2 * request.transmission,
                prefill: 2 * request.prefill,
                decode: 2 * request.decode,
                waiting: 2 * request.waiting,
                total: 2 * request.total,
              },
        ),
        servers: result.servers.map((server) => ({
          ...server,
          trajectory: server.trajectory.map(([slot, k, startsAt, seconds, kvBytes, active]) => [
            slot,
            k,
            2 * startsAt,
            2 * seconds,
            kvBytes,
            active,
          ]),
        })),
      });
    });
  });

  it('bytes have no scale: α, capacities and profiles doubled doubles the KV bytes alone', () => {
    always(anyScenario(), (scenario, result) => {
      const wider: Scenario = {
        ...scenario,
        kvBytesPerToken: 2 * scenario.kvBytesPerToken,
        servers: scenario.servers.map((server) => ({
          ...server,
          kvCapacityBytes: 2 * server.kvCapacityBytes,
          decodeProfile: server.decodeProfile.map((point) => ({ ...point, kvBytes: 2 * point.kvBytes })),
        })),
      };
      same(replay(wider), {
        requests: result.requests,
        servers: result.servers.map((server) => ({
          name: server.name,
          slots: server.slots.map((slot) => ({ ...slot, peakKvBytes: 2 * slot.peakKvBytes })),
          trajectory: server.trajectory.map(([slot, k, startsAt, seconds, kvBytes, active]) => [
            slot,
            k,
            startsAt,
            seconds,
            2 * kvBytes,
            active,
          ]),
        })),
      });
    });
  });

  it('an empty slot in front moves everything by Δ', () => {
    always(dyadicScenario(), (scenario, result) => {
      const later = replay({ ...scenario, slots: [{ requests: [] }, ...scenario.slots] });
      const servers = later.servers.map((server) => ({ ...server, slots: server.slots.slice(1) }));
      same({ ...later, servers }, shifted(result, 1, scenario.slotSeconds));
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
