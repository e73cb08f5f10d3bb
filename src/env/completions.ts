import type { RequestTable } from '../system/request-table';

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
  /** The end of the slowest transmission of its batch. */
  synchronisedAt: Float64Array;
  prefillStartAt: Float64Array;
  prefillEndAt: Float64Array;
  /** The time at which it joined the running batch. */
  joinedAt: Float64Array;
  completedAt: Float64Array;
  /** The number of its preemptions. */
  preemptions: Int32Array;
}

/** One completed request: a value of each column. */
export type CompletionRow = { readonly [Name in Exclude<keyof Completions, 'count'>]: number };

export function completionRows({ count, ...columns }: Completions): CompletionRow[] {
  const named = Object.entries(columns) as [keyof CompletionRow, Int32Array | Float64Array][];
  return Array.from(
    { length: count },
    (_, i) => Object.fromEntries(named.map(([name, column]) => [name, column[i]])) as CompletionRow,
  );
}

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
    preemptions: integers(),
  };
}

/** A copy with room for `capacity` completions. */
export function enlarged(done: Completions, capacity: number): Completions {
  const larger = completions(capacity);
  for (const name of Object.keys(larger) as (keyof Completions)[]) if (name !== 'count') larger[name].set(done[name]);
  return { ...larger, count: done.count };
}

/**
 * Appends a completed request. Its delays follow from the points in time that it passed, in the order of Section III-D:
 * D_tot = transmission + synchronisation + prefill queue + prefill + admission + decode. The three waits lie between the
 * paper's D_tx, D_pre and D_dec; the printed D_wa is the first of them.
 *
 * @param slotSeconds Δ, s.
 */
export function addCompletion(
  done: Completions,
  table: RequestTable,
  handle: number,
  completedSlot: number,
  slotSeconds: number,
): void {
  const i = done.count++;
  const arrivedAt = table.slot[handle] * slotSeconds;
  const transmission = table.transmissionSeconds[handle];
  const synchronisedAt = table.synchronisedAt[handle];
  const prefillStartAt = table.prefillStartAt[handle];
  const prefillEndAt = table.prefillEndAt[handle];
  const joinedAt = table.joinedAt[handle];
  const completedAt = table.completedAt[handle];
  done.slot[i] = table.slot[handle];
  done.index[i] = table.index[handle];
  done.completedSlot[i] = completedSlot;
  done.user[i] = table.user[handle];
  done.server[i] = table.server[handle];
  done.inputTokens[i] = table.inputTokens[handle];
  done.outputTokens[i] = table.outputTokens[handle];
  done.predictedTokens[i] = table.predictedTokens[handle];
  done.synchronisedAt[i] = synchronisedAt;
  done.prefillStartAt[i] = prefillStartAt;
  done.prefillEndAt[i] = prefillEndAt;
  done.joinedAt[i] = joinedAt;
  done.completedAt[i] = completedAt;
  done.preemptions[i] = table.preemptions[handle];
  done.transmission[i] = transmission;
  done.synchronisation[i] = synchronisedAt - arrivedAt - transmission;
  done.prefillQueue[i] = prefillStartAt - synchronisedAt;
  done.prefill[i] = prefillEndAt - prefillStartAt;
  done.admission[i] = joinedAt - prefillEndAt - table.decodedBeforeSeconds[handle];
  done.decode[i] = table.decodeSeconds[handle];
  done.total[i] = completedAt - arrivedAt;
}
