import type { EdgeServer } from '../system/server';
import { meanOver } from './virtual-queue';

/**
 * The quantity whose balance is learned: η as in the paper, or the count of active requests. A run is scored on η either
 * way.
 */
export type BalanceMeasure = 'eta' | 'count';

/** Y and Z of the measure from which a reward learns. */
export interface BalanceColumns {
  /** Y_s(t), [S]. */
  readonly deviation: Float64Array;
  /** Z_s(t), before this slot's deviation is added, [S]. */
  readonly queue: Float64Array;
}

/**
 * LYREO-Count (V-D): the number of active requests instead of η in Y and Z. The counts are scaled so that their mean
 * over servers equals η's, by a running average.
 */
export class CountBalance {
  private readonly counts: Float64Array;
  private etaSum = 0;
  private countSum = 0;

  constructor(servers: number) {
    this.counts = new Float64Array(servers);
  }

  /**
   * Reads the active requests per server, those assigned in this slot included.
   *
   * @param count requests of the slot.
   */
  read(servers: readonly EdgeServer[], assignment: Int32Array, count: number): void {
    servers.forEach(({ runningCount, waitingCount, prefillingCount }, s) => {
      this.counts[s] = runningCount + waitingCount + prefillingCount;
    });
    for (let i = 0; i < count; i++) this.counts[assignment[i]]++;
  }

  /**
   * Y of the counts read last.
   *
   * @param eta η_s(t) of the slot, [S].
   * @param out receives Y_s(t), [S].
   */
  deviation(eta: Float64Array, out: Float64Array): void {
    const { counts } = this;
    const count = meanOver(counts);
    this.countSum += count;
    this.etaSum += meanOver(eta);
    const scale = this.countSum === 0 ? 0 : this.etaSum / this.countSum;
    for (let s = 0; s < counts.length; s++) out[s] = (scale * (counts[s] - count)) ** 2;
  }

  /** Takes over the running average of another. */
  copyFrom(other: CountBalance): void {
    this.etaSum = other.etaSum;
    this.countSum = other.countSum;
  }
}
