import { invalid } from '../core/errors';
import { HandleQueue } from './handle-queue';
import { RequestTable } from './request-table';
import type { ServerSpec, ServingConstants } from './scenario';
import { EdgeServer } from './server';
import type { IterationRecorder } from './trajectory';

/**
 * The edge servers of a system, moved on slot by slot (III). Nothing is drawn here.
 *
 * For every slot t = 0, 1, …: fill `table` with the slot's requests, `submit` them, then `runSlot`;
 * afterwards slots without requests, until all is done.
 */
export class Serving {
  table: RequestTable = new RequestTable();
  readonly servers: readonly EdgeServer[];
  /** Handles of requests completed by the last `runSlot`; the caller releases them. */
  completed: HandleQueue = new HandleQueue();
  /** Handles of requests that outgrew the pool of their server in the last `runSlot`; the caller releases them. */
  lost: HandleQueue = new HandleQueue();

  /** Requests of the slot per server, and where they begin in `sorted`, [S]. */
  private readonly batchCount: Int32Array;
  private readonly batchStart: Int32Array;
  private sorted: Int32Array = new Int32Array(64);

  constructor(
    specs: readonly ServerSpec[],
    readonly constants: ServingConstants,
    servers?: readonly EdgeServer[],
  ) {
    this.servers = servers ?? specs.map((spec, s) => new EdgeServer(s, spec, constants));
    this.batchCount = new Int32Array(this.servers.length);
    this.batchStart = new Int32Array(this.servers.length);
  }

  /**
   * Sends the slot's requests on their way. The table's columns, `server` and `transmissionSeconds` included, are
   * set; entries 0..count−1 of `handles` are in arrival order.
   */
  submit(handles: Int32Array, count: number, slotStartAt: number): void {
    const { table, batchCount, batchStart } = this;
    if (this.sorted.length < count) this.sorted = new Int32Array(2 * count);
    batchCount.fill(0);
    for (let i = 0; i < count; i++) batchCount[table.server[handles[i]]]++;
    let start = 0;
    for (let s = 0; s < this.servers.length; s++) {
      batchStart[s] = start;
      start += batchCount[s];
    }
    for (let i = 0; i < count; i++) {
      const handle = handles[i];
      this.sorted[batchStart[table.server[handle]]++] = handle;
    }
    for (const server of this.servers) {
      const size = batchCount[server.index];
      if (size > 0) server.receive(table, this.sorted, batchStart[server.index] - size, size, slotStartAt);
    }
  }

  /** Runs all iterations that start in slot t, t·Δ ≤ start < (t + 1)·Δ. */
  runSlot(slot: number, recorder?: IterationRecorder): void {
    this.completed.clear();
    this.lost.clear();
    const endAt = (slot + 1) * this.constants.slotSeconds;
    for (const server of this.servers) {
      server.beginSlot();
      server.advance(this.table, slot, endAt, this, recorder);
    }
  }

  /** The slot in which the next iteration of any server starts; ∞ when all is done. */
  nextBusySlot(): number {
    let at = Infinity;
    for (const server of this.servers) at = Math.min(at, server.nextIterationAt);
    return slotOf(at, this.constants.slotSeconds);
  }

  /** An independent copy, for counterfactual runs. */
  fork(): Serving {
    const copy = new Serving(
      [],
      this.constants,
      this.servers.map((server) => server.fork()),
    );
    copy.table = this.table.clone();
    copy.completed = this.completed.clone();
    copy.lost = this.lost.clone();
    return copy;
  }
}

/** The slot t with t·Δ ≤ at < (t + 1)·Δ, both products in doubles. */
export function slotOf(at: number, slotSeconds: number): number {
  if (at === Infinity) return Infinity;
  let slot = Math.floor(at / slotSeconds);
  if (slot > Number.MAX_SAFE_INTEGER)
    throw invalid('slotSeconds', slotSeconds, `long enough that second ${String(at)} lies before slot 2^53`);
  while (slot * slotSeconds > at) slot--;
  while ((slot + 1) * slotSeconds <= at) slot++;
  return slot;
}
