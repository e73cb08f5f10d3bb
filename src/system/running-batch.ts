import type { RequestTable } from './request-table';
import { kvTokenIterations } from './token-counts';

/**
 * The requests that decode together on one server (III-C2, G ∪ H).
 *
 * Iterations are numbered over the server's life; `done` of them have ended. A request that joined after iteration j
 * holds in iteration n its input and n − j tokens, so with base = l_in − j it holds base + n, and the whole batch
 *   tokens(n) = Σ base + size·n.
 * One addition per iteration therefore replaces a loop over the requests. A request that still runs after the iteration
 * in which it was expected to finish has outgrown its prediction.
 */
export class RunningBatch {
  /** Iterations that have ended. */
  done = 0;
  /** Tokens that finished requests hold on to, static batching only. */
  heldTokens = 0;
  /** Sorted by `expectedLast`; of equals, the earlier one stays in front. */
  private handles: number[] = [];
  private baseSum = 0;
  /** Σ (base + expectedLast): the tokens that the requests are expected to hold in their last iterations. */
  private finalSum = 0;
  /** Requests whose predictions are wrong. */
  private inexact = 0;

  /** @param byPrediction whether a request is expected to finish as predicted; false: by the true lengths. */
  constructor(
    private readonly table: RequestTable,
    private readonly byPrediction: boolean,
  ) {}

  get size(): number {
    return this.handles.length;
  }

  /** Tokens held during the iteration that comes next, its own tokens included. */
  get nextTokens(): number {
    return this.heldTokens + this.baseSum + this.size * (this.done + 1);
  }

  /** Iterations until the next request finishes. Only with size > 0. */
  get iterationsToFinish(): number {
    const { lastIteration } = this.table;
    let first = lastIteration[this.handles[0]];
    if (this.inexact > 0) for (const handle of this.handles) first = Math.min(first, lastIteration[handle]);
    return first - this.done;
  }

  /** Output tokens that the server expects a request to generate before it leaves. */
  expectedOf(handle: number): number {
    return this.byPrediction ? this.table.expectedTokens(handle) : this.table.tokensToCome(handle);
  }

  join(handle: number): void {
    const { handles, table, done } = this;
    const { expectedLast, lastIteration } = table;
    const last = done + this.expectedOf(handle);
    table.base[handle] = table.promptTokens(handle) - done;
    lastIteration[handle] = done + table.tokensToCome(handle);
    expectedLast[handle] = last;
    let i = handles.push(handle) - 1;
    for (; i > 0 && expectedLast[handles[i - 1]] > last; i--) handles[i] = handles[i - 1];
    handles[i] = handle;
    this.count(handle, 1);
  }

  /** Takes out a request that finishes with the iterations done so far, the first admitted first; −1 when there is none. */
  takeFinished(): number {
    const { handles, done } = this;
    const { admission, lastIteration } = this.table;
    let found = -1;
    for (let i = 0; i < (this.inexact > 0 ? handles.length : Math.min(1, handles.length)); i++)
      if (lastIteration[handles[i]] <= done && (found < 0 || admission[handles[i]] < admission[handles[found]]))
        found = i;
    return found < 0 ? -1 : this.removeAt(found);
  }

  /** Takes out the request that was admitted last; its generated tokens are noted. Only with size > 0. */
  takeLastAdmitted(): number {
    const { admission, base, generatedTokens, inputTokens } = this.table;
    const last = this.handles.reduce((a, b) => (admission[b] > admission[a] ? b : a));
    this.removeAt(this.handles.indexOf(last));
    generatedTokens[last] = base[last] + this.done - inputTokens[last];
    return last;
  }

  /**
   * Rule of admission under DEED (III-D): with this request, and no other, the tokens of every future iteration
   * must stay within `maxTokens`, if all requests finish when they are expected to. An outgrown request is expected
   * to finish with the next iteration. Between finishes the tokens of the batch only grow, so it is enough to look at the
   * iterations in which a request finishes.
   *
   * @returns 0 when it fits, or a number of iterations before which it cannot unless a request leaves. That bound makes it
   *   unnecessary to ask at every boundary: joining d iterations later, the request holds d tokens less at any fixed
   *   iteration, so an excess of e tokens in the iteration where another one finishes lasts min(e, until then)
   *   iterations; and an excess in the request's own last iteration lasts until another request finishes before it.
   */
  iterationsUntilFit(handle: number, maxTokens: number): number {
    const { handles, done } = this;
    const { base, expectedLast } = this.table;
    const prompt = this.table.promptTokens(handle);
    const hasOutgrown = handles.length > 0 && expectedLast[handles[0]] <= done;
    if (hasOutgrown && this.nextTokens + prompt + 1 > maxTokens) return Infinity;
    const output = this.expectedOf(handle);
    const own = prompt + output;
    if (this.finalSum + own <= maxTokens) return 0;
    const ownFinish = done + output;
    const ownBase = prompt - done;
    let wait = 0;
    let sum = 0;
    let i = handles.length - 1;
    // The newcomer has left before these, which finish after it, are at their largest.
    for (; i >= 0 && expectedLast[handles[i]] >= ownFinish; i--) sum += base[handles[i]];
    const later = handles.length - 1 - i;
    if (sum + later * ownFinish + own > maxTokens) wait = expectedLast[handles[i + 1]] - ownFinish + 1;
    for (; i >= 0 && expectedLast[handles[i]] > done; i--) {
      sum += base[handles[i]];
      const at = expectedLast[handles[i]];
      const excess = sum + (handles.length - i) * at + ownBase + at - maxTokens;
      if (excess > 0) wait = Math.max(wait, Math.min(excess, at - done));
    }
    return wait;
  }

  /** Σ max(l̂ − g, 1) of the requests, output tokens expected to come, and Σ (l_in + k) over these, token-iterations. */
  expectedWork(): { tokens: number; tokenIterations: number } {
    const { base, inputTokens, predictedTokens } = this.table;
    let [tokens, tokenIterations] = [0, 0];
    for (const handle of this.handles) {
      const held = base[handle] + this.done;
      const expected = Math.max(predictedTokens[handle] - (held - inputTokens[handle]), 1);
      tokens += expected;
      tokenIterations += kvTokenIterations(held, expected);
    }
    return { tokens, tokenIterations };
  }

  clone(table: RequestTable): RunningBatch {
    const copy = new RunningBatch(table, this.byPrediction);
    return Object.assign(copy, this, { table, handles: [...this.handles] });
  }

  private removeAt(i: number): number {
    const handle = this.handles[i];
    if (i === 0) this.handles.shift();
    else this.handles.splice(i, 1);
    this.count(handle, -1);
    return handle;
  }

  private count(handle: number, sign: number): void {
    const { table } = this;
    const { base, expectedLast } = table;
    if (table.expectedTokens(handle) !== table.tokensToCome(handle)) this.inexact += sign;
    this.baseSum += sign * base[handle];
    this.finalSum += sign * (base[handle] + expectedLast[handle]);
  }
}
