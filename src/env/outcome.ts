import type { BalanceColumns } from './count-balance';

/** Requests that completed, structure of arrays; entries 0..count−1 are valid. All times and delays in seconds. */
export interface Completions {
  count: number;
  /** Slot in which the request arrived and was assigned. */
  slot: Int32Array;
  /** Its place among that slot's requests. */
  index: Int32Array;
  /** Slot in which it completed; of the drain's requests the last slot T − 1, to which they count. */
  completedSlot: Int32Array;
  user: Int32Array;
  server: Int32Array;
  /** l_in. */
  inputTokens: Int32Array;
  /** l_out. */
  outputTokens: Int32Array;
  /** l̂_out, which the scheduler saw. */
  predictedTokens: Int32Array;
  /** D_tot. */
  total: Float64Array;
  transmission: Float64Array;
  /** Waiting for the batch's slowest transmission, the printed D_wa. */
  synchronisation: Float64Array;
  /** Waiting for the previous slots' prefills. */
  prefillQueue: Float64Array;
  prefill: Float64Array;
  /** Waiting for an iteration boundary and for room in the KV pool; after a preemption, all until it decodes again. */
  admission: Float64Array;
  decode: Float64Array;
  /** When the slowest transmission of its batch had ended. */
  synchronisedAt: Float64Array;
  prefillStartAt: Float64Array;
  prefillEndAt: Float64Array;
  /** When it joined the running batch. */
  joinedAt: Float64Array;
  completedAt: Float64Array;
  /** How often it was preempted. */
  preemptions: Int32Array;
}

/** Empty arrays for `capacity` completions. */
export function completions(capacity: number): Completions {
  const seconds = (): Float64Array => new Float64Array(capacity);
  const integers = (): Int32Array => new Int32Array(capacity);
  return {
    count: 0,
    slot: integers(),
    index: integers(),
    completedSlot: integers(),
    user: integers(),
    server: integers(),
    inputTokens: integers(),
    outputTokens: integers(),
    predictedTokens: integers(),
    total: seconds(),
    transmission: seconds(),
    synchronisation: seconds(),
    prefillQueue: seconds(),
    prefill: seconds(),
    admission: seconds(),
    decode: seconds(),
    synchronisedAt: seconds(),
    prefillStartAt: seconds(),
    prefillEndAt: seconds(),
    joinedAt: seconds(),
    completedAt: seconds(),
    preemptions: new Int32Array(capacity),
  };
}

/**
 * The delays of a completed request from the points in time that it passed, in the order of Section III-D:
 * D_tot = transmission + synchronisation + prefill queue + prefill + admission + decode. The three waits lie between the
 * paper's D_tx, D_pre and D_dec; the printed D_wa is the first of them.
 *
 * @param i the completion, whose points in time are written.
 * @param known the start of its slot, D_tx, and D_dec as the sum of its iterations.
 */
export function writeDelays(
  done: Completions,
  i: number,
  {
    arrivedAt,
    transmission,
    decode,
    decodedBefore,
  }: { arrivedAt: number; transmission: number; decode: number; decodedBefore: number },
): void {
  done.total[i] = done.completedAt[i] - arrivedAt;
  done.transmission[i] = transmission;
  done.synchronisation[i] = done.synchronisedAt[i] - arrivedAt - transmission;
  done.prefillQueue[i] = done.prefillStartAt[i] - done.synchronisedAt[i];
  done.prefill[i] = done.prefillEndAt[i] - done.prefillStartAt[i];
  done.admission[i] = done.joinedAt[i] - done.prefillEndAt[i] - decodedBefore;
  done.decode[i] = decode;
}

/**
 * What happened in a slot, all that a reward or a metric may count. The arrays are the environment's own and are
 * written anew by the next step.
 */
export interface SlotOutcome {
  readonly slot: number;
  /** Requests that arrived, rejected ones included. */
  arrived: number;
  /** Requests that were not answered: no pool can hold them, or they are counted in one of the next two. */
  rejected: number;
  /** Requests whose prediction was wrong and which outgrew the pool of their server, or were refused by it on arrival. */
  lostToPrediction: number;
  /** Requests that a scheduler sent to a server that refused them, though their prediction fits another. */
  misassigned: number;
  /** Preemptions, for want of KV room, in the slot; at the last slot with those of the drain. */
  preemptions: number;
  /** Q'_s(t): requests that completed, at the last slot with those of the drain. */
  completions: Completions;
  /** η_s(t), [S]. */
  readonly eta: Float64Array;
  /** M_pk(t) over the pool's size, [S]. */
  readonly peak: Float64Array;
  /** Decode iterations started, [S]. */
  readonly iterations: Float64Array;
  /** Y_s(t) of η, on which a run is scored, [S]. */
  readonly deviation: Float64Array;
  /** Z_s(t) of η, before this slot's deviation is added, [S]. */
  readonly queue: Float64Array;
  /** Requests that were sent to each server in this slot, without rejected ones, [S]. */
  readonly sent: Float64Array;
  /** Requests on each server when the slot ended, before the drain, [S]. */
  readonly backlog: Float64Array;
  /** Y and Z of the balance measure, from which a reward learns; the two arrays above where the measure is η. */
  readonly learned: BalanceColumns;
  /** Σ D_tot of the drain's requests, s; 0 before the last slot. */
  drainedLatency: number;
  /** Υ(t): prefilled requests that wait at the slot's end, for KV room or the next boundary. */
  waiting: number;
  /** Requests in the system when the slot ended; 0 after the drain. */
  inSystem: number;
  /** ∫ N(t) dt over what became known in this slot, without lost requests, request-seconds. */
  requestSeconds: number;
}
