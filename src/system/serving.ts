import { invalid } from '../core/errors';
import { HandleQueue } from './handle-queue';
import { RequestTable } from './request-table';
import type { ServerSpec } from './scenario';
import { EdgeServer, type ServingConstants } from './server';
import type { IterationRecorder } from './trajectory';

/**
 * The edge servers of a system, moved on slot by slot (III). Deterministic: what is random has been drawn before a
 * request comes here.
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

  private batchCount: Int32Array;
  private batchStart: Int32Array;
  private sorted: Int32Array = new Int32Array(64);

  constructor(
    specs: readonly ServerSpec[],
    readonly constants: ServingConstants,
    servers?: readonly EdgeServer[],
  ) {
    this.servers = servers ?? specs.map((spec, s) => new EdgeServer(s, spec, constants));
    this.batchCount = new Int32Array(this.servers.length + 1);
    this.batchStart = new Int32Array(this.servers.length + 1);
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
      server.advance(this.table, slot, endAt, this.completed, this.lost, recorder);
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
    copy.batchCount = this.batchCount.slice();
    return copy;
  }
}

/**
 * The tokens by which a request is refused on arrival, if they are more than the pool of its server holds: with the
 * admission 'true-length' its whole length, else the lesser of its length and its prediction.
 * Note: a request that will outgrow the pool is admitted as long as its prediction fits, and is lost when it has
 * outgrown it. A prediction that is too long by itself refuses nothing: it is cut to the pool.
 */
export function tokensOnArrival(
  { admission }: Pick<ServingConstants, 'admission'>,
  inputTokens: number,
  outputTokens: number,
  predictedTokens: number,
): number {
  return inputTokens + (admission === 'true-length' ? outputTokens : Math.min(outputTokens, predictedTokens));
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
