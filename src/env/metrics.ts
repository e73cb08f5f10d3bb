import { Quantiles } from '../core/quantiles';
import type { Delays } from '../system/completion';
import type { SlotOutcome } from './outcome';
import { BacklogRecord, type Stability } from './stability';
import { nextQueue } from './virtual-queue';

/** A pool this full counts as near its limit (V-D). */
export const HIGH_KV = 0.9;

/** The parts of D_tot, s, that sum to it: of one request, or means over a run's completed requests. */
export type LatencyParts = Omit<Delays, 'total'>;

/** The numbers of an outcome that a run adds up. */
type Counted = 'arrived' | 'rejected' | 'lostToPrediction' | 'misassigned' | 'preemptions';

/** The report of a run; latencies in seconds, NaN when no request was completed. */
export interface RunMetrics extends Readonly<Pick<SlotOutcome, Counted>> {
  readonly slots: number;
  readonly completed: number;
  /** Requests in the system after the last slot. */
  readonly inFlight: number;
  /** Mean D_tot. */
  readonly meanLatency: number;
  readonly p50Latency: number;
  readonly p99Latency: number;
  readonly parts: LatencyParts;
  /** Mean of Y_s(t) over servers and slots. */
  readonly deviation: number;
  /** The largest per-server mean of Y_s(t): what the constraint of P1 bounds by ε. */
  readonly worstDeviation: number;
  /** Mean of Z_s(t) over servers and slots. */
  readonly meanQueue: number;
  /** Mean of Z_s over servers after the last slot. */
  readonly finalQueue: number;
  /** Mean η_s(t). */
  readonly meanEta: number;
  /** Share of (slot, server) pairs whose peak exceeds 90 % of the pool, in percent. */
  readonly highKvPercent: number;
  /** ∫N(t)dt against Σ D_tot, relative: 0 when every request is accounted for (Little's law). */
  readonly littleResidual: number;
  readonly stability: Stability;
  /** Mean η_s, peak, mean Y_s and decode iterations per server. */
  readonly perServer: readonly {
    readonly eta: number;
    readonly peak: number;
    readonly deviation: number;
    readonly iterations: number;
  }[];
}

/** Sums up a run, slot by slot, in constant memory. */
export class Metrics {
  private readonly counts = {
    slots: 0,
    arrived: 0,
    completed: 0,
    rejected: 0,
    lostToPrediction: 0,
    misassigned: 0,
    preemptions: 0,
    inFlight: 0,
  };
  private latency = 0;
  private requestSeconds = 0;
  private highKv = 0;
  private queueSum = 0;
  private readonly quantiles = new Quantiles();
  /** Sums of the parts of D_tot. */
  private readonly parts = {
    transmission: 0,
    synchronisation: 0,
    prefillQueue: 0,
    prefill: 0,
    admission: 0,
    decode: 0,
  };
  /** Sums, the largest peak and the last Z of each server, [S]. */
  private readonly servers: { eta: number; peak: number; deviation: number; iterations: number; queue: number }[];
  private readonly backlog: BacklogRecord;

  constructor(
    serverCount: number,
    private readonly tolerance: number,
  ) {
    this.backlog = new BacklogRecord(serverCount);
    this.servers = Array.from({ length: serverCount }, () => ({
      eta: 0,
      peak: 0,
      deviation: 0,
      iterations: 0,
      queue: 0,
    }));
  }

  add(outcome: SlotOutcome): void {
    const { counts, parts } = this;
    const { completions } = outcome;
    counts.slots++;
    counts.arrived += outcome.arrived;
    counts.completed += completions.length;
    counts.rejected += outcome.rejected;
    counts.lostToPrediction += outcome.lostToPrediction;
    counts.misassigned += outcome.misassigned;
    counts.preemptions += outcome.preemptions;
    counts.inFlight = outcome.inSystem;
    this.requestSeconds += outcome.requestSeconds;
    for (let k = 0; k < completions.length; k++) {
      const delays = completions.delays(k);
      this.latency += delays.total;
      this.quantiles.add(delays.total);
      parts.transmission += delays.transmission;
      parts.synchronisation += delays.synchronisation;
      parts.prefillQueue += delays.prefillQueue;
      parts.prefill += delays.prefill;
      parts.admission += delays.admission;
      parts.decode += delays.decode;
    }
    for (let s = 0; s < this.servers.length; s++) {
      const server = this.servers[s];
      server.eta += outcome.eta[s];
      server.peak = Math.max(server.peak, outcome.peak[s]);
      server.deviation += outcome.deviation[s];
      server.iterations += outcome.iterations[s];
      server.queue = nextQueue(outcome.queue[s], outcome.deviation[s], this.tolerance);
      this.queueSum += outcome.queue[s];
      if (outcome.peak[s] > HIGH_KV) this.highKv++;
    }
    this.backlog.add(outcome.backlog, outcome.sent);
  }

  /** The report of the run so far. */
  report(): RunMetrics {
    const { counts, latency, quantiles, servers } = this;
    const { slots, completed } = counts;
    const pairs = slots * servers.length;
    const per = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);
    const sumOver = (field: 'eta' | 'deviation' | 'queue'): number => servers.reduce((sum, one) => sum + one[field], 0);
    return {
      ...counts,
      meanLatency: latency / completed,
      p50Latency: quantiles.quantile(0.5),
      p99Latency: quantiles.quantile(0.99),
      parts: Object.fromEntries(
        Object.entries(this.parts).map(([name, sum]) => [name, sum / completed]),
      ) as unknown as LatencyParts,
      deviation: per(sumOver('deviation'), pairs),
      worstDeviation: per(Math.max(...servers.map(({ deviation }) => deviation)), slots),
      meanQueue: per(this.queueSum, pairs),
      finalQueue: per(sumOver('queue'), servers.length),
      meanEta: per(sumOver('eta'), pairs),
      highKvPercent: 100 * per(this.highKv, pairs),
      littleResidual: counts.inFlight > 0 || latency === 0 ? 0 : this.requestSeconds / latency - 1,
      stability: this.backlog.stability(),
      perServer: servers.map(({ eta, peak, deviation, iterations }) => ({
        eta: per(eta, slots),
        peak,
        deviation: per(deviation, slots),
        iterations,
      })),
    };
  }
}
