import type { Completions } from '../system/completion';
import type { Serving } from '../system/serving';
import type { BalanceColumns } from './count-balance';

/**
 * The events of a slot, all that a reward or a metric may count. The arrays are the environment's own; the next step
 * overwrites them.
 */
export class SlotOutcome {
  /** The slot, from 0; −1 before the first. */
  slot = -1;
  /** Requests that arrived, rejected ones included. */
  arrived = 0;
  /** Requests that were not answered: no pool can hold them, or they are counted in one of the next two. */
  rejected = 0;
  /** Requests whose prediction was wrong and which outgrew the pool of their server, or were refused by it on arrival. */
  lostToPrediction = 0;
  /** Requests that a scheduler sent to a server that refused them, though their prediction fits another. */
  misassigned = 0;
  /** Preemptions, for want of KV room, in the slot; at the last slot with those of the drain. */
  preemptions = 0;
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
  /** Y and Z of the balance measure, from which a reward learns; its Y is `deviation` where the measure is η. */
  readonly learned: BalanceColumns;
  /** Σ D_tot of the drain's requests, s; 0 before the last slot. */
  drainedLatency = 0;
  /** Υ(t): prefilled requests that wait at the slot's end, for KV room or the next boundary. */
  waiting = 0;
  /** Requests in the system when the slot ended; 0 after the drain. */
  inSystem = 0;
  /** ∫ N(t) dt over what became known in this slot, without lost requests, request-seconds. */
  requestSeconds = 0;

  /**
   * An outcome to be filled slot by slot.
   *
   * @param servers S.
   * @param completions Q'_s(t): requests that completed, at the last slot with those of the drain.
   * @param learnsEta whether the balance measure is η, whose Y is then learned from.
   */
  constructor(
    servers: number,
    readonly completions: Completions,
    learnsEta: boolean,
  ) {
    const perServer = (): Float64Array => new Float64Array(servers);
    this.eta = perServer();
    this.peak = perServer();
    this.iterations = perServer();
    this.deviation = perServer();
    this.queue = perServer();
    this.sent = perServer();
    this.backlog = perServer();
    this.learned = { deviation: learnsEta ? this.deviation : perServer(), queue: perServer() };
  }
}

/** Writes η, M_pk, K, the backlog and Υ of the slot that the servers have run. */
export function readServers({ servers, constants }: Serving, slotSeconds: number, out: SlotOutcome): void {
  out.waiting = 0;
  servers.forEach((server, s) => {
    const tokenShare = constants.kvBytesPerToken / server.spec.kvCapacityBytes;
    out.eta[s] = (server.slotTokenSeconds * tokenShare) / slotSeconds;
    out.peak[s] = server.slotPeakTokens * tokenShare;
    out.iterations[s] = server.slotIterations;
    out.backlog[s] = server.requestCount;
    out.waiting += server.waitingCount;
  });
}
