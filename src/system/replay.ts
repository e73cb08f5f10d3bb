import { UserError } from '../core/errors';
import { delaysOf } from './completion';
import type { Scenario, ScenarioRequest } from './scenario';
import type { EdgeServer } from './server';
import { Serving } from './serving';
import { tokensOnArrival, tokensThatFit } from './token-counts';
import type { IterationRecorder } from './trajectory';

/** A completed request: its four parts of D_tot and when it ended, all in seconds. */
export interface ReplayedRequest {
  readonly id: string;
  readonly completedAt: number;
  /** D_tx. */
  readonly transmission: number;
  /** D_pre of its batch. */
  readonly prefill: number;
  /** Sum of its iterations; in static batching from joining to the batch's end. */
  readonly decode: number;
  /** The rest of the total: synchronisation, prefill queue, iteration boundary and KV admission, also after preemptions. */
  readonly waiting: number;
  /** D_tot = completion − start of the slot of arrival. */
  readonly total: number;
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
  const serverIndex = new Map(scenario.servers.map((server, s) => [server.name, s]));
  const requests: (ReplayedRequest | RejectedRequest)[] = [];
  const servers = scenario.servers.map((spec) => ({
    name: spec.name,
    slots: [] as ReplayedSlot[],
    trajectory: [] as ReplayedIteration[],
  }));
  const ids: string[] = [];
  const recorder: IterationRecorder = {
    record(server, slot, k, startsAt, seconds, tokens, active) {
      servers[server]?.trajectory.push([slot, k, startsAt, seconds, alpha * tokens, active]);
    },
  };

  const emit = (server: EdgeServer, slot: number): void => {
    servers[server.index]?.slots.push({
      slot,
      eta: (alpha * server.slotTokenSeconds) / (server.spec.kvCapacityBytes * slotSeconds),
      peakKvBytes: alpha * server.slotPeakTokens,
      iterations: server.slotIterations,
    });
  };
  const finish = (): void => {
    const { completed, lost } = serving;
    for (const handle of completed) requests.push(replayedRequest(ids[handle], serving, handle));
    for (const handle of lost) requests.push({ id: ids[handle], rejected: true });
    for (const handle of [...completed, ...lost]) serving.table.release(handle);
  };

  scenario.slots.forEach((slot, t) => {
    const { table } = serving;
    for (const request of slot.requests) {
      const s = serverIndex.get(request.server) as number;
      if (refused(scenario, s, request, requests)) continue;
      const handle = table.allocate();
      ids[handle] = request.id;
      table.slot[handle] = t;
      table.server[handle] = s;
      table.inputTokens[handle] = request.inputTokens;
      table.outputTokens[handle] = request.outputTokens;
      table.predictedTokens[handle] = request.predictedTokens ?? request.outputTokens;
      table.transmissionSeconds[handle] = request.transmissionSeconds;
      serving.submit(handle);
    }
    serving.runSlot(t, recorder);
    for (const server of serving.servers) emit(server, t);
    finish();
  });
  for (let slot = serving.nextBusySlot(); slot < Infinity; slot = serving.nextBusySlot()) {
    serving.runSlot(slot, recorder);
    for (const server of serving.servers) if (server.slotIterations > 0) emit(server, slot);
    finish();
  }
  requests.sort((a, b) => compareCodePoints(a.id, b.id));
  return { requests, servers };
}

function replayedRequest(id: string, { table, constants }: Serving, handle: number): ReplayedRequest {
  const { transmission, prefill, decode, total } = delaysOf(table, handle, constants.slotSeconds);
  const completedAt = table.completedAt[handle];
  const preemptions = table.preemptions[handle];
  const waiting = total - transmission - prefill - decode;
  return {
    id,
    completedAt,
    transmission,
    prefill,
    decode,
    waiting,
    total,
    ...(preemptions > 0 ? { preemptions } : {}),
  };
}

/** Rule 7: a request that can never complete stops the replay or, if its prediction tells, is listed as rejected. */
function refused(
  scenario: Scenario,
  s: number,
  { id, inputTokens, outputTokens, predictedTokens = outputTokens }: ScenarioRequest,
  requests: (ReplayedRequest | RejectedRequest)[],
): boolean {
  const server = scenario.servers[s];
  const tokens = inputTokens + outputTokens;
  const most = tokensThatFit(server.kvCapacityBytes, scenario.kvBytesPerToken);
  if (tokens <= most) return false;
  if (scenario.oversized !== 'reject')
    throw new UserError(
      `request "${id}" needs ${String(tokens * scenario.kvBytesPerToken)} bytes of KV cache, inputTokens + outputTokens is ${String(tokens)}; ` +
        `allowed: at most ${String(server.kvCapacityBytes)} bytes on server "${server.name}" (or set oversized to "reject")`,
    );
  if (tokensOnArrival(scenario, inputTokens, outputTokens, predictedTokens) <= most) return false;
  requests.push({ id, rejected: true });
  return true;
}

/** Order by Unicode code points, as UTF-8 bytes sort. */
function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
