import type { RequestTable } from './request-table';

/**
 * D_tot of a completed request and its parts, s. They follow from the points in time that it passed, in the order of
 * Section III-D: D_tot = transmission + synchronisation + prefill queue + prefill + admission + decode. The three waits lie
 * between the paper's D_tx, D_pre and D_dec; the printed D_wa is the first of them.
 */
export interface Delays {
  /** D_tot. */
  readonly total: number;
  /** D_tx. */
  readonly transmission: number;
  /** Waiting for the batch's slowest transmission, the printed D_wa. */
  readonly synchronisation: number;
  /** Waiting for the previous slots' prefills. */
  readonly prefillQueue: number;
  /** D_pre of its batch. */
  readonly prefill: number;
  /** Waiting for an iteration boundary and for room in the KV pool; after a preemption, all until it decodes again. */
  readonly admission: number;
  /** D_dec: the sum of its iterations; in static batching from joining to the batch's end. */
  readonly decode: number;
}

/** A completed request with the points in time that it passed, s. */
export interface Completion extends Delays {
  /** Slot of arrival, and its place among that slot's requests. */
  readonly slot: number;
  readonly index: number;
  readonly user: number;
  readonly server: number;
  /** l_in. */
  readonly inputTokens: number;
  /** l_out. */
  readonly outputTokens: number;
  /** l̂_out, which the scheduler saw. */
  readonly predictedTokens: number;
  /** The end of the slowest transmission of its batch. */
  readonly synchronisedAt: number;
  readonly prefillStartAt: number;
  readonly prefillEndAt: number;
  /** The time at which it last joined the running batch. */
  readonly joinedAt: number;
  readonly completedAt: number;
  readonly preemptions: number;
}

/** @param slotSeconds Δ, s. */
export function delaysOf(table: RequestTable, handle: number, slotSeconds: number): Delays {
  const arrivedAt = table.slot[handle] * slotSeconds;
  const transmission = table.transmissionSeconds[handle];
  const synchronisedAt = table.synchronisedAt[handle];
  const prefillStartAt = table.prefillStartAt[handle];
  const prefillEndAt = table.prefillEndAt[handle];
  return {
    total: table.completedAt[handle] - arrivedAt,
    transmission,
    synchronisation: synchronisedAt - arrivedAt - transmission,
    prefillQueue: prefillStartAt - synchronisedAt,
    prefill: prefillEndAt - prefillStartAt,
    admission: table.joinedAt[handle] - prefillEndAt - table.decodedBefore[handle],
    decode: table.decodeSeconds[handle],
  };
}

/** The requests that completed in a slot, in order. They stay in the table until they are released. */
export class Completions {
  handles: number[] = [];

  /** @param slotSeconds Δ, s. */
  constructor(
    private readonly table: RequestTable,
    private readonly slotSeconds: number,
  ) {}

  get length(): number {
    return this.handles.length;
  }

  /** The delays of the k-th. */
  delays(k: number): Delays {
    return delaysOf(this.table, this.handles[k], this.slotSeconds);
  }

  rows(): Completion[] {
    const { table } = this;
    // Written out: V8 takes 15 µs for an object with a spread and thirteen more fields.
    return this.handles.map((handle, k) => {
      const { total, transmission, synchronisation, prefillQueue, prefill, admission, decode } = this.delays(k);
      return {
        total,
        transmission,
        synchronisation,
        prefillQueue,
        prefill,
        admission,
        decode,
        slot: table.slot[handle],
        index: table.index[handle],
        user: table.user[handle],
        server: table.server[handle],
        inputTokens: table.inputTokens[handle],
        outputTokens: table.outputTokens[handle],
        predictedTokens: table.predictedTokens[handle],
        synchronisedAt: table.synchronisedAt[handle],
        prefillStartAt: table.prefillStartAt[handle],
        prefillEndAt: table.prefillEndAt[handle],
        joinedAt: table.joinedAt[handle],
        completedAt: table.completedAt[handle],
        preemptions: table.preemptions[handle],
      };
    });
  }

  release(): void {
    for (const handle of this.handles) this.table.release(handle);
    this.handles = [];
  }
}
