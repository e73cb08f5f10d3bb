import { UserError, invalid } from '../core/errors';
import { hashLabel, uniformAt } from '../core/rng';
import type { Trace } from './trace';
import type { Workload } from './workload';

/**
 * How a trace becomes slots:
 * unscaled, as recorded; thin, each request kept with one probability so that the mean load is as wanted; rescale, the
 * time axis stretched or squeezed so that it is; per-user, the paper's one request per user and slot, with length pairs
 * drawn from the trace and its times left aside.
 */
export type TraceLoad =
  | { readonly kind: 'unscaled' }
  | { readonly kind: 'thin'; readonly requestsPerSlot: number }
  | { readonly kind: 'rescale'; readonly requestsPerSlot: number }
  | { readonly kind: 'per-user' };

/** What {@link traceWorkload} needs beside the trace. */
export interface TraceOptions {
  /** U. */
  readonly users: number;
  /** Δ, s. */
  readonly slotSeconds: number;
  readonly load: TraceLoad;
  readonly seed: number;
}

/** Recorded slots: those of length Δ from the first arrival to the last, both included. */
function recordedSlots(trace: Trace, slotSeconds: number): number {
  return Math.floor((trace.arrivalSeconds.at(-1) as number) / slotSeconds) + 1;
}

/** Mean load of a trace as recorded, requests per slot. */
export function traceLoad(trace: Trace, slotSeconds: number): number {
  return trace.arrivalSeconds.length / recordedSlots(trace, slotSeconds);
}

function checkLoad(load: TraceLoad): void {
  if (
    (load.kind === 'thin' || load.kind === 'rescale') &&
    !(load.requestsPerSlot > 0 && Number.isFinite(load.requestsPerSlot))
  )
    throw invalid(`trace load: requestsPerSlot of ${load.kind}`, load.requestsPerSlot, 'a finite number > 0');
}

/** What arrival times are multiplied by: 1, or under rescale what makes the mean gap Δ / requestsPerSlot. */
function timeScale(trace: Trace, load: TraceLoad, slotSeconds: number): number {
  if (load.kind !== 'rescale') return 1;
  const gaps = trace.arrivalSeconds.length - 1;
  const span = trace.arrivalSeconds.at(-1) as number;
  if (!(span > 0))
    throw new UserError(
      `trace ${trace.name}: all requests arrive at one time, which no rescaling can spread; allowed: two arrival times or more, or another load`,
    );
  return (slotSeconds * gaps) / (load.requestsPerSlot * span);
}

/** The probability of keeping a request: 1, or under thin wanted / recorded load. */
function keepProbability(trace: Trace, load: TraceLoad, slotSeconds: number): number {
  if (load.kind !== 'thin') return 1;
  const recorded = traceLoad(trace, slotSeconds);
  if (load.requestsPerSlot > recorded)
    throw invalid(
      'trace load: requestsPerSlot of thin',
      load.requestsPerSlot,
      `at most the recorded load (${String(recorded)} per slot); rescale can raise it`,
    );
  return load.requestsPerSlot / recorded;
}

/**
 * Slots that a trace fills: the last request is in the last of them. Infinity for per-user, which never ends.
 *
 * @param slotSeconds Δ, s.
 */
export function traceSlots(trace: Trace, load: TraceLoad, slotSeconds: number): number {
  checkLoad(load);
  if (load.kind === 'per-user') return Number.POSITIVE_INFINITY;
  return Math.floor(((trace.arrivalSeconds.at(-1) as number) * timeScale(trace, load, slotSeconds)) / slotSeconds) + 1;
}

/** One request per user and slot, with the length pair of a trace's request drawn uniformly. */
function perUser(trace: Trace, { users, seed }: TraceOptions): Workload {
  const key = hashLabel(seed, 'trace-lengths');
  const requests = trace.arrivalSeconds.length;
  return {
    maxRequestsPerSlot: users,
    fill(slot, out): void {
      out.count = users;
      for (let u = 0; u < users; u++) {
        const i = Math.floor(uniformAt(key, slot, u, 0) * requests);
        out.user[u] = u;
        out.inputTokens[u] = trace.inputTokens[i];
        out.outputTokens[u] = trace.outputTokens[i];
        out.predictedTokens[u] = trace.outputTokens[i];
      }
    },
  };
}

/**
 * A trace as a workload. The requests that arrived within [t·Δ, (t+1)·Δ) of the trace are issued together in slot t,
 * whose start is taken to be that interval's end: they have all arrived when the scheduler sees them, and it never
 * sees the future. After the trace's end slots are empty.
 * Note: the wait for the slot's start, up to Δ, is not part of D_tot, which begins with the slot (III-A); and a user,
 * a seeded hash of the request's index, may have several requests in a slot or none.
 *
 * @throws UserError when the load cannot be had from this trace.
 */
export function traceWorkload(trace: Trace, options: TraceOptions): Workload {
  const { users, slotSeconds, load, seed } = options;
  if (!Number.isInteger(users) || users < 1) throw invalid('trace workload: users', users, 'an integer >= 1');
  if (!(slotSeconds > 0 && Number.isFinite(slotSeconds)))
    throw invalid('trace workload: slotSeconds', slotSeconds, 'a finite number > 0');
  checkLoad(load);
  if (load.kind === 'per-user') return perUser(trace, options);
  const userKey = hashLabel(seed, 'trace-user');
  const thinKey = hashLabel(seed, 'trace-thin');
  const keep = keepProbability(trace, load, slotSeconds);
  const scale = timeScale(trace, load, slotSeconds);
  const { arrivalSeconds, inputTokens, outputTokens } = trace;
  /** Indices of the requests that are kept, in order of arrival. */
  const kept = Int32Array.from(arrivalSeconds, (_, i) => i).filter(
    (i) => keep === 1 || uniformAt(thinKey, i, 0, 0) < keep,
  );
  const slotOf = (k: number): number => Math.floor((arrivalSeconds[kept[k]] * scale) / slotSeconds);
  /** The first kept request in `slot` or later. */
  const firstOf = (slot: number): number => {
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (slotOf(middle) < slot) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  let most = 0;
  for (let k = 0, first = 0; k < kept.length; k++) {
    if (slotOf(k) !== slotOf(first)) first = k;
    most = Math.max(most, k - first + 1);
  }
  return {
    maxRequestsPerSlot: most,
    fill(slot, out): void {
      const first = firstOf(slot);
      let n = 0;
      for (; first + n < kept.length && slotOf(first + n) === slot; n++) {
        const i = kept[first + n];
        out.user[n] = Math.floor(uniformAt(userKey, i, 0, 0) * users);
        out.inputTokens[n] = inputTokens[i];
        out.outputTokens[n] = outputTokens[i];
        out.predictedTokens[n] = outputTokens[i];
      }
      out.count = n;
    },
  };
}
