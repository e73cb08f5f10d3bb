import type { InspectedIteration, InspectedRequest, Inspection, Stay } from './inspect';
import type { LatencyParts } from './metrics';

/** The parts of a request's D_tot, s, as in a run's metrics; a wait below a picosecond, the rounding of a difference, is 0. */
export function latencyParts(request: InspectedRequest): LatencyParts {
  const { transmission, synchronisation, prefillQueue, prefill, admission, decode } = request;
  const wait = (seconds: number): number => (Math.abs(seconds) < 1e-12 ? 0 : seconds);
  return {
    transmission,
    synchronisation: wait(synchronisation),
    prefillQueue: wait(prefillQueue),
    prefill,
    admission: wait(admission),
    decode,
  };
}

/** One iteration with the share of one of its requests. */
export interface RequestIteration extends InspectedIteration {
  /** Number of the token that it generated for the request; 0 for a finished request that a static batch holds. */
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
   * The bytes that each completed request held in each of them, [K]; 0 outside its stays, without requests that held none. They sum to the iteration's
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
  const requests = run.requests
    .filter((request) => request.server === server)
    .map((request) => {
      const own = new Map(requestIterations(run, request).map(({ startsAt, ownKvBytes }) => [startsAt, ownKvBytes]));
      return { request, kvBytes: iterations.map(({ startsAt }) => own.get(startsAt) ?? 0) };
    })
    .filter(({ kvBytes }) => kvBytes.some((bytes) => bytes > 0));
  return { iterations, requests };
}
