import { UserError } from '../core/errors';
import { type Delays, delaysOf } from './completion';
import type { Scenario, ScenarioRequest } from './scenario';
import { Serving } from './serving';
import { tokensOnArrival, tokensThatFit } from './token-counts';

/** A completed request: its four parts of D_tot and when it ended, all in seconds. */
export interface ReplayedRequest extends Pick<Delays, 'total' | 'transmission' | 'prefill' | 'decode'> {
  readonly id: string;
  readonly completedAt: number;
  /** The rest of the total: synchronisation, prefill queue, iteration boundary and KV admission, also after preemptions. */
  readonly waiting: number;
  /** Absent: none. */
  readonly preemptions?: number;
}

/** A request that the KV pool of its server cannot hold: refused on arrival, or lost when it had outgrown the pool. */
export interface RejectedRequest {
  readonly id: string;
  readonly rejected: true;
}

export interface ReplayedSlot {
  readonly slot: number;
  /** η_s(t). */
  readonly eta: number;
  /** M_pk(t). */
  readonly peakKvBytes: number;
  /** K_s(t). */
  readonly iterations: number;
}

/** One decode iteration. */
export type ReplayedIteration = readonly [
  slot: number,
  k: number,
  startsAt: number,
  seconds: number,
  kvBytes: number,
  activeRequests: number,
];

export interface ReplayResult {
  readonly requests: readonly (ReplayedRequest | RejectedRequest)[];
  readonly servers: readonly {
    readonly name: string;
    readonly slots: readonly ReplayedSlot[];
    readonly trajectory: readonly ReplayedIteration[];
  }[];
}

/**
 * Runs a scenario to its end (III-C, III-D).
 *
 * @param scenario a checked scenario, see `parseScenario`.
 * @throws UserError when a request can never run and `oversized` is not "reject".
 */
export function replay(scenario: Scenario): ReplayResult {
  const { slotSeconds, kvBytesPerToken: alpha } = scenario;
  const serving = new Serving(scenario.servers, scenario);
  const { table } = serving;
  const requests: (ReplayedRequest | RejectedRequest)[] = [];
  const slots = scenario.servers.map((): ReplayedSlot[] => []);
  const trajectories = scenario.servers.map((): ReplayedIteration[] => []);
  /** By handle. */
  const ids: string[] = [];
  const runSlot = (t: number): void => {
    serving.runSlot(t, {
      record: ({ server, slot, k, startsAt, seconds, kvBytes, active }) =>
        trajectories[server].push([slot, k, startsAt, seconds, kvBytes, active]),
    });
    for (const { index, spec, slotTokenSeconds, slotPeakTokens, slotIterations: iterations } of serving.servers) {
      if (t >= scenario.slots.length && iterations === 0) continue;
      const eta = (alpha * slotTokenSeconds) / (spec.kvCapacityBytes * slotSeconds);
      slots[index].push({ slot: t, eta, peakKvBytes: alpha * slotPeakTokens, iterations });
    }
    for (const handle of serving.completed) {
      const { transmission, prefill, decode, total } = delaysOf(table, handle, slotSeconds);
      const waiting = total - transmission - prefill - decode;
      const [completedAt, preemptions] = [table.completedAt[handle], table.preemptions[handle]];
      const request = { id: ids[handle], completedAt, transmission, prefill, decode, waiting, total };
      requests.push(preemptions > 0 ? { ...request, preemptions } : request);
    }
    for (const handle of serving.lost) requests.push({ id: ids[handle], rejected: true });
    for (const handle of [...serving.completed, ...serving.lost]) table.release(handle);
  };

  scenario.slots.forEach((slot, t) => {
    for (const request of slot.requests) {
      const server = scenario.servers.findIndex(({ name }) => name === request.server);
      const { id, inputTokens, outputTokens, predictedTokens = outputTokens } = request;
      if (isRefused(scenario, server, request)) {
        requests.push({ id, rejected: true });
        continue;
      }
      const place = { slot: t, index: 0, user: 0, server };
      const lengths = { inputTokens, outputTokens, predictedTokens };
      ids[serving.submit({ ...place, ...lengths, transmission: request.transmissionSeconds })] = id;
    }
    runSlot(t);
  });
  for (let slot = serving.nextBusySlot(); slot < Infinity; slot = serving.nextBusySlot()) runSlot(slot);
  // By Unicode code points, as UTF-8 bytes sort.
  requests.sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));
  const servers = scenario.servers.map(({ name }, s) => ({ name, slots: slots[s], trajectory: trajectories[s] }));
  return { requests, servers };
}

/** Rule 7: a request that can never complete stops the replay or, if its prediction tells, is listed as rejected. */
function isRefused(scenario: Scenario, s: number, request: ScenarioRequest): boolean {
  const { id, inputTokens, outputTokens, predictedTokens = outputTokens } = request;
  const { name, kvCapacityBytes } = scenario.servers[s];
  const tokens = inputTokens + outputTokens;
  const most = tokensThatFit(kvCapacityBytes, scenario.kvBytesPerToken);
  if (tokens <= most) return false;
  if (scenario.oversized === 'reject')
    return tokensOnArrival(scenario, inputTokens, outputTokens, predictedTokens) > most;
  throw new UserError(
    `request "${id}" needs ${tokens * scenario.kvBytesPerToken} bytes of KV cache, inputTokens + outputTokens is ${tokens}; ` +
      `allowed: at most ${kvCapacityBytes} bytes on server "${name}" (or set oversized to "reject")`,
  );
}
