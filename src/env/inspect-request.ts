import type { InspectedIteration, InspectedRequest, Inspection } from './inspect';
import { type LatencyParts, partNames } from './metrics';

/** The parts of a request's D_tot, s, as in a run's metrics; a wait below a picosecond, the rounding of a difference, is 0. */
export function latencyParts(request: InspectedRequest): LatencyParts {
  const parts = partNames.map((name) => [name, Math.abs(request[name]) < 1e-12 ? 0 : request[name]]);
  return Object.fromEntries(parts) as LatencyParts;
}

/** One iteration with the share of one of its requests. */
export interface RequestIteration extends InspectedIteration {
  /** Number of the token that it generated for the request; 0 for a finished request that a static batch holds. */
  readonly token: number;
  /** KV cache of this request alone, bytes. */
  readonly ownKvBytes: number;
}

/** The iterations in which a request was in the running batch, of all its stays: D_dec as a sum, III-C2. */
export function requestIterations(run: Inspection, request: InspectedRequest): RequestIteration[] {
  const { server, stays, inputTokens, outputTokens } = request;
  return run.iterations
    .filter(
      (row) =>
        row.server === server && stays.some((stay) => row.startsAt >= stay.joinedAt && row.startsAt < stay.endedAt),
    )
    .map((row, n) => ({
      ...row,
      token: n < outputTokens ? n + 1 : 0,
      ownKvBytes: run.kvBytesPerToken * (inputTokens + Math.min(n + 1, outputTokens)),
    }));
}

/** The requests that were in the running batch together with one of them, itself included, in order of joining. */
export function companions(run: Inspection, { server, stays }: InspectedRequest): InspectedRequest[] {
  return run.requests
    .filter(
      (other) =>
        other.server === server &&
        other.stays.some((a) => stays.some((b) => a.joinedAt < b.endedAt && b.joinedAt < a.endedAt)),
    )
    .sort((a, b) => a.joinedAt - b.joinedAt || a.completedAt - b.completedAt);
}

/** m_s(k, t) of one server taken apart by request. */
export interface KvByRequest {
  readonly iterations: readonly InspectedIteration[];
  /** Bytes that each completed request held in each of the K iterations, [K], without requests that held none. */
  readonly requests: readonly { readonly request: InspectedRequest; readonly kvBytes: readonly number[] }[];
}

/**
 * The KV cache of one server by request, for the iterations that start within [fromAt, toAt) s. The requests' bytes sum to
 * the iteration's, but for requests that were lost to their predictions.
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
