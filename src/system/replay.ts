import { UserError } from '../core/errors';
import { type Delays, delaysOf } from './completion';
import type { RequestTable } from './request-table';
import type { Scenario, ScenarioRequest } from './scenario';
import { Serving } from './serving';
import { tokensOnArrival, tokensThatFit } from './token-counts';
import type { IterationRecorder } from './trajectory';

/** A completed request: its four parts of D_tot and when it ended, all in seconds. */
export interface ReplayedRequest extends Pick<Delays, 'total' | 'transmission' | 'prefill' | 'decode'> {
  readonly id: string;
  readonly completedAt: number;
  /** The rest of the total: synchronisation, prefill queue, iteration boundary and KV admission, also after preemptions. */
  readonly waiting: number;
  /** The number of its preemptions; absent: none. */
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
  /** M_pk(t), bytes. */
  readonly peakKvBytes: number;
  /** K_s(t). */
  readonly iterations: number;
}

/** `[slot, k, startsAt, seconds, kvBytes, activeRequests]` of one decode iteration. */
export type ReplayedIteration = readonly [
  slot: number,
  k: number,
  startsAt: number,
  seconds: number,
  kvBytes: number,
  activeRequests: number,
];

export interface ReplayedServer {
  readonly name: string;
  readonly slots: readonly ReplayedSlot[];
  readonly trajectory: readonly ReplayedIteration[];
}

export interface ReplayResult {
  readonly requests: readonly (ReplayedRequest | RejectedRequest)[];
  readonly servers: readonly ReplayedServer[];
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
  const servers = scenario.servers.map(({ name }) => ({
    name,
    slots: [] as ReplayedSlot[],
    trajectory: [] as ReplayedIteration[],
  }));
  /** By handle. */
  const ids: string[] = [];
  const recorder: IterationRecorder = {
    record({ server, slot, k, startsAt, seconds, kvBytes, active }) {
      servers[server].trajectory.push([slot, k, startsAt, seconds, kvBytes, active]);
    },
  };
  const runSlot = (slot: number): void => {
    serving.runSlot(slot, recorder);
    for (const { index, spec, slotTokenSeconds, slotPeakTokens, slotIterations } of serving.servers) {
      if (slot >= scenario.slots.length && slotIterations === 0) continue;
      servers[index].slots.push({
        slot,
        eta: (alpha * slotTokenSeconds) / (spec.kvCapacityBytes * slotSeconds),
        peakKvBytes: alpha * slotPeakTokens,
        iterations: slotIterations,
      });
    }
    for (const handle of serving.completed) requests.push(replayedRequest(ids[handle], table, handle, slotSeconds));
    for (const handle of serving.lost) requests.push({ id: ids[handle], rejected: true });
    for (const handle of [...serving.completed, ...serving.lost]) table.release(handle);
  };

  scenario.slots.forEach((slot, t) => {
    for (const request of slot.requests) {
      const server = servers.findIndex(({ name }) => name === request.server);
      if (isRefused(scenario, server, request)) {
        requests.push({ id: request.id, rejected: true });
        continue;
      }
      const { inputTokens, outputTokens, predictedTokens = outputTokens, transmissionSeconds: transmission } = request;
      const tokens = { inputTokens, outputTokens, predictedTokens };
      ids[serving.submit({ slot: t, index: 0, user: 0, server, ...tokens, transmission })] = request.id;
    }
    runSlot(t);
  });
  for (let slot = serving.nextBusySlot(); slot < Infinity; slot = serving.nextBusySlot()) runSlot(slot);
  requests.sort((a, b) => compareCodePoints(a.id, b.id));
  return { requests, servers };
}

function replayedRequest(id: string, table: RequestTable, handle: number, slotSeconds: number): ReplayedRequest {
  const { transmission, prefill, decode, total } = delaysOf(table, handle, slotSeconds);
  const waiting = total - transmission - prefill - decode;
  const request = { id, completedAt: table.completedAt[handle], transmission, prefill, decode, waiting, total };
  const preemptions = table.preemptions[handle];
  return preemptions > 0 ? { ...request, preemptions } : request;
}

/** Rule 7: a request that can never complete stops the replay or, if its prediction tells, is listed as rejected. */
function isRefused(scenario: Scenario, s: number, request: ScenarioRequest): boolean {
  const { id, inputTokens, outputTokens, predictedTokens = outputTokens } = request;
  const server = scenario.servers[s];
  const tokens = inputTokens + outputTokens;
  const most = tokensThatFit(server.kvCapacityBytes, scenario.kvBytesPerToken);
  if (tokens <= most) return false;
  if (scenario.oversized !== 'reject')
    throw new UserError(
      `request "${id}" needs ${String(tokens * scenario.kvBytesPerToken)} bytes of KV cache, inputTokens + outputTokens is ${String(tokens)}; ` +
        `allowed: at most ${String(server.kvCapacityBytes)} bytes on server "${server.name}" (or set oversized to "reject")`,
    );
  return tokensOnArrival(scenario, inputTokens, outputTokens, predictedTokens) > most;
}

/** Order by Unicode code points, as UTF-8 bytes sort. */
function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
