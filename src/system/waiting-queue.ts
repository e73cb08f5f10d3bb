import type { RequestTable } from './request-table';
import { kvTokenIterations } from './token-counts';

/** Seconds to prefill a batch, III-C1: D_pre = Σ l_in / v_pre. */
export function prefillSeconds(inputTokens: number, tokensPerSecond: number): number {
  return inputTokens / tokensPerSecond;
}

interface Prefill {
  readonly startAt: number;
  readonly endAt: number;
  readonly handles: readonly number[];
}

/**
 * The requests of a server outside its running batch. A slot's batch starts its prefill when its last request has been
 * received and the prefill before it has ended.
 * Note: the paper does not treat a previous slot's prefill that is still running; the batch waits.
 */
export class WaitingQueue {
  /** Prefilled requests, which wait for admission, the next one first. */
  prefilled: number[] = [];
  /** The end of the prefill queued last, s. */
  freeAt: number = -Infinity;
  /** Σ max(l̂ − g, 1) of the requests, output tokens expected to come, and Σ (l_in + k) over these, token-iterations. */
  expectedTokens = 0;
  expectedTokenIterations = 0;
  private prefills: Prefill[] = [];

  constructor(
    private readonly table: RequestTable,
    private readonly prefillTokensPerSecond: number,
  ) {}

  /** Start and end of the oldest batch's prefill, s; ∞ when there is none. */
  get headStartAt(): number {
    return this.prefills.length === 0 ? Infinity : this.prefills[0].startAt;
  }

  get headEndAt(): number {
    return this.prefills.length === 0 ? Infinity : this.prefills[0].endAt;
  }

  /** Receives the slot's batch and writes to the table when it is synchronised and prefilled. */
  receive(handles: readonly number[], slotStartAt: number): void {
    const { table } = this;
    let slowest = 0;
    for (const handle of handles) slowest = Math.max(slowest, table.transmissionSeconds[handle]);
    const synchronisedAt = slotStartAt + slowest;
    const startAt = this.push(handles, synchronisedAt);
    for (const handle of handles) {
      table.synchronisedAt[handle] = synchronisedAt;
      table.prefillStartAt[handle] = startAt;
      table.prefillEndAt[handle] = this.freeAt;
    }
  }

  /** Queues the prefill of requests, prompt and generated tokens, that are ready at a time, s; returns its start. */
  push(handles: readonly number[], readyAt: number): number {
    let tokens = 0;
    for (const handle of handles) {
      tokens += this.table.promptTokens(handle);
      this.count(handle, 1);
    }
    const startAt = Math.max(readyAt, this.freeAt);
    this.freeAt = startAt + prefillSeconds(tokens, this.prefillTokensPerSecond);
    this.prefills.push({ startAt, endAt: this.freeAt, handles });
    return startAt;
  }

  /** Takes out the head. */
  shift(): void {
    this.count(this.prefilled.shift() as number, -1);
  }

  /** Marks the requests whose prefill has ended; a preempted one becomes the head, and the result tells so. */
  advanceTo(at: number): boolean {
    let hasNewHead = false;
    while (this.headEndAt <= at) {
      const { handles } = this.prefills.shift() as Prefill;
      const isPreempted = this.table.preemptions[handles[0]] > 0;
      if (isPreempted) this.prefilled.unshift(...handles);
      else for (const handle of handles) this.prefilled.push(handle);
      hasNewHead ||= isPreempted;
    }
    return hasNewHead;
  }

  clone(table: RequestTable): WaitingQueue {
    const copy = new WaitingQueue(table, this.prefillTokensPerSecond);
    return Object.assign(copy, this, { table, prefilled: [...this.prefilled], prefills: [...this.prefills] });
  }

  private count(handle: number, sign: number): void {
    const expected = this.table.expectedTokens(handle);
    this.expectedTokens += sign * expected;
    this.expectedTokenIterations += sign * kvTokenIterations(this.table.promptTokens(handle), expected);
  }
}
