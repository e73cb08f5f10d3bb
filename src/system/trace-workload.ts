import { z } from 'zod';
import { UserError, invalid } from '../core/errors';
import { parseWith } from '../core/parse';
import { hashLabel, uniformAt } from '../core/rng';
import { positive } from '../core/schema';
import type { SystemConfig } from './config';
import { configFields } from './config-fields';
import type { Trace } from './trace';
import type { SlotRequests, Workload } from './workload';

/**
 * The way from a trace to slots: unscaled, as recorded; thin, each request kept with one probability so that the mean
 * load over the slots that are run is as wanted; rescale, the time axis stretched or squeezed so that it is; per-user,
 * the paper's one request per user and slot, with length pairs drawn from the trace and its times left aside.
 */
export type TraceLoad =
  { readonly kind: 'unscaled' | 'per-user' } | { readonly kind: 'thin' | 'rescale'; readonly requestsPerSlot: number };

export interface TraceOptions extends Pick<SystemConfig, 'users' | 'slotSeconds' | 'slots'> {
  /** The slot of the trace as recorded with which the run begins. Default 0; per-user has none. */
  readonly from?: number | undefined;
  readonly load: TraceLoad;
  readonly seed: number;
}

const loadSchema = z.object({ kind: z.string(), requestsPerSlot: positive.optional() });

const optionsSchema = z.object({
  users: configFields.users[0],
  slotSeconds: configFields.slotSeconds[0],
  slots: configFields.slots[0],
  load: loadSchema,
});

/**
 * The slot that holds a point in time, t·Δ ≤ at < (t + 1)·Δ, of decimal numbers: 0.3 s is the start of slot 3 of 0.1 s,
 * though in doubles 0.3 / 0.1 < 3. A quotient that is an integer but for the rounding of its parts is that integer.
 */
export function slotAt(at: number, slotSeconds: number): number {
  const quotient = at / slotSeconds;
  const nearest = Math.round(quotient);
  return Math.abs(quotient - nearest) <= nearest * 2 ** -50 ? nearest : Math.floor(quotient);
}

const lastSlot = ({ arrivalSeconds }: Trace, slotSeconds: number): number =>
  slotAt(arrivalSeconds[arrivalSeconds.length - 1], slotSeconds);

/** The first request that was recorded in slot `from` or later. */
function firstFrom(trace: Trace, from: number, slotSeconds: number): number {
  const last = lastSlot(trace, slotSeconds);
  if (!Number.isInteger(from) || from < 0 || from > last)
    throw invalid(`trace ${trace.name}: from`, from, `a slot of the trace, an integer from 0 to ${last}`);
  return trace.arrivalSeconds.findIndex((at) => slotAt(at, slotSeconds) >= from);
}

/** Mean load of a trace as recorded, requests per slot from the first arrival's to the last's. */
export function traceLoad(trace: Trace, slotSeconds: number): number {
  return trace.arrivalSeconds.length / (lastSlot(trace, slotSeconds) + 1);
}

/** Slots that a trace fills from slot `from` as recorded on, the last request's included; Infinity for per-user. */
export function traceSlots(trace: Trace, load: TraceLoad, slotSeconds: number, from: number = 0): number {
  parseWith(loadSchema, load, 'trace load');
  if (load.kind === 'per-user') return Number.POSITIVE_INFINITY;
  const first = firstFrom(trace, from, slotSeconds);
  if (load.kind === 'rescale') return Math.floor((trace.arrivalSeconds.length - first - 1) / load.requestsPerSlot) + 1;
  return lastSlot(trace, slotSeconds) - from + 1;
}

/**
 * Under rescale, the factor of the arrival times: request number R·T from the first on arrives when slot T begins, so
 * that the R·T before it arrive in slots 0 to T − 1. Where there are fewer, the mean gap is Δ / R.
 */
