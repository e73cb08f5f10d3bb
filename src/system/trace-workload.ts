import { UserError, invalid } from '../core/errors';
import { hashLabel, uniformAt } from '../core/rng';
import type { Trace } from './trace';
import type { Workload } from './workload';

/**
 * The way from a trace to slots:
 * unscaled, as recorded; thin, each request kept with one probability so that the mean load over the slots that are run
 * is as wanted; rescale, the time axis stretched or squeezed so that it is; per-user, the paper's one request per user
 * and slot, with length pairs drawn from the trace and its times left aside.
 */
export type TraceLoad =
  | { readonly kind: 'unscaled' }
  | { readonly kind: 'thin'; readonly requestsPerSlot: number }
  | { readonly kind: 'rescale'; readonly requestsPerSlot: number }
  | { readonly kind: 'per-user' };

export interface TraceOptions {
  readonly users: number;
  /** Δ, s. */
  readonly slotSeconds: number;
  /** T, the slots that are run: a load of R requests per slot is the mean over these. */
  readonly slots: number;
  /** The slot of the trace as recorded with which the run begins. Default 0; per-user has none. */
  readonly from?: number | undefined;
  readonly load: TraceLoad;
  readonly seed: number;
}

/**
 * The slot that holds a point in time, t·Δ ≤ at < (t + 1)·Δ, of decimal numbers: 0.3 s is the start of slot 3 of 0.1 s,
 * though in doubles 0.3 / 0.1 < 3. A quotient that is an integer but for the rounding of its parts is that integer.
 *
 * @param at s, at least 0.
 * @param slotSeconds Δ, s.
 */
export function slotAt(at: number, slotSeconds: number): number {
  const quotient = at / slotSeconds;
  const nearest = Math.round(quotient);
  return Math.abs(quotient - nearest) <= nearest * 2 ** -50 ? nearest : Math.floor(quotient);
}

