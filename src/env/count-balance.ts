import type { SystemConfig } from '../system/config';
import { Delay } from './delay';
import type { SlotOutcome } from './outcome';
import type { SlotView } from './slot-view';
import { nextQueue } from './virtual-queue';

/** How balance is measured where it is learned: by η as the paper has it, or by the count of active requests. */
export type BalanceMeasure = 'eta' | 'count';

/**
 * LYREO-Count (V-D): the number of active requests instead of η in Y and Z. The counts are scaled so that their mean
 * over servers equals η's, by a running average.
 */
export class CountBalance {
  readonly queue: Float64Array;
  private readonly counts: Float64Array;
  private readonly tolerance: number;
  private readonly delay: Delay;
  private etaSum = 0;
  private countSum = 0;

  constructor({ servers, balanceTolerance, stateDelaySlots = 0 }: SystemConfig) {
    this.queue = new Float64Array(servers);
    this.counts = new Float64Array(servers);
    this.tolerance = balanceTolerance;
    this.delay = new Delay(stateDelaySlots, servers);
  }

  /** Puts the counts' queues in the place of the view's Z, as old as all that the view knows of the servers. */
  show(view: SlotView): void {
    view.queue.set(this.queue);
    this.delay.pass(view.slot, view.queue);
  }

  /** Active requests per server once the slot's are assigned. */
  read(view: SlotView, assignment: Int32Array): Float64Array {
    // Of the servers themselves: what the view knows may be old.
    view.servers.forEach(({ runningCount, waitingCount, prefillingCount }, s) => {
      this.counts[s] = runningCount + waitingCount + prefillingCount;
    });
    for (let i = 0; i < view.count; i++) this.counts[assignment[i]]++;
    return this.counts;
  }

  /** Replaces Y and Z of the outcome by those of the counts and moves the counts' queues on. */
  add(counts: Float64Array, outcome: SlotOutcome): void {
    const S = counts.length;
    let count = 0;
    let eta = 0;
    for (let s = 0; s < S; s++) {
      count += counts[s] / S;
      eta += outcome.eta[s] / S;
    }
    this.countSum += count;
    this.etaSum += eta;
    const scale = this.countSum === 0 ? 0 : this.etaSum / this.countSum;
    for (let s = 0; s < S; s++) {
      const y = (scale * (counts[s] - count)) ** 2;
      outcome.deviation[s] = y;
      outcome.queue[s] = this.queue[s];
      this.queue[s] = nextQueue(this.queue[s], y, this.tolerance);
    }
  }
}