function timeScale(trace: Trace, first: number, perSlot: number, options: TraceOptions): number {
  const { slotSeconds, slots, from = 0, load } = options;
  const { name, arrivalSeconds } = trace;
  const most = traceSlots(trace, load, slotSeconds, from);
  if (slots > most) {
    const allowed = `at most ${most}, since at ${perSlot} requests per slot it has no more`;
    throw invalid(`trace ${name}: slots`, slots, allowed);
  }
  const gaps = Math.min(Math.ceil(perSlot * slots), arrivalSeconds.length - first - 1);
  const span = arrivalSeconds[first + gaps] - from * slotSeconds;
  if (span > 0) return (slotSeconds * gaps) / (perSlot * span);
  throw new UserError(
    `trace ${name}: all requests arrive at one time, which no rescaling can spread; allowed: two arrival times or more, or another load`,
  );
}

function put(trace: Trace, i: number, out: SlotRequests, n: number, user: number): void {
  out.user[n] = user;
  out.inputTokens[n] = trace.inputTokens[i];
  out.outputTokens[n] = trace.outputTokens[i];
  out.predictedTokens[n] = trace.outputTokens[i];
}

/** One request per user and slot, with the length pair of a trace's request drawn uniformly. */
function perUser(trace: Trace, { users, seed }: TraceOptions): Workload {
  const key = hashLabel(seed, 'trace-lengths');
  const requests = trace.arrivalSeconds.length;
  return {
    maxRequestsPerSlot: users,
    fill(slot, out): void {
      out.count = users;
      for (let u = 0; u < users; u++) put(trace, Math.floor(uniformAt(key, slot, u, 0) * requests), out, u, u);
    },
  };
}

/**
 * A trace as a workload of T slots. The requests that arrived within [t·Δ, (t+1)·Δ) of the trace are issued together
 * in slot t, whose start is taken to be that interval's end: they have all arrived when the scheduler sees them, and it
 * never sees the future. After the trace's end slots are empty.
 * Note: the wait for the slot's start, up to Δ, is not part of D_tot, which begins with the slot (III-A); and a user,
 * a seeded hash of the request's index, may have several requests in a slot or none.
 *
 * @throws UserError when an option is out of range or the load cannot be had from this trace.
 */
export function traceWorkload(trace: Trace, options: TraceOptions): Workload {
  parseWith(optionsSchema, options, 'trace workload');
  const { users, slotSeconds, slots, load, seed, from = 0 } = options;
  if (load.kind === 'per-user') {
    if (options.from === undefined) return perUser(trace, options);
    throw invalid('trace workload: from', from, 'none with the load per-user, which leaves the times aside');
  }
  const { arrivalSeconds } = trace;
  const first = firstFrom(trace, from, slotSeconds);
  let slotOf = (i: number): number => slotAt(arrivalSeconds[i], slotSeconds) - from;
  if (load.kind === 'rescale') {
    const scale = timeScale(trace, first, load.requestsPerSlot, options);
    slotOf = (i): number => slotAt(Math.max(0, arrivalSeconds[i] - from * slotSeconds) * scale, slotSeconds);
  }
  let kept = [...arrivalSeconds.keys()].slice(first).filter((i) => slotOf(i) < slots);
  if (load.kind === 'thin') {
    const share = (load.requestsPerSlot * slots) / kept.length;
    if (share > 1)
      throw invalid(
        'trace load: requestsPerSlot of thin',
        load.requestsPerSlot,
        `at most the recorded load (${Math.floor((1000 * kept.length) / slots) / 1000} per slot over the ${slots} slots that are run); rescale can raise it, from begins elsewhere`,
      );
    const thinKey = hashLabel(seed, 'trace-thin');
    kept = kept.filter((i) => uniformAt(thinKey, i, 0, 0) < share);
  }
  const bySlot = new Map<number, number[]>();
  let most = 1;
  for (const i of kept) {
    const requests = bySlot.get(slotOf(i)) ?? [];
    most = Math.max(most, requests.push(i));
    bySlot.set(slotOf(i), requests);
  }
  const userKey = hashLabel(seed, 'trace-user');
  return {
    maxRequestsPerSlot: most,
    fill(slot, out): void {
      const requests = bySlot.get(slot) ?? [];
      out.count = requests.length;
      requests.forEach((i, n) => {
        put(trace, i, out, n, Math.floor(uniformAt(userKey, i, 0, 0) * users));
      });
    },
  };
}
