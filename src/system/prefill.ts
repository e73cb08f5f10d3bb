import { resized } from './request-table';

/** Seconds to prefill a batch, III-C1: D_pre = Σ l_in / v_pre. */
export function prefillSeconds(inputTokens: number, tokensPerSecond: number): number {
  return inputTokens / tokensPerSecond;
}

/**
 * The prefills of one server, one per slot and in slot order: a batch starts when its last request has been received
 * and the prefill before it has ended.
 * Note: the paper does not say what happens when the previous slot's prefill is still running; the batch waits.
 */
export class PrefillQueue {
  /** Batches whose prefill has not been taken out by `shift`. */
  length = 0;
  private startAt: Float64Array = new Float64Array(8);
  private endAt: Float64Array = new Float64Array(8);
  private count: Int32Array = new Int32Array(8);
  private first = 0;
  private lastEndAt = -Infinity;

  /** When the server's prefill unit is free, s. */
  get freeAt(): number {
    return this.lastEndAt;
  }

  /** Queues a batch of `count` requests. Its times are readable as `newestStartAt` and `freeAt`. */
  push(readyAt: number, seconds: number, count: number): void {
    const capacity = this.startAt.length;
    if (this.first + this.length === capacity) {
      if (2 * this.length > capacity) {
        this.startAt = resized(this.startAt, 2 * capacity);
        this.endAt = resized(this.endAt, 2 * capacity);
        this.count = resized(this.count, 2 * capacity);
      }
      const end = this.first + this.length;
      this.startAt.copyWithin(0, this.first, end);
      this.endAt.copyWithin(0, this.first, end);
      this.count.copyWithin(0, this.first, end);
      this.first = 0;
    }
    const i = this.first + this.length++;
    const start = Math.max(readyAt, this.lastEndAt);
    this.startAt[i] = start;
    this.endAt[i] = start + seconds;
    this.count[i] = count;
    this.lastEndAt = start + seconds;
  }

  /** Start of the batch queued last, s. */
  get newestStartAt(): number {
    return this.startAt[this.first + this.length - 1];
  }

  /** Start of the oldest batch's prefill, s; ∞ when there is none. */
  get headStartAt(): number {
    return this.length === 0 ? Infinity : this.startAt[this.first];
  }

  /** End of the oldest batch's prefill, s; ∞ when there is none. */
  get headEndAt(): number {
    return this.length === 0 ? Infinity : this.endAt[this.first];
  }

  /** Takes the oldest batch out; returns how many requests it has. */
  shift(): number {
    this.length--;
    const count = this.count[this.first];
    this.first = this.length === 0 ? 0 : this.first + 1;
    return count;
  }

  clone(): PrefillQueue {
    const copy = new PrefillQueue();
    copy.length = this.length;
    copy.startAt = this.startAt.slice();
    copy.endAt = this.endAt.slice();
    copy.count = this.count.slice();
    copy.first = this.first;
    copy.lastEndAt = this.lastEndAt;
    return copy;
  }
}
