/** Seconds to prefill a batch, III-C1: D_pre = Σ l_in / v_pre. */
export function prefillSeconds(inputTokens: number, tokensPerSecond: number): number {
  return inputTokens / tokensPerSecond;
}

/** The prefill of one batch, s. */
interface Prefill {
  readonly startAt: number;
  readonly endAt: number;
  /** Requests of the batch. */
  readonly count: number;
}

/**
 * The prefills of one server, one per slot and in slot order: a batch starts when its last request has been received
 * and the prefill before it has ended.
 * Note: the paper does not say what happens when the previous slot's prefill is still running; the batch waits.
 */
export class PrefillQueue {
  /** The end of the prefill queued last, s. */
  freeAt: number = -Infinity;
  private prefills: Prefill[] = [];

  /** Batches whose prefill has not been taken out by `shift`. */
  get length(): number {
    return this.prefills.length;
  }

  /** Start of the oldest batch's prefill, s; ∞ when there is none. */
  get headStartAt(): number {
    return this.prefills.length === 0 ? Infinity : this.prefills[0].startAt;
  }

  /** End of the oldest batch's prefill, s; ∞ when there is none. */
  get headEndAt(): number {
    return this.prefills.length === 0 ? Infinity : this.prefills[0].endAt;
  }

  /** Queues a batch of `count` requests that has been received at `readyAt`; it ends at `freeAt`. Returns its start, s. */
  push(readyAt: number, seconds: number, count: number): number {
    const startAt = Math.max(readyAt, this.freeAt);
    this.freeAt = startAt + seconds;
    this.prefills.push({ startAt, endAt: this.freeAt, count });
    return startAt;
  }

  /** Takes the oldest batch out; returns its number of requests. Only with length > 0. */
  shift(): number {
    return (this.prefills.shift() as Prefill).count;
  }

  clone(): PrefillQueue {
    const copy = new PrefillQueue();
    copy.freeAt = this.freeAt;
    copy.prefills = [...this.prefills];
    return copy;
  }
}
