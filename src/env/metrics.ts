import { Quantiles } from '../core/quantiles';
import type { SlotOutcome } from './outcome';
import { nextQueue } from './virtual-queue';

/** A pool this full counts as near its limit (V-D). */
export const HIGH_KV = 0.9;

/** The parts of D_tot, s, that sum to it: of one request, or means over a run's completed requests. */
export interface LatencyParts {
  /** D_tx. */
  readonly transmission: number;
  /** Waiting for the slowest transmission of the batch, the printed D_wa. */
  readonly synchronisation: number;
  /** Waiting for the previous slots' prefills. */
  readonly prefillQueue: number;
  /** D_pre. */
  readonly prefill: number;
  /** Waiting for an iteration boundary and for KV room. */
  readonly admission: number;
  /** D_dec. */
  readonly decode: number;
}

/** Whether the servers keep up with what arrives. */
export interface Stability {
  readonly verdict: 'STABLE' | 'OVERLOADED';
  readonly reason: string;
}

/** What a run reports; latencies in seconds, NaN when no request was completed. */
export interface RunMetrics {
  readonly slots: number;
  readonly arrived: number;
  readonly completed: number;
  readonly rejected: number;
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
  /** Mean η_s, peak, Y_s per server. */
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
  private inSystem = 0;
  private latency = 0;
  private requestSeconds = 0;
  private highKv = 0;
  private queueSum = 0;
  private readonly quantiles = new Quantiles();
  /** Sums of transmission, synchronisation, prefillQueue, prefill, admission, decode. */
  private readonly parts = new Float64Array(6);
  private readonly eta: Float64Array;
  private readonly peak: Float64Array;
  private readonly deviation: Float64Array;
  private readonly iterations: Float64Array;
  private readonly lastQueue: Float64Array;
  private readonly backlog: BacklogTrend;

  constructor(
    private readonly serverCount: number,
    private readonly tolerance: number,
  ) {
    this.backlog = new BacklogTrend(serverCount);
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
    this.completed += completions.count;
    this.requestSeconds += outcome.requestSeconds;
    this.inSystem = outcome.inSystem;
    const parts = this.parts;
    for (let i = 0; i < completions.count; i++) {
      const total = completions.total[i];
      this.latency += total;
      this.quantiles.add(total);
      parts[0] += completions.transmission[i];
      parts[1] += completions.synchronisation[i];
      parts[2] += completions.prefillQueue[i];
      parts[3] += completions.prefill[i];
      parts[4] += completions.admission[i];
      parts[5] += completions.decode[i];
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
    this.backlog.add(this.arrived - this.rejected - this.completed, outcome.arrived);
  }

  /** The report of the run so far. */
  report(): RunMetrics {
    const pairs = this.slots * this.serverCount;
    const per = (sum: number, count: number): number => (count === 0 ? 0 : sum / count);
    const part = (i: number): number => this.parts[i] / this.completed;
    const sumOver = (array: Float64Array): number => array.reduce((a, b) => a + b, 0);
    return {
      slots: this.slots,
      arrived: this.arrived,
      completed: this.completed,
      rejected: this.rejected,
      inFlight: this.inSystem,
      meanLatency: this.latency / this.completed,
      p50Latency: this.quantiles.quantile(0.5),
      p99Latency: this.quantiles.quantile(0.99),
      parts: {
        transmission: part(0),
        synchronisation: part(1),
        prefillQueue: part(2),
        prefill: part(3),
        admission: part(4),
        decode: part(5),
      },
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

/**
 * Watches whether the backlog keeps growing. Means over blocks of slots; when all blocks are full, pairs are merged, so
 * that the whole run is always covered by 8 to 16 blocks.
 */
class BacklogTrend {
  private blockSlots = 1;
  private blocks: number[] = [];
  private sum = 0;
  private inBlock = 0;
  private arrivals = 0;
  private slots = 0;

  constructor(private readonly serverCount: number) {}

  add(inSystem: number, arrived: number): void {
    this.arrivals += arrived;
    this.slots++;
    this.sum += inSystem;
    if (++this.inBlock < this.blockSlots) return;
    this.blocks.push(this.sum / this.inBlock);
    this.sum = 0;
    this.inBlock = 0;
    if (this.blocks.length < 16) return;
    this.blocks = Array.from({ length: 8 }, (_, i) => (this.blocks[2 * i] + this.blocks[2 * i + 1]) / 2);
    this.blockSlots *= 2;
  }

  /**
   * OVERLOADED when the backlog grew over the last three quarters of the run by more than a slot's arrivals, by more than
   * a request per server and by more than half, and by at least 2 % of what arrived then: the servers fall behind. One
   * that grows more slowly is not told from chance.
   */
  stability(): Stability {
    const { blocks, blockSlots } = this;
    const perSlot = this.slots === 0 ? 0 : this.arrivals / this.slots;
    if (blocks.length < 8)
      return { verdict: 'STABLE', reason: `only ${String(this.slots)} slots, too few to tell growth from start-up` };
    // The last slot's backlog is counted after the drain, so the last block is left out.
    const quarter = Math.max(1, Math.floor((blocks.length - 1) / 4));
    const mean = (from: number, to: number): number => blocks.slice(from, to).reduce((a, b) => a + b, 0) / (to - from);
    const early = mean(quarter, 2 * quarter);
    const late = mean(blocks.length - 1 - quarter, blocks.length - 1);
    const slotsBetween = (blocks.length - 1 - 2 * quarter) * blockSlots;
    const growth = (late - early) / slotsBetween;
    const text = `requests in the system went from ${early.toFixed(1)} to ${late.toFixed(1)}, ${growth >= 0 ? '+' : ''}${growth.toFixed(2)} per slot at ${perSlot.toFixed(1)} arrivals per slot`;
    const overloaded =
      late > 1.5 * early && late - early > Math.max(perSlot, this.serverCount) && growth > 0.02 * perSlot;
    return { verdict: overloaded ? 'OVERLOADED' : 'STABLE', reason: text };
  }
}
