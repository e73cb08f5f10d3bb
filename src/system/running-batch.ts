import { FinishOrder } from './finish-order';

/** Answer of `RunningBatch.iterationsUntilFit` for a request that may join now. */
export const FITS_NOW = 0;

/**
 * The requests that decode together on one server (III-C2, G ∪ H).
 *
 * Iterations are numbered over the server's life; `done` of them have ended. A request that joined after iteration j
 * holds in iteration n its input and n − j tokens, so with base = l_in − j it holds base + n, and the whole batch
 *   tokens(n) = Σ base + size·n.
 * One addition per iteration therefore replaces a loop over the requests. Only three events touch a request: it
 * finishes, it outgrows its prediction, or it is preempted.
 */
export class RunningBatch {
  /** Iterations that have ended. */
  done = 0;
  /** Tokens that finished requests hold on to, static batching only. */
  heldTokens = 0;
  /** Requests that have generated all the tokens predicted for them and still generate. */
  outgrownCount = 0;
  private outgrownBase = 0;

  /** By the iterations in which the requests finish. */
  private actual: FinishOrder = new FinishOrder();
  /** By the iterations in which they finish if the predictions hold, without the outgrown; the same list while all predictions are exact. */
  private expected: FinishOrder = this.actual;

  get size(): number {
    return this.actual.size;
  }

  /** Tokens held during the iteration that comes next, its own tokens included. */
  get nextTokens(): number {
    return this.heldTokens + this.actual.baseSum + this.actual.size * (this.done + 1);
  }

  /** The share of `nextTokens` that the outgrown requests hold. */
  get outgrownTokens(): number {
    return this.outgrownBase + this.outgrownCount * (this.done + 1);
  }

  /** Iterations until the next request finishes or outgrows its prediction. Only with size > 0. */
  get iterationsToEvent(): number {
    const finish = this.actual.firstFinish;
    return (this.expected.size === 0 ? finish : Math.min(finish, this.expected.firstFinish)) - this.done;
  }

  /** Whether every prediction in the batch is exact. */
  get isExact(): boolean {
    return this.expected === this.actual;
  }

  /**
   * The request begins to decode with the next iteration. Of equals, the earlier one stays in front.
   *
   * @param outputTokens tokens it will generate.
   * @param predictedTokens tokens it is predicted to generate, at least 1.
   */
  join(handle: number, inputTokens: number, outputTokens: number, predictedTokens: number): void {
    const base = inputTokens - this.done;
    if (predictedTokens !== outputTokens && this.isExact) this.expected = this.actual.clone();
    this.actual.insert(handle, this.done + outputTokens, base);
    if (!this.isExact) this.expected.insert(handle, this.done + predictedTokens, base);
  }

  /** Takes out the request that finishes with the iterations done so far; −1 when there is none. */
  takeFinished(): number {
    const { actual } = this;
    if (actual.size === 0 || actual.firstFinish > this.done) return -1;
    if (this.expected === actual) return actual.shift();
    const handle = actual.handleAt(0);
    this.remove(handle);
    return handle;
  }

  /** Counts the requests whose predicted last token has been generated as outgrown; after `takeFinished`. */
  noteOutgrown(): void {
    const { expected, done } = this;
    if (this.isExact) return;
    while (expected.size > 0 && expected.firstFinish <= done) {
      this.outgrownBase += expected.remove(expected.handleAt(0));
      this.outgrownCount++;
    }
  }

  /** Whether a request of the batch has outgrown its prediction. */
  hasOutgrown(handle: number): boolean {
    return !this.isExact && !this.expected.has(handle);
  }

  /** Takes a request out, finished or not; returns l_in − j. */
  remove(handle: number): number {
    const hadOutgrown = this.hasOutgrown(handle);
    const base = this.actual.remove(handle);
    if (hadOutgrown) {
      this.outgrownBase -= base;
      this.outgrownCount--;
    } else if (!this.isExact) this.expected.remove(handle);
    if (this.actual.size === 0) this.expected = this.actual;
    return base;
  }

  /** Handle of the request with the largest value in a column. Only with size > 0. */
  last(column: Float64Array): number {
    let last = this.actual.handleAt(0);
    for (let i = 1; i < this.actual.size; i++) {
      const handle = this.actual.handleAt(i);
      if (column[handle] > column[last]) last = handle;
    }
    return last;
  }

  /**
   * Rule of admission under DEED (III-D): with this request, and no other, the tokens of every future iteration
   * must stay within `maxTokens`, if all requests finish when they are predicted to. An outgrown request is expected
   * to finish with the next iteration.
   *
   * @param byPrediction false: by the true lengths.
   * @returns FITS_NOW, or a number of iterations before which the request cannot fit unless a request leaves that
   *   was not predicted to; see {@link FinishOrder.iterationsUntilFit}.
   */
  iterationsUntilFit(inputTokens: number, outputTokens: number, maxTokens: number, byPrediction: boolean): number {
    if (byPrediction && this.outgrownCount > 0 && this.nextTokens + inputTokens + 1 > maxTokens) return Infinity;
    const order = byPrediction ? this.expected : this.actual;
    return order.iterationsUntilFit(this.done, inputTokens, outputTokens, maxTokens);
  }

  clone(): RunningBatch {
    const copy = new RunningBatch();
    const actual = this.actual.clone();
    Object.assign(copy, this, { actual, expected: this.isExact ? actual : this.expected.clone() });
    return copy;
  }
}
