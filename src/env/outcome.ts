import type { Completions } from '../system/completion';
import type { Serving } from '../system/serving';
import type { BalanceColumns } from './count-balance';

/**
 * The events of a slot, all that a reward or a metric may count. The arrays are the environment's own; the next step
 * overwrites them.
 */
export interface SlotOutcome {
  /** The slot, from 0; −1 before the first. */
  slot: number;
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
  readonly completions: Completions;
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
  /** Y and Z of the balance measure, from which a reward learns; Y is the array above where the measure is η. */
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

/**
 * An outcome to be filled slot by slot.
 *
 * @param servers S.
 * @param learnsEta whether the balance measure is η, whose Y is then learned from.
 */
export function emptyOutcome(servers: number, completions: Completions, learnsEta: boolean): SlotOutcome {
  const perServer = (): Float64Array => new Float64Array(servers);
  const deviation = perServer();
  return {
    slot: -1,
    arrived: 0,
    rejected: 0,
    lostToPrediction: 0,
    misassigned: 0,
    preemptions: 0,
    completions,
    eta: perServer(),
    peak: perServer(),
    iterations: perServer(),
    deviation,
    queue: perServer(),
    learned: { deviation: learnsEta ? deviation : perServer(), queue: perServer() },
    drainedLatency: 0,
    sent: perServer(),
    backlog: perServer(),
    waiting: 0,
    inSystem: 0,
    requestSeconds: 0,
  };
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
