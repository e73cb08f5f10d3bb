import { Quantiles } from '../core/quantiles';
import type { SlotOutcome } from './outcome';
import { BacklogRecord, type Stability } from './stability';
import { nextQueue } from './virtual-queue';

/** A pool this full counts as near its limit (V-D). */
export const HIGH_KV = 0.9;

export const partNames = ['transmission', 'synchronisation', 'prefillQueue', 'prefill', 'admission', 'decode'] as const;

/** The parts of D_tot, s, that sum to it: of one request, or means over a run's completed requests. */
export type LatencyParts = Readonly<Record<(typeof partNames)[number], number>>;

/** The numbers of an outcome that a run adds up. */
const COUNTED = ['arrived', 'rejected', 'lostToPrediction', 'misassigned', 'preemptions'] as const;

/** The numbers of a run that are kept server by server. */
const OF_SERVER = ['eta', 'peak', 'deviation', 'iterations'] as const;

function valueOfEach<K extends string>(names: readonly K[], of: (name: K) => number = () => 0): Record<K, number> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<K, number>;
}

/** The report of a run; latencies in seconds, NaN when no request was completed. */
export interface RunMetrics extends Readonly<Pick<SlotOutcome, (typeof COUNTED)[number]>> {
  /** T. */
  readonly slots: number;
  /** Requests, those of the drain included. */
  readonly completed: number;
  /** Requests in the system after the last slot. */
  readonly inFlight: number;
  /** Mean D_tot. */
  readonly meanLatency: number;
  /** Median and 99 % quantile of D_tot, within 0.01 %. */
  readonly p50Latency: number;
  readonly p99Latency: number;
  /** Means of the parts of D_tot. */
  readonly parts: LatencyParts;
  /** Mean of Y_s(t) over servers and slots. */
  readonly deviation: number;
  /** The largest per-server mean of Y_s(t); the constraint of P1 bounds it by ε. */
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
  /** Whether the servers kept up: docs/stability.md. */
  readonly stability: Stability;
  /** Mean η_s, largest peak, mean Y_s and decode iterations per server. */
  readonly perServer: readonly Readonly<Record<(typeof OF_SERVER)[number], number>>[];
}

/** Sums up a run, slot by slot, in constant memory. */
export class Metrics {
  private readonly counts = valueOfEach(COUNTED);
  private slots = 0;
  private completed = 0;
  private inFlight = 0;
  private latency = 0;
  private requestSeconds = 0;
  private highKv = 0;
  private queueSum = 0;
  private readonly quantiles = new Quantiles();
  private readonly parts = valueOfEach(partNames);
  /** Sums, the largest peak and the last Z of each server, [S]. */
  private readonly servers: Record<(typeof OF_SERVER)[number] | 'queue', number>[];
  private readonly backlog: BacklogRecord;

  constructor(
    serverCount: number,
    private readonly tolerance: number,
  ) {
    this.backlog = new BacklogRecord(serverCount);
    this.servers = Array.from({ length: serverCount }, () => valueOfEach([...OF_SERVER, 'queue']));
  }

  add(outcome: SlotOutcome): void {
    const { parts } = this;
    const { completions } = outcome;
    for (const name of COUNTED) this.counts[name] += outcome[name];
    this.slots++;
    this.completed += completions.length;
    this.inFlight = outcome.inSystem;
    this.requestSeconds += outcome.requestSeconds;
    for (let k = 0; k < completions.length; k++) {
      const delays = completions.delays(k);
      this.latency += delays.total;
      this.quantiles.add(delays.total);
      // Written out: a loop over the names is slower.
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
    const { counts, slots, completed, inFlight, latency, quantiles, servers } = this;
    const pairs = slots * servers.length;
    const per = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);
    const sumOver = (field: 'eta' | 'deviation' | 'queue'): number => servers.reduce((sum, one) => sum + one[field], 0);
    return {
      slots,
      completed,
      ...counts,
      inFlight,
      meanLatency: latency / completed,
      p50Latency: quantiles.quantile(0.5),
      p99Latency: quantiles.quantile(0.99),
      parts: valueOfEach(partNames, (name) => this.parts[name] / completed),
      deviation: per(sumOver('deviation'), pairs),
      worstDeviation: per(Math.max(...servers.map(({ deviation }) => deviation)), slots),
      meanQueue: per(this.queueSum, pairs),
      finalQueue: per(sumOver('queue'), servers.length),
      meanEta: per(sumOver('eta'), pairs),
      highKvPercent: 100 * per(this.highKv, pairs),
      littleResidual: inFlight > 0 || latency === 0 ? 0 : this.requestSeconds / latency - 1,
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
