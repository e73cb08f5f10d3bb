/** Requests that completed, structure of arrays; entries 0..count−1 are valid. Latencies in seconds. */
export interface Completions {
  count: number;
  /** Slot in which the request arrived and was assigned. */
  slot: Int32Array;
  /** Its place among that slot's requests. */
  index: Int32Array;
  server: Int32Array;
  /** D_tot. */
  total: Float64Array;
  transmission: Float64Array;
  /** Waiting for the batch's slowest transmission, the printed D_wa. */
  synchronisation: Float64Array;
  /** Waiting for the previous slots' prefills. */
  prefillQueue: Float64Array;
  prefill: Float64Array;
  /** Waiting for an iteration boundary and for room in the KV pool. */
  admission: Float64Array;
  decode: Float64Array;
  /** When it completed, s. */
  completedAt: Float64Array;
}

/** Empty arrays for `capacity` completions. */
export function completions(capacity: number): Completions {
  const seconds = (): Float64Array => new Float64Array(capacity);
  return {
    count: 0,
    slot: new Int32Array(capacity),
    index: new Int32Array(capacity),
    server: new Int32Array(capacity),
    total: seconds(),
    transmission: seconds(),
    synchronisation: seconds(),
    prefillQueue: seconds(),
    prefill: seconds(),
    admission: seconds(),
    decode: seconds(),
    completedAt: seconds(),
  };
}

/**
 * What happened in a slot, all that a reward or a metric may count. The arrays are the environment's own and are
 * written anew by the next step.
 */
export interface SlotOutcome {
  readonly slot: number;
  /** Requests that arrived, rejected ones included. */
  arrived: number;
  /** Requests that no server, or not the one they were assigned to, can ever hold. */
  rejected: number;
  /** Q'_s(t): requests that completed, at the last slot with those of the drain. */
  completions: Completions;
  /** η_s(t), [S]. */
  readonly eta: Float64Array;
  /** M_pk(t) over the pool's size, [S]. */
  readonly peak: Float64Array;
  /** Decode iterations started, [S]. */
  readonly iterations: Float64Array;
  /** Y_s(t), [S]. */
  readonly deviation: Float64Array;
  /** Z_s(t), before this slot's deviation is added, [S]. */
  readonly queue: Float64Array;
  /** Requests that were sent to each server in this slot, without rejected ones, [S]. */
  readonly sent: Float64Array;
  /** Requests on each server when the slot ended, before the drain, [S]. */
  readonly backlog: Float64Array;
  /** Υ(t): prefilled requests that wait at the slot's end, for KV room or the next boundary. */
  waiting: number;
  /** Requests in the system when the slot ended; 0 after the drain. */
  inSystem: number;
  /** ∫ N(t) dt over what became known in this slot, request-seconds. */
  requestSeconds: number;
}
