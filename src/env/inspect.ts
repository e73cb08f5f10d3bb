import { createRng } from '../core/rng';
import { kilobytesToBytes } from '../core/units';
import { EdgeEnv, type EdgeEnvOptions } from './edge-env';
import type { SlotOutcome } from './outcome';
import { playSlots } from './play-slots';
import type { Scheduler, SchedulerFactory } from './scheduler';
import type { SystemConfig } from '../system/config';
import type { Scenario, ServerSpec } from '../system/scenario';
import { type LatencyParts, Metrics, type RunMetrics } from './metrics';

/** One request's whole way: where it went, the points in time it passed, and the parts of D_tot between them, all s. */
export interface InspectedRequest extends LatencyParts {
  /** "t3-7": the eighth request of slot 3. */
  readonly id: string;
  readonly slot: number;
  /** Place among the slot's requests. */
  readonly index: number;
  readonly user: number;
  /** Index of its server. */
  readonly server: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** l̂, which the scheduler saw. */
  readonly predictedTokens: number;
  /** Start of its slot. */
  readonly arrivedAt: number;
  readonly transmittedAt: number;
  /** When its batch's slowest transmission had ended. */
  readonly synchronisedAt: number;
  readonly prefillStartAt: number;
  readonly prefillEndAt: number;
  /** When it joined the running batch, the last time. */
  readonly joinedAt: number;
  readonly completedAt: number;
  /** Its stays in the running batch that ended with a preemption. */
  readonly earlierStays: readonly Stay[];
  /** D_tot. */
  readonly total: number;
}

/** A stay of a request in the running batch, s. */
export interface Stay {
  readonly joinedAt: number;
  readonly endedAt: number;
}

/** The requests of one slot on one server: sent, synchronised and prefilled together. */
export interface InspectedBatch {
  readonly server: number;
  readonly slot: number;
  readonly requests: number;
  /** The slot's start, s. */
  readonly arrivedAt: number;
  readonly synchronisedAt: number;
  readonly prefillStartAt: number;
  readonly prefillEndAt: number;
}

/** One decode iteration. */
export interface InspectedIteration {
  readonly server: number;
  readonly slot: number;
  /** Number within the slot, from 1. */
  readonly k: number;
  readonly startsAt: number;
  /** τ_s(k, t), s. */
  readonly seconds: number;
  /** m_s(k, t), bytes. */
  readonly kvBytes: number;
  /** Requests in the batch; in static batching with the finished ones that are still held. */
  readonly active: number;
  /** I while the slot's new batch is being sent and prefilled (k ≤ k̃), II afterwards. */
  readonly phase: 'I' | 'II';
  /** I(k): whether a prefill runs on the server when the iteration starts. */
  readonly prefillRuns: boolean;
}

/** One server in one slot, t < T. */
export interface InspectedSlot {
  readonly slot: number;
  readonly server: number;
  /** η_s(t). */
  readonly eta: number;
  /** M_pk(t) over the pool. */
  readonly peak: number;
  /** K_s(t). */
  readonly iterations: number;
  /** Y_s(t). */
  readonly deviation: number;
  /** Z_s(t). */
  readonly queue: number;
}

/** Everything that happened in a short run, the drain after slot T included. */
export interface Inspection {
  readonly config: SystemConfig;
  readonly kvBytesPerToken: number;
  readonly servers: readonly ServerSpec[];
  /** Completed requests, in order of arrival. */
  readonly requests: readonly InspectedRequest[];
  readonly batches: readonly InspectedBatch[];
  /** By server, then in time. */
  readonly iterations: readonly InspectedIteration[];
  readonly slots: readonly InspectedSlot[];
  /** Server of every request, [T][count of the slot]. */
  readonly assignments: readonly (readonly number[])[];
  readonly metrics: RunMetrics;
}

/**
 * Runs a scheduler as `simulate` does and keeps everything: every iteration, request and slot. For looking at tens of
 * slots; a long run belongs to `simulate`, whose memory is flat.
 *
 * @param seed the run's seed; the same as for `simulate`, which it agrees with.
 */
