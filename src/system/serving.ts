import { invalid } from '../core/errors';
import type { Completion } from './completion';
import { RequestTable } from './request-table';
import type { ServerSpec, ServingConstants } from './scenario';
import { EdgeServer } from './server';
import type { IterationRecorder } from './trajectory';

/** A request when it is sent. */
type Submission = Pick<
  Completion,
  'slot' | 'index' | 'user' | 'server' | 'inputTokens' | 'outputTokens' | 'predictedTokens' | 'transmission'
>;

/**
 * The edge servers of a system, moved on slot by slot (III). Nothing is drawn here.
 *
 * For every slot t = 0, 1, …: `submit` its requests in order of arrival, then `runSlot`; afterwards slots without
 * requests, until all is done.
 */
export class Serving {
  readonly servers: readonly EdgeServer[];
  /** Handles of requests completed, or lost, in the last `runSlot`; the caller releases them. */
  completed: number[] = [];
  lost: number[] = [];

  constructor(
    specs: readonly ServerSpec[],
    readonly constants: ServingConstants,
    readonly table: RequestTable = new RequestTable(),
    servers?: readonly EdgeServer[],
  ) {
    this.servers = servers ?? specs.map((spec, s) => new EdgeServer(s, spec, constants, table));
  }

  get requestCount(): number {
    return this.servers.reduce((sum, server) => sum + server.requestCount, 0);
  }

  /** Enters a request into the table and sends it to its server in the slot that is run next; returns its handle. */
  submit(request: Submission): number {
    const { table } = this;
    const handle = table.allocate();
    table.slot[handle] = request.slot;
    table.index[handle] = request.index;
    table.user[handle] = request.user;
    table.server[handle] = request.server;
    table.inputTokens[handle] = request.inputTokens;
    table.outputTokens[handle] = request.outputTokens;
    table.predictedTokens[handle] = request.predictedTokens;
    table.transmissionSeconds[handle] = request.transmission;
    this.servers[request.server].incoming.push(handle);
    return handle;
  }

  /** Runs all iterations that start in slot t, t·Δ ≤ start < (t + 1)·Δ. */
  runSlot(slot: number, recorder?: IterationRecorder): void {
    this.completed = [];
    this.lost = [];
    for (const server of this.servers) server.runSlot(slot, this, recorder);
  }

  /** The slot in which the next iteration of any server starts; ∞ when all is done. */
  nextBusySlot(): number {
    const { slotSeconds } = this.constants;
    const at = Math.min(...this.servers.map((server) => server.nextIterationAt));
    if (at === Infinity) return Infinity;
    let slot = Math.floor(at / slotSeconds);
    if (slot > Number.MAX_SAFE_INTEGER)
      throw invalid('slotSeconds', slotSeconds, `long enough that second ${at} lies before slot 2^53`);
    // Slot t has t·Δ ≤ at < (t + 1)·Δ, both products in doubles.
    while (slot * slotSeconds > at) slot--;
    while ((slot + 1) * slotSeconds <= at) slot++;
    return slot;
  }

  fork(): Serving {
    const table = this.table.clone();
    const servers = this.servers.map((server) => server.fork(table));
    return new Serving([], this.constants, table, servers);
  }
}
