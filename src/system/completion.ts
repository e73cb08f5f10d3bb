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

/** The columns of the table that a completion shows. */
const shown = [
  'slot',
  'index',
  'user',
  'server',
  'inputTokens',
  'outputTokens',
  'predictedTokens',
  'synchronisedAt',
  'prefillStartAt',
  'prefillEndAt',
  'joinedAt',
  'completedAt',
  'preemptions',
] as const;

/** A completed request with the points in time that it passed, s; {@link RequestTable} has the meaning of each field. */
export type Completion = Delays & Readonly<Record<(typeof shown)[number], number>>;

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
    return this.handles.map((handle, k) => {
      // Not a spread, with which V8 takes 40 µs instead of one.
      const row: Partial<Record<keyof Completion, number>> = this.delays(k);
      for (const column of shown) row[column] = this.table[column][handle];
      return row as Completion;
    });
  }

  release(): void {
    for (const handle of this.handles) this.table.release(handle);
    this.handles = [];
  }
}