export function inspect(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: Omit<EdgeEnvOptions, 'recorder'> = {},
): Inspection {
  const alpha = kilobytesToBytes(config.kvKilobytesPerToken);
  const iterations: Omit<InspectedIteration, 'phase'>[] = [];
  const stays = new Map<string, Stay[]>();
  const env = new EdgeEnv(config, seed, {
    ...options,
    recorder: {
      record(server, slot, k, startsAt, seconds, tokens, active, prefillRuns) {
        iterations.push({ server, slot, k, startsAt, seconds, kvBytes: alpha * tokens, active, prefillRuns });
      },
      preempted(slot, index, joinedAt, endedAt) {
        const id = requestId(slot, index);
        stays.set(id, [...(stays.get(id) ?? []), { joinedAt, endedAt }]);
      },
    },
  });
  const metrics = new Metrics(config.servers, config.balanceTolerance);
  const assign = scheduler(config, createRng(seed).fork('scheduler'));
  const slots: InspectedSlot[] = [];
  const assignments: number[][] = [];
  const requests: InspectedRequest[] = [];
  const noted: Scheduler = (view, assignment) => {
    assign(view, assignment);
    assignments.push(Array.from(assignment.subarray(0, view.count)));
  };
  for (const outcome of playSlots(env, noted)) {
    metrics.add(outcome);
    slots.push(...slotRows(outcome));
    requests.push(...requestRows(outcome, config.slotSeconds, stays));
  }
  requests.sort((a, b) => a.slot - b.slot || a.index - b.index);
  const batches = batchesOf(requests);
  return {
    config,
    kvBytesPerToken: alpha,
    servers: env.servers.map((server) => server.spec),
    requests,
    batches,
    iterations: withPhases(
      iterations.sort((a, b) => a.server - b.server || a.startsAt - b.startsAt),
      batches,
    ),
    slots,
    assignments,
    metrics: metrics.report(),
  };
}

/**
 * A scheduler that sends every request where a run sent it: the same requests on the same servers under other
 * constants, static batching for one. The configuration must draw the same requests.
 */
export function repeatAssignments(run: Pick<Inspection, 'assignments'>): SchedulerFactory {
  return () => (view, assignment) => {
    const before = run.assignments.at(view.slot);
    if (before?.length !== view.count)
      throw new RangeError(
        `slot ${String(view.slot)} has ${String(view.count)} requests; the run to repeat has ${String(before?.length ?? 0)}`,
      );
    assignment.set(before);
  };
}

/** A run as a scenario, for `replay` and for a file: its completed requests with their servers and transmission times. */
export function toScenario(run: Inspection): Scenario {
  const { config, servers } = run;
  const slots = run.assignments.map(() => ({ requests: [] as Scenario['slots'][number]['requests'][number][] }));
  for (const request of run.requests) {
    const { id, inputTokens, outputTokens, predictedTokens, transmission } = request;
    const server = servers[request.server].name;
    const predicted = predictedTokens === outputTokens ? {} : { predictedTokens };
    slots[request.slot]?.requests.push({
      id,
      inputTokens,
      outputTokens,
      ...predicted,
      server,
      transmissionSeconds: transmission,
    });
  }
  return {
    slotSeconds: config.slotSeconds,
    kvBytesPerToken: run.kvBytesPerToken,
    prefillSlowdown: config.prefillSlowdown,
    batching: config.batching,
    ...(config.admission === undefined ? {} : { admission: config.admission }),
    oversized: config.oversized,
    servers,
    slots,
  };
}

/** The parts of a request's D_tot, s; as in a run's metrics. */
export function latencyParts(request: InspectedRequest): LatencyParts {
  const { transmission, synchronisation, prefillQueue, prefill, admission, decode } = request;
  return { transmission, synchronisation, prefillQueue, prefill, admission, decode };
}

/** One iteration as one request lived it. */
export interface RequestIteration extends InspectedIteration {
  /** Which of its tokens the iteration made; 0 when it was finished and only held, in static batching. */
  readonly token: number;
  /** KV cache of this request alone, bytes. */
  readonly ownKvBytes: number;
}

/** Every stay of a request in the running batch; more than one if it was preempted. */
function staysOf({ earlierStays, joinedAt, completedAt }: InspectedRequest): readonly Stay[] {
  return [...earlierStays, { joinedAt, endedAt: completedAt }];
}

/** Whether two requests were in the running batch of one server together. */
function overlap(a: InspectedRequest, b: InspectedRequest): boolean {
  const others = staysOf(b);
  return (
    a.server === b.server &&
    staysOf(a).some((stay) => others.some((other) => stay.joinedAt < other.endedAt && other.joinedAt < stay.endedAt))
  );
}

/** The iterations in which a request was in the running batch, of all its stays: D_dec as a sum, III-C2. */
export function requestIterations(run: Inspection, request: InspectedRequest): RequestIteration[] {
  const stays = staysOf(request);
  return run.iterations
    .filter(
      ({ server, startsAt }) =>
        server === request.server && stays.some(({ joinedAt, endedAt }) => startsAt >= joinedAt && startsAt < endedAt),
    )
    .map((iteration, n) => ({
      ...iteration,
      token: n < request.outputTokens ? n + 1 : 0,
      ownKvBytes: run.kvBytesPerToken * (request.inputTokens + Math.min(n + 1, request.outputTokens)),
    }));
}

/** The requests that were in the running batch together with one of them, itself included, in order of joining. */
export function companions(run: Inspection, request: InspectedRequest): InspectedRequest[] {
  return run.requests
    .filter((other) => overlap(request, other))
    .sort((a, b) => a.joinedAt - b.joinedAt || a.completedAt - b.completedAt);
}

