import { resized } from './request-table';

/**
 * Requests of a running batch, sorted by the iteration in which they finish; of equals, the earlier one stays in front.
 * `base` is l_in − j for a request that joined after iteration j: it holds base + n tokens in iteration n.
 */
export class FinishOrder {
  size = 0;
  /** Σ base. */
  baseSum = 0;
  /** Σ (base + finish): the tokens that the requests hold in their last iterations. */
  private finalSum = 0;

  private finish: Float64Array = new Float64Array(32);
  private base: Float64Array = new Float64Array(32);
  private handles: Int32Array = new Int32Array(32);
  private first = 0;

  /** The earliest iteration in which a request finishes. Only with size > 0. */
  get firstFinish(): number {
    return this.finish[this.first];
  }

  /** Handle of the i-th request to finish, i in 0..size−1. */
  handleAt(i: number): number {
    return this.handles[this.first + i];
  }

  insert(handle: number, finish: number, base: number): void {
    if (this.first + this.size === this.finish.length) this.makeRoom();
    let i = this.first + this.size;
    while (i > this.first && this.finish[i - 1] > finish) {
      this.finish[i] = this.finish[i - 1];
      this.base[i] = this.base[i - 1];
      this.handles[i] = this.handles[i - 1];
      i--;
    }
    this.finish[i] = finish;
    this.base[i] = base;
    this.handles[i] = handle;
    this.size++;
    this.baseSum += base;
    this.finalSum += base + finish;
  }

  has(handle: number): boolean {
    const i = this.handles.indexOf(handle, this.first);
    return i >= 0 && i < this.first + this.size;
  }

  /** Takes out the request that finishes first; returns its handle. */
  shift(): number {
    const i = this.first;
    const base = this.base[i];
    this.baseSum -= base;
    this.finalSum -= base + this.finish[i];
    this.size--;
    this.first = this.size === 0 ? 0 : i + 1;
    return this.handles[i];
  }

  /** Takes a request out; returns its base. */
  remove(handle: number): number {
    const i = this.handles.indexOf(handle, this.first);
    const base = this.base[i];
    this.baseSum -= base;
    this.finalSum -= base + this.finish[i];
    const end = this.first + this.size--;
    if (i === this.first) {
      this.first = this.size === 0 ? 0 : i + 1;
    } else {
      this.finish.copyWithin(i, i + 1, end);
      this.base.copyWithin(i, i + 1, end);
      this.handles.copyWithin(i, i + 1, end);
    }
    return base;
  }

  /**
   * Whether one more request fits: between finishes the tokens of the batch only grow, so it is enough to look at the
   * iterations in which a request finishes.
   *
   * @param done iterations that have ended; the request joins after them.
   * @returns 0 when it fits, or a number of iterations before which it cannot. That bound makes it unnecessary to ask
   *   at every boundary: joining d iterations later, the request holds d tokens less at any fixed iteration, so an
   *   excess of e tokens in the iteration where another one finishes lasts min(e, until then) iterations; and an
   *   excess in the request's own last iteration lasts until another request finishes before it.
   */
  iterationsUntilFit(done: number, inputTokens: number, outputTokens: number, maxTokens: number): number {
    const own = inputTokens + outputTokens;
    if (this.finalSum + own <= maxTokens) return 0;
    const ownFinish = done + outputTokens;
    const ownBase = inputTokens - done;
    let wait = 0;
    let count = 0;
    let base = 0;
    let i = this.first + this.size - 1;
    // The newcomer has left before these, which finish after it, are at their largest.
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
      if (excess > 0) wait = Math.max(wait, Math.min(excess, at - done));
    }
    return wait;
  }

  clone(): FinishOrder {
    const copy = new FinishOrder();
    const [finish, base, handles] = [this.finish.slice(), this.base.slice(), this.handles.slice()];
    Object.assign(copy, this, { finish, base, handles });
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
