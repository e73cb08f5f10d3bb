import { HandleQueue } from './handle-queue';
import { PrefillQueue, prefillSeconds } from './prefill';
import type { RequestTable } from './request-table';

/** The requests of a server outside its running batch, in order of arrival: first prefilled ones, then the others. */
export class WaitingQueue {
  /** Prefilled requests, which wait for admission. */
  prefilledCount = 0;
  prefills: PrefillQueue = new PrefillQueue();
  private handles: HandleQueue = new HandleQueue();

  /** Requests that are being sent or prefilled. */
  get prefillingCount(): number {
    return this.handles.length - this.prefilledCount;
  }

  /** The request to be admitted next. Only with prefilledCount > 0. */
  get head(): number {
    return this.handles.at(0);
  }

  shift(): void {
    this.handles.shift();
    this.prefilledCount--;
  }

  /**
   * Receives the slot's batch and writes to the table when it is synchronised and prefilled.
   *
   * @param handles the batch in arrival order; entries from..from+count−1 are read.
   */
  receive(
    table: RequestTable,
    handles: Int32Array,
    from: number,
    count: number,
    slotStartAt: number,
    prefillTokensPerSecond: number,
  ): void {
    let slowest = 0;
    let inputTokens = 0;
    for (let i = from; i < from + count; i++) {
      const handle = handles[i];
      slowest = Math.max(slowest, table.transmissionSeconds[handle]);
      inputTokens += table.inputTokens[handle];
      this.handles.push(handle);
    }
    const synchronisedAt = slotStartAt + slowest;
    const startAt = this.prefills.push(synchronisedAt, prefillSeconds(inputTokens, prefillTokensPerSecond), count);
    for (let i = from; i < from + count; i++) {
      const handle = handles[i];
      table.synchronisedAt[handle] = synchronisedAt;
      table.prefillStartAt[handle] = startAt;
      table.prefillEndAt[handle] = this.prefills.freeAt;
    }
  }

  /** Queues the prefill of a preempted request, its prompt and generated tokens. */
  receiveAgain(handle: number, tokens: number, at: number, prefillTokensPerSecond: number): void {
    this.handles.push(handle);
    this.prefills.push(at, prefillSeconds(tokens, prefillTokensPerSecond), 1);
  }

  /**
   * Marks the requests whose prefill has ended as prefilled; a preempted one becomes the head.
   *
   * @param at s.
   * @returns whether the head is a new one for that reason.
   */
  advanceTo(at: number, table: RequestTable): boolean {
    let hasNewHead = false;
    while (this.prefills.headEndAt <= at) {
      const count = this.prefills.shift();
      if (table.preemptions[this.handles.at(this.prefilledCount)] > 0) {
        this.handles.moveToFront(this.prefilledCount);
        hasNewHead = true;
      }
      this.prefilledCount += count;
    }
    return hasNewHead;
  }

  clone(): WaitingQueue {
    const copy = new WaitingQueue();
    copy.prefilledCount = this.prefilledCount;
    copy.prefills = this.prefills.clone();
    copy.handles = this.handles.clone();
    return copy;
  }
}