/** m_s(k, t) of one server taken apart by request. */
export interface KvByRequest {
  /** The iterations, [K]. */
  readonly iterations: readonly InspectedIteration[];
  /**
   * The bytes that each completed request held in each of them, [K]; 0 outside its stays. They sum to the iteration's
   * kvBytes, but for requests that were lost to their predictions.
   */
  readonly requests: readonly { readonly request: InspectedRequest; readonly kvBytes: readonly number[] }[];
}

/**
 * The KV cache of one server by request, for the iterations that start within [fromAt, toAt) s.
 *
 * @param server index of the server.
 */
export function kvByRequest(run: Inspection, server: number, fromAt: number = 0, toAt: number = Infinity): KvByRequest {
  const iterations = run.iterations.filter(
    (row) => row.server === server && row.startsAt >= fromAt && row.startsAt < toAt,
  );
  const place = new Map(iterations.map(({ startsAt }, i) => [startsAt, i]));
  const requests = run.requests
    .filter(
      (request) => request.server === server && staysOf(request)[0].joinedAt < toAt && request.completedAt > fromAt,
    )
    .map((request) => {
      const kvBytes = iterations.map(() => 0);
      for (const { startsAt, ownKvBytes } of requestIterations(run, request)) {
        const i = place.get(startsAt);
        if (i !== undefined) kvBytes[i] = ownKvBytes;
      }
      return { request, kvBytes };
    });
  return { iterations, requests };
}

function slotRows({ slot, eta, peak, iterations, deviation, queue }: SlotOutcome): InspectedSlot[] {
  return Array.from(eta, (value, s) => ({
    slot,
    server: s,
    eta: value,
    peak: peak[s],
    iterations: iterations[s],
    deviation: deviation[s],
    queue: queue[s],
  }));
}

/** "t3-7": the eighth request of slot 3. */
function requestId(slot: number, index: number): string {
  return `t${String(slot)}-${String(index)}`;
}

function requestRows(
  { completions }: SlotOutcome,
  slotSeconds: number,
  stays: ReadonlyMap<string, readonly Stay[]>,
): InspectedRequest[] {
  const at = (column: Float64Array | Int32Array, i: number): number => column[i];
  return Array.from({ length: completions.count }, (_, i) => {
    const [slot, index] = [at(completions.slot, i), at(completions.index, i)];
    const arrivedAt = slot * slotSeconds;
    const transmission = at(completions.transmission, i);
    const id = requestId(slot, index);
    return {
      id,
      earlierStays: stays.get(id) ?? [],
      slot,
      index,
      user: at(completions.user, i),
      server: at(completions.server, i),
      inputTokens: at(completions.inputTokens, i),
      outputTokens: at(completions.outputTokens, i),
      predictedTokens: at(completions.predictedTokens, i),
      transmission,
      synchronisation: withoutRounding(at(completions.synchronisation, i)),
      prefillQueue: withoutRounding(at(completions.prefillQueue, i)),
      prefill: at(completions.prefill, i),
      admission: withoutRounding(at(completions.admission, i)),
      decode: at(completions.decode, i),
      total: at(completions.total, i),
      arrivedAt,
      transmittedAt: arrivedAt + transmission,
      synchronisedAt: at(completions.synchronisedAt, i),
      prefillStartAt: at(completions.prefillStartAt, i),
      prefillEndAt: at(completions.prefillEndAt, i),
      joinedAt: at(completions.joinedAt, i),
      completedAt: at(completions.completedAt, i),
    };
  });
}

/**
 * A wait of less than a picosecond is the rounding of a difference of two equal points in time.
 */
function withoutRounding(seconds: number): number {
  return Math.abs(seconds) < 1e-12 ? 0 : seconds;
}

function batchesOf(requests: readonly InspectedRequest[]): InspectedBatch[] {
  const batches = new Map<string, InspectedBatch>();
  for (const { server, slot, arrivedAt, synchronisedAt, prefillStartAt, prefillEndAt } of requests) {
    const key = `${String(server)} ${String(slot)}`;
    const count = (batches.get(key)?.requests ?? 0) + 1;
    batches.set(key, { server, slot, requests: count, arrivedAt, synchronisedAt, prefillStartAt, prefillEndAt });
  }
  return [...batches.values()].sort((a, b) => a.server - b.server || a.slot - b.slot);
}

/** k ≤ k̃: the iteration starts before the prefill of its slot's batch has ended. */
function withPhases(
  iterations: readonly Omit<InspectedIteration, 'phase'>[],
  batches: readonly InspectedBatch[],
): InspectedIteration[] {
  return iterations.map((row) => {
    const { server, slot, startsAt } = row;
    const batch = batches.find((candidate) => candidate.server === server && candidate.slot === slot);
    return { ...row, phase: batch !== undefined && startsAt < batch.prefillEndAt ? 'I' : 'II' };
  });
}
