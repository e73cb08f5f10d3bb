import { Quantiles } from '../core/quantiles';
import type { Delays } from '../system/completion';
import type { SlotOutcome } from './outcome';
import { BacklogRecord, type Stability } from './stability';
import { nextQueue } from './virtual-queue';

/** A pool this full counts as near its limit (V-D). */
export const HIGH_KV = 0.9;

/** The parts of D_tot, s, that sum to it: of one request, or means over a run's completed requests. */
export type LatencyParts = Omit<Delays, 'total'>;

/** The report of a run; latencies in seconds, NaN when no request was completed. */
export interface RunMetrics {
  readonly slots: number;
  readonly arrived: number;
  readonly completed: number;
  /** Requests that were not answered: no pool can hold them, or they are counted in one of the next two. */
  readonly rejected: number;
  /** Requests whose prediction was wrong and which outgrew the pool of their server, or were refused by it on arrival. */
  readonly lostToPrediction: number;
  /** Requests that a scheduler sent to a server that refused them, though their prediction fits another. */
  readonly misassigned: number;
  /** Preemptions of running requests, for want of KV room. */
  readonly preemptions: number;
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
  private slots = 0;
  private arrived = 0;
  private completed = 0;
  private rejected = 0;
  private lostToPrediction = 0;
  private misassigned = 0;
  private preemptions = 0;
  private inSystem = 0;
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
  private readonly eta: Float64Array;
  private readonly peak: Float64Array;
  private readonly deviation: Float64Array;
  private readonly iterations: Float64Array;
  private readonly lastQueue: Float64Array;
  private readonly backlog: BacklogRecord;

  constructor(
    private readonly serverCount: number,
    private readonly tolerance: number,
  ) {
    this.backlog = new BacklogRecord(serverCount);
    this.eta = new Float64Array(serverCount);
    this.peak = new Float64Array(serverCount);
    this.deviation = new Float64Array(serverCount);
    this.iterations = new Float64Array(serverCount);
    this.lastQueue = new Float64Array(serverCount);
  }

  add(outcome: SlotOutcome): void {
    const { completions } = outcome;
    this.slots++;
    this.arrived += outcome.arrived;
    this.rejected += outcome.rejected;
    this.lostToPrediction += outcome.lostToPrediction;
    this.misassigned += outcome.misassigned;
    this.preemptions += outcome.preemptions;
    this.completed += completions.length;
    this.requestSeconds += outcome.requestSeconds;
    this.inSystem = outcome.inSystem;
    const { parts } = this;
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
    for (let s = 0; s < this.serverCount; s++) {
      const y = outcome.deviation[s];
      const z = outcome.queue[s];
      const peak = outcome.peak[s];
      this.eta[s] += outcome.eta[s];
      this.peak[s] = Math.max(this.peak[s], peak);
      this.deviation[s] += y;
      this.iterations[s] += outcome.iterations[s];
      this.queueSum += z;
      this.lastQueue[s] = nextQueue(z, y, this.tolerance);
      if (peak > HIGH_KV) this.highKv++;
    }
    this.backlog.add(outcome.backlog, outcome.sent);
  }

  /** The report of the run so far. */
  report(): RunMetrics {
    const pairs = this.slots * this.serverCount;
    const per = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);
    const sumOver = (array: Float64Array): number => array.reduce((a, b) => a + b, 0);
    return {
      slots: this.slots,
      arrived: this.arrived,
      completed: this.completed,
      rejected: this.rejected,
      lostToPrediction: this.lostToPrediction,
      misassigned: this.misassigned,
      preemptions: this.preemptions,
      inFlight: this.inSystem,
      meanLatency: this.latency / this.completed,
      p50Latency: this.quantiles.quantile(0.5),
      p99Latency: this.quantiles.quantile(0.99),
      parts: Object.fromEntries(
        Object.entries(this.parts).map(([name, sum]) => [name, sum / this.completed]),
      ) as unknown as LatencyParts,
      deviation: per(sumOver(this.deviation), pairs),
      worstDeviation: per(Math.max(...this.deviation), this.slots),
      meanQueue: per(this.queueSum, pairs),
      finalQueue: per(sumOver(this.lastQueue), this.serverCount),
      meanEta: per(sumOver(this.eta), pairs),
      highKvPercent: 100 * per(this.highKv, pairs),
      littleResidual: this.inSystem > 0 || this.latency === 0 ? 0 : this.requestSeconds / this.latency - 1,
      stability: this.backlog.stability(),
      perServer: Array.from(this.eta, (eta, s) => ({
        eta: per(eta, this.slots),
        peak: this.peak[s],
        deviation: per(this.deviation[s], this.slots),
        iterations: this.iterations[s],
      })),
    };
  }
}
