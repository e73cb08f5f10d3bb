import { resized } from './request-table';

/** Answer of `RunningBatch.iterationsUntilFit` for a request that may join now. */
export const FITS_NOW = 0;

/**
 * The requests that decode together on one server, sorted by the iteration in which they finish (III-C2, G ∪ H).
 *
 * Iterations are numbered over the server's life; `done` of them have ended. A request that joined after iteration j
 * holds in iteration n its input and n − j tokens, so with base = l_in − j it holds base + n, and the whole batch
 *   tokens(n) = Σ base + size·n.
 * One addition per iteration therefore replaces a loop over the requests, and only a finish touches a request.
 */
export class RunningBatch {
  /** Requests still generating. */
  size = 0;
  /** Iterations that have ended. */
  done = 0;
  /** Tokens that finished requests hold on to, static batching only. */
  heldTokens = 0;
  private baseSum = 0;
  /** Σ (l_in + l_out) of the requests still generating. */
  private finalSum = 0;

  private finish: Float64Array = new Float64Array(32);
  private base: Float64Array = new Float64Array(32);
  private handles: Int32Array = new Int32Array(32);
  private first = 0;

  /** Tokens held during the iteration that comes next, its own tokens included. */
  get nextTokens(): number {
    return this.heldTokens + this.baseSum + this.size * (this.done + 1);
  }

  /** Iterations until the next request finishes. Only with size > 0. */
  get iterationsToFinish(): number {
    return this.finish[this.first] - this.done;
  }

  /** Handle of the i-th request to finish, i in 0..size−1. */
  handleAt(i: number): number {
    return this.handles[this.first + i];
  }

  /** Tokens the i-th request to finish still has to generate. */
  remainingAt(i: number): number {
    return this.finish[this.first + i] - this.done;
  }

  /** The request begins to decode with the next iteration. Of equals, the earlier one stays in front. */
  join(handle: number, inputTokens: number, outputTokens: number): void {
    const finish = this.done + outputTokens;
    if (this.first + this.size === this.finish.length) this.makeRoom();
    let i = this.first + this.size;
    while (i > this.first && this.finish[i - 1] > finish) {
      this.finish[i] = this.finish[i - 1];
      this.base[i] = this.base[i - 1];
      this.handles[i] = this.handles[i - 1];
      i--;
    }
    this.finish[i] = finish;
    this.base[i] = inputTokens - this.done;
    this.handles[i] = handle;
    this.size++;
    this.baseSum += inputTokens - this.done;
    this.finalSum += inputTokens + outputTokens;
  }

  /** Takes out the request that finishes with the iterations done so far; −1 when there is none. */
  takeFinished(): number {
    if (this.size === 0 || this.finish[this.first] > this.done) return -1;
    const i = this.first;
    const base = this.base[i];
    this.baseSum -= base;
    this.finalSum -= base + this.finish[i];
    this.size--;
    this.first = this.size === 0 ? 0 : i + 1;
    return this.handles[i];
  }

  /**
   * Rule of admission under DEED (III-D): with this request, and nobody else, the tokens of every future iteration
   * must stay within `maxTokens`. Between finishes the sum only grows, so it is enough to look at the iterations in
   * which a request finishes.
   *
   * @returns FITS_NOW, or a number of iterations before which the request cannot fit. That bound makes it
   *   unnecessary to ask at every boundary: joining d iterations later, the request holds d tokens less at any fixed
   *   iteration, so an excess of e tokens in the iteration where another one finishes lasts min(e, until then)
   *   iterations; and an excess in the request's own last iteration lasts until another request finishes before it.
   */
  iterationsUntilFit(inputTokens: number, outputTokens: number, maxTokens: number): number {
    const own = inputTokens + outputTokens;
    if (this.finalSum + own <= maxTokens) return FITS_NOW;
    const ownFinish = this.done + outputTokens;
    const ownBase = inputTokens - this.done;
    let wait = FITS_NOW;
    let count = 0;
    let base = 0;
    let i = this.first + this.size - 1;
    // Those that finish after the newcomer: it has left before they are at their largest.
    for (; i >= this.first && this.finish[i] >= ownFinish; i--) {
      count++;
      base += this.base[i];
    }
    if (base + count * ownFinish + own > maxTokens) wait = this.finish[i + 1] - ownFinish + 1;
    for (; i >= this.first; i--) {
      count++;
      base += this.base[i];
      const at = this.finish[i];
      const excess = base + count * at + ownBase + at - maxTokens;
      if (excess > 0) wait = Math.max(wait, Math.min(excess, at - this.done));
    }
    return wait;
  }

  clone(): RunningBatch {
    const copy = new RunningBatch();
    copy.size = this.size;
    copy.done = this.done;
    copy.heldTokens = this.heldTokens;
    copy.baseSum = this.baseSum;
    copy.finalSum = this.finalSum;
    copy.finish = this.finish.slice();
    copy.base = this.base.slice();
    copy.handles = this.handles.slice();
    copy.first = this.first;
    return copy;
  }

  /** Moves the requests to the front of the arrays, or doubles the arrays when they are more than half full. */
  private makeRoom(): void {
    const { first, size } = this;
    if (2 * size > this.finish.length) {
      this.finish = resized(this.finish, 2 * this.finish.length);
      this.base = resized(this.base, 2 * this.base.length);
      this.handles = resized(this.handles, 2 * this.handles.length);
    }
    this.finish.copyWithin(0, first, first + size);
    this.base.copyWithin(0, first, first + size);
    this.handles.copyWithin(0, first, first + size);
    this.first = 0;
  }
}
