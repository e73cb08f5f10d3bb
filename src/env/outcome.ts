import type { Completions } from '../system/completion';
import type { Serving } from '../system/serving';

/** The columns of an outcome, [S] each. */
const COLUMNS = ['eta', 'peak', 'iterations', 'deviation', 'queue', 'sent', 'backlog'] as const;

/**
 * The events of a slot, all that a reward or a metric may count. The arrays are the environment's own; the next step
 * overwrites them.
 */
export class SlotOutcome {
  /** From 0; −1 before the first. */
  slot = -1;
  /** Requests that arrived, rejected ones included. */
  arrived = 0;
  /** Requests that were not answered: no pool can hold them, or they are counted in one of the next two. */
  rejected = 0;
  /** Requests whose prediction was wrong and which outgrew the pool of their server, or were refused by it on arrival. */
  lostToPrediction = 0;
  /** Requests that a scheduler sent to a server that refused them, though their prediction fits another. */
  misassigned = 0;
  /** Preemptions, for want of KV room; at the last slot with those of the drain. */
  preemptions = 0;
  /** η_s(t), [S]. */
  readonly eta!: Float64Array;
  /** M_pk(t) over the pool's size, [S]. */
  readonly peak!: Float64Array;
  /** Decode iterations started, [S]. */
  readonly iterations!: Float64Array;
  /** Y_s(t) of η, on which a run is scored, [S]. */
  readonly deviation!: Float64Array;
  /** Z_s(t) of η, before this slot's deviation is added, [S]. */
  readonly queue!: Float64Array;
  /** Requests that were sent to each server, without rejected ones, [S]. */
  readonly sent!: Float64Array;
  /** Requests on each server when the slot ended, before the drain, [S]. */
  readonly backlog!: Float64Array;
  /** Y and Z of the balance measure, from which a reward learns; its Y is `deviation` where the measure is η. */
  readonly learned: { readonly deviation: Float64Array; readonly queue: Float64Array };
  /** Σ D_tot of the drain's requests, s; 0 before the last slot. */
  drainedLatency = 0;
  /** Υ(t): prefilled requests that wait at the slot's end, for KV room or the next boundary. */
  waiting = 0;
  /** Requests in the system when the slot ended; 0 after the drain. */
  inSystem = 0;
  /** ∫ N(t) dt over the slot, of the last one with the drain, without lost requests, request-seconds. */
  requestSeconds = 0;

  /**
   * @param completions Q'_s(t): requests that completed, at the last slot with those of the drain.
   * @param learnsEta whether the balance measure is η.
   */
  constructor(
    servers: number,
    readonly completions: Completions,
    learnsEta: boolean,
  ) {
    Object.assign(this, Object.fromEntries(COLUMNS.map((name) => [name, new Float64Array(servers)])));
    const deviation = learnsEta ? this.deviation : new Float64Array(servers);
    this.learned = { deviation, queue: new Float64Array(servers) };
  }

  /** Writes η, M_pk, K, the backlog and Υ of the slot that the servers have run. */
  readServers({ servers, constants }: Serving): void {
    this.waiting = 0;
    servers.forEach((server, s) => {
      const tokenShare = constants.kvBytesPerToken / server.spec.kvCapacityBytes;
      this.eta[s] = (server.slotTokenSeconds * tokenShare) / constants.slotSeconds;
      this.peak[s] = server.slotPeakTokens * tokenShare;
      this.iterations[s] = server.slotIterations;
      this.backlog[s] = server.requestCount;
      this.waiting += server.waitingCount;
    });
  }
}