/** The first of the integers from low to high − 1 that `isBeyond` holds for, as it does for all after it; else high. */
function firstBeyond(low: number, high: number, isBeyond: (i: number) => boolean): number {
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (isBeyond(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The first request that was recorded in slot `from` or later. */
function firstFrom({ name, arrivalSeconds }: Trace, from: number, slotSeconds: number): number {
  const last = slotAt(arrivalSeconds.at(-1) as number, slotSeconds);
  if (!Number.isInteger(from) || from < 0 || from > last)
    throw invalid(`trace ${name}: from`, from, `a slot of the trace, an integer from 0 to ${String(last)}`);
  return firstBeyond(0, arrivalSeconds.length, (i) => slotAt(arrivalSeconds[i], slotSeconds) >= from);
}

/** Mean load of a trace as recorded, requests per slot from the first arrival's to the last's. */
export function traceLoad(trace: Trace, slotSeconds: number): number {
  const { arrivalSeconds } = trace;
  return arrivalSeconds.length / (slotAt(arrivalSeconds.at(-1) as number, slotSeconds) + 1);
}

function checkLoad(load: TraceLoad): void {
  if (
    (load.kind === 'thin' || load.kind === 'rescale') &&
    !(load.requestsPerSlot > 0 && Number.isFinite(load.requestsPerSlot))
  )
    throw invalid(`trace load: requestsPerSlot of ${load.kind}`, load.requestsPerSlot, 'a finite number > 0');
}

/**
 * Slots that a trace fills: the last request is in the last of them. Infinity for per-user, which never ends.
 *
 * @param slotSeconds Δ, s.
 * @param from the slot as recorded that comes first.
 */
export function traceSlots(trace: Trace, load: TraceLoad, slotSeconds: number, from: number = 0): number {
  checkLoad(load);
  if (load.kind === 'per-user') return Number.POSITIVE_INFINITY;
  const first = firstFrom(trace, from, slotSeconds);
  if (load.kind === 'rescale') return Math.floor((trace.arrivalSeconds.length - first - 1) / load.requestsPerSlot) + 1;
  return slotAt(trace.arrivalSeconds.at(-1) as number, slotSeconds) - from + 1;
}

/**
 * Under rescale, the factor of the arrival times: request number R·T from the first on arrives when slot T begins, so
 * that the R·T before it arrive in slots 0 to T − 1. Where there are fewer, the mean gap is Δ / R.
 */
function timeScale(
  trace: Trace,
  first: number,
  startAt: number,
  requestsPerSlot: number,
  options: TraceOptions,
): number {
  const { slotSeconds, slots, from, load } = options;
  const has = traceSlots(trace, load, slotSeconds, from);
  if (slots > has)
    throw invalid(
      `trace ${trace.name}: slots`,
      slots,
      `at most ${String(has)}, since at ${String(requestsPerSlot)} requests per slot it has no more`,
    );
  const { arrivalSeconds } = trace;
  const gaps = Math.min(Math.ceil(requestsPerSlot * slots), arrivalSeconds.length - first - 1);
  const span = arrivalSeconds[first + gaps] - startAt;
  if (!(span > 0))
    throw new UserError(
      `trace ${trace.name}: all requests arrive at one time, which no rescaling can spread; allowed: two arrival times or more, or another load`,
    );
  return (slotSeconds * gaps) / (requestsPerSlot * span);
}

/** The probability with which thin keeps each of `recorded` requests. */
function keepProbability(recorded: number, slots: number, requestsPerSlot: number): number {
  if (requestsPerSlot * slots > recorded)
    throw invalid(
      'trace load: requestsPerSlot of thin',
      requestsPerSlot,
      `at most the recorded load (${String(recorded / slots)} per slot over the ${String(slots)} slots that are run); rescale can raise it, from begins elsewhere`,
    );
  return (requestsPerSlot * slots) / recorded;
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

function checkOptions({ users, slotSeconds, slots, load, from }: TraceOptions): void {
  if (!Number.isInteger(users) || users < 1) throw invalid('trace workload: users', users, 'an integer >= 1');
  if (!(slotSeconds > 0 && Number.isFinite(slotSeconds)))
    throw invalid('trace workload: slotSeconds', slotSeconds, 'a finite number > 0');
  if (!Number.isInteger(slots) || slots < 1) throw invalid('trace workload: slots', slots, 'an integer >= 1');
  checkLoad(load);
  if (load.kind === 'per-user' && from !== undefined)
    throw invalid('trace workload: from', from, 'none with the load per-user, which leaves the times aside');
}

/**
 * A trace as a workload of T slots. The requests that arrived within [t·Δ, (t+1)·Δ) of the trace are issued together
 * in slot t, whose start is taken to be that interval's end: they have all arrived when the scheduler sees them, and it
 * never sees the future. After the trace's end slots are empty.
 * Note: the wait for the slot's start, up to Δ, is not part of D_tot, which begins with the slot (III-A); and a user,
 * a seeded hash of the request's index, may have several requests in a slot or none.
 *
 * @throws UserError when the load cannot be had from this trace.
 */
export function traceWorkload(trace: Trace, options: TraceOptions): Workload {
  checkOptions(options);
  const { users, slotSeconds, slots, load, from = 0, seed } = options;
  if (load.kind === 'per-user') return perUser(trace, options);
  const userKey = hashLabel(seed, 'trace-user');
  const thinKey = hashLabel(seed, 'trace-thin');
  const { arrivalSeconds, inputTokens, outputTokens } = trace;
  const first = firstFrom(trace, from, slotSeconds);
  let slotOf = (i: number): number => slotAt(arrivalSeconds[i], slotSeconds) - from;
  if (load.kind === 'rescale') {
    const startAt = from * slotSeconds;
    const scale = timeScale(trace, first, startAt, load.requestsPerSlot, options);
    slotOf = (i): number => slotAt(Math.max(0, arrivalSeconds[i] - startAt) * scale, slotSeconds);
  }
  const end = firstBeyond(first, arrivalSeconds.length, (i) => slotOf(i) >= slots);
  const keep = load.kind === 'thin' ? keepProbability(end - first, slots, load.requestsPerSlot) : 1;
  /** Indices of the requests that are kept, in order of arrival. */
  const kept = Int32Array.from({ length: end - first }, (_, k) => first + k).filter(
    (i) => keep === 1 || uniformAt(thinKey, i, 0, 0) < keep,
  );
  let most = 1;
  for (let k = 0, begin = 0; k < kept.length; k++) {
    if (slotOf(kept[k]) !== slotOf(kept[begin])) begin = k;
    most = Math.max(most, k - begin + 1);
  }
  return {
    maxRequestsPerSlot: most,
    fill(slot, out): void {
      const begin = firstBeyond(0, kept.length, (k) => slotOf(kept[k]) >= slot);
      let n = 0;
      for (; begin + n < kept.length && slotOf(kept[begin + n]) === slot; n++) {
        const i = kept[begin + n];
        out.user[n] = Math.floor(uniformAt(userKey, i, 0, 0) * users);
        out.inputTokens[n] = inputTokens[i];
        out.outputTokens[n] = outputTokens[i];
        out.predictedTokens[n] = outputTokens[i];
      }
      out.count = n;
    },
  };
}
