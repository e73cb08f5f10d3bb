import { type DecodeClock, type DecodeProfile, decode, decodeProfile, iterationSeconds } from './decode-profile';
import { ExpectedWork } from './expected-work';
import { type Departures, HandleQueue } from './handle-queue';
import type { RequestTable } from './request-table';
import { FITS_NOW, RunningBatch } from './running-batch';
import type { ServerSpec, ServingConstants } from './scenario';
import { expectedTokens, promptTokens, tokensThatFit } from './token-counts';
import type { IterationRecorder } from './trajectory';
import { WaitingQueue } from './waiting-queue';

/**
 * One edge server: its waiting queue, with the prefills, and its running batch (III-C, III-D).
 *
 * Of a request's length it knows the prediction l̂, cut to the pool, and the g tokens generated so far: it expects
 * max(l̂ − g, 1) more, since a request that still runs generates at least one. All its sums and its admission use this.
 * Note: the paper's l̂ is exact. Where it is not, a request may outgrow its prediction and the pool may run out. Then
 * the request admitted last is preempted, as in vLLM: its KV cache is freed, its prompt and generated tokens are
 * prefilled anew behind the prefills that are queued, and it returns to the head of the waiting queue. A request that
 * has outgrown the whole pool is lost instead. At a boundary with a preemption or a loss no request is admitted.
 *
 * `advance` runs all decode iterations that start before a point in time. It does constant work per iteration and
 * touches a request only when it is received, admitted, finished or preempted, or outgrows its prediction. Times are
 * summed iteration by iteration, so that every tie falls as in a token-by-token simulation.
 */
export class EdgeServer {
  /** Most tokens held in an iteration of the slot; α times this is M_pk(t). */
  slotPeakTokens = 0;
  /** K_s(t), iterations started in the slot. */
  slotIterations = 0;
  /** Preemptions since the run began. */
  preemptions = 0;
  /** Requests here that have not completed. */
  requestCount = 0;

  readonly profile: DecodeProfile;
  /** The largest number of tokens whose KV cache fits the pool. */
  readonly maxTokens: number;

  private queue: WaitingQueue = new WaitingQueue();
  private batch: RunningBatch = new RunningBatch();
  /** Finished requests that a static batch still holds. */
  private held: HandleQueue = new HandleQueue();
  private clock: DecodeClock = { at: 0, busySeconds: 0, tokenSeconds: 0 };
  /** While the waiting queue's head does not fit: the iteration count before which it cannot. */
  private blockedUntil = 0;
  /** Requests admitted since the run began, those admitted again included. */
  private admissions = 0;
  /** Of all requests here, those that have outgrown their predictions aside. */
  private expected: ExpectedWork = new ExpectedWork();
  private readonly byPrediction: boolean;

  constructor(
    readonly index: number,
    readonly spec: ServerSpec,
    private readonly constants: ServingConstants,
  ) {
    this.profile = decodeProfile(spec.decodeProfile);
    this.maxTokens = tokensThatFit(spec.kvCapacityBytes, constants.kvBytesPerToken);
    this.byPrediction = constants.admission !== 'true-length';
  }

  /** Σ tokens·seconds over the slot's iterations; α times this over M_s·Δ is η_s(t). */
  get slotTokenSeconds(): number {
    return this.clock.tokenSeconds;
  }

  /** Σ over all requests here of output tokens expected to come, max(l̂ − g, 1) each. */
  get remainingOutputTokens(): number {
    return this.expected.tokens + this.batch.outgrownCount;
  }

  /** Σ over all requests here of the token-iterations expected to come: remaining KV memory-time / τ. */
  get remainingTokenIterations(): number {
    return this.expected.tokenIterations + this.batch.outgrownTokens;
  }

  get runningCount(): number {
    return this.batch.size;
  }

  /** Prefilled requests that wait for room in the KV pool or for an iteration boundary. */
  get waitingCount(): number {
    return this.queue.prefilledCount;
  }

  /** Requests that are being sent or prefilled. */
  get prefillingCount(): number {
    return this.queue.prefillingCount;
  }

  /** KV cache of the next iteration, tokens; 0 when idle. */
  get kvTokens(): number {
    return this.batch.size === 0 ? 0 : this.batch.nextTokens;
  }

  /** The end of the prefills queued so far, s. */
  get prefillFreeAt(): number {
    return this.queue.prefills.freeAt;
  }

  /** Iteration time at an occupation, s. */
  iterationSeconds(tokens: number): number {
    return iterationSeconds(this.profile, tokens * this.constants.kvBytesPerToken);
  }

  /**
   * Receives the slot's batch: requests already in the table, with their transmission times. Fills in when they are
   * synchronised and prefilled. Predictions are cut to what the pool can hold.
   *
   * @param handles the batch in arrival order; entries from..from+count−1 are read.
   */
  receive(table: RequestTable, handles: Int32Array, from: number, count: number, slotStartAt: number): void {
    for (let i = from; i < from + count; i++) {
      const handle = handles[i];
      const input = table.inputTokens[handle];
      const predicted = Math.min(table.predictedTokens[handle], this.maxTokens - input);
      table.predictedTokens[handle] = predicted;
      this.expected.receive(input, predicted);
    }
    this.queue.receive(table, handles, from, count, slotStartAt, this.spec.prefillTokensPerSecond);
    this.requestCount += count;
  }

  /** Start of the next iteration if nothing else arrives, s; ∞ when there is nothing to do. */
  get nextIterationAt(): number {
    const { prefilledCount, prefills } = this.queue;
    if (this.batch.size > 0 || prefilledCount > 0) return this.clock.at;
    return Math.max(this.clock.at, prefills.headEndAt);
  }

  /** Forgets the slot's sums; the next iteration is number 1 of its slot. */
  beginSlot(): void {
    this.clock.tokenSeconds = 0;
    this.slotPeakTokens = 0;
    this.slotIterations = 0;
  }

  /**
   * Runs every iteration that starts before `endAt`.
   *
   * @param left receives the requests that leave.
   */
  advance(table: RequestTable, slot: number, endAt: number, left: Departures, recorder?: IterationRecorder): void {
    for (;;) {
      const startAt = this.nextIterationAt;
      if (startAt >= endAt) return;
      this.clock.at = startAt;
      if (this.queue.advanceTo(startAt, table)) this.blockedUntil = 0;
      if (this.batch.nextTokens > this.maxTokens) this.preempt(table, left, recorder);
      else if (this.queue.prefilledCount > 0 && this.batch.done >= this.blockedUntil) this.admit(table);
      if (this.batch.size === 0) continue;
      this.runIterations(slot, endAt, recorder);
      this.takeFinished(table, left.completed);
    }
  }

  fork(): EdgeServer {
    const copy = new EdgeServer(this.index, this.spec, this.constants);
    const [queue, batch, held] = [this.queue.clone(), this.batch.clone(), this.held.clone()];
    Object.assign(copy, this, { queue, batch, held, expected: this.expected.clone(), clock: { ...this.clock } });
    return copy;
  }

  /** The waiting queue's head joins the running batch while it fits; behind one that does not fit all wait (III-D). */
  private admit(table: RequestTable): void {
    const { queue, batch, maxTokens, byPrediction } = this;
    const isStatic = this.constants.batching === 'static';
    if (isStatic && this.requestsInBatch > 0) return;
    if (this.requestsInBatch === 0) this.clock.busySeconds = 0;
    let reserved = 0;
    while (queue.prefilledCount > 0) {
      const handle = queue.head;
      const input = promptTokens(table, handle);
      const output = table.outputTokens[handle] - table.generatedTokens[handle];
      const predicted = expectedTokens(table, handle);
      const reservation = byPrediction ? predicted : output;
      if (isStatic) {
        if (reserved + input + reservation > maxTokens) return;
        reserved += input + reservation;
      } else {
        const wait = batch.iterationsUntilFit(input, reservation, maxTokens, byPrediction);
        if (wait !== FITS_NOW) {
          this.blockedUntil = batch.done + wait;
          return;
        }
      }
      queue.shift();
      batch.join(handle, input, output, predicted);
      table.joinedAt[handle] = this.clock.at;
      table.decodeSeconds[handle] = this.clock.busySeconds;
      table.admission[handle] = this.admissions++;
    }
  }

  /** Takes requests out of the running batch, the last admitted first, until the next iteration fits the pool. */
  private preempt(table: RequestTable, { completed, lost }: Departures, recorder: IterationRecorder | undefined): void {
    const { batch, queue } = this;
    while (batch.size > 0 && batch.nextTokens > this.maxTokens) {
      const handle = batch.last(table.admission);
      const hadOutgrown = batch.hasOutgrown(handle);
      table.generatedTokens[handle] = batch.remove(handle) + batch.done - table.inputTokens[handle];
      const tokens = promptTokens(table, handle);
      if (tokens + 1 > this.maxTokens) {
        this.requestCount--;
        lost.push(handle);
        continue;
      }
      recorder?.preempted?.(table.slot[handle], table.index[handle], table.joinedAt[handle], this.clock.at);
      table.decodedBeforeSeconds[handle] += this.decodedSeconds(table, handle);
      table.preemptions[handle]++;
      this.preemptions++;
      if (hadOutgrown) this.expected.receiveAgain(tokens);
      queue.receiveAgain(handle, tokens, this.clock.at, this.spec.prefillTokensPerSecond);
    }
    // A static batch may have ended by it.
    this.blockedUntil = batch.size === 0 ? 0 : batch.done + 1;
    this.endStaticBatch(table, completed);
  }

  /** Seconds of iterations since the request joined; in static batching also those in which it was only held. */
  private decodedSeconds(table: RequestTable, handle: number): number {
    return this.constants.batching === 'static'
      ? this.clock.at - table.joinedAt[handle]
      : this.clock.busySeconds - table.decodeSeconds[handle];
  }

  private get requestsInBatch(): number {
    return this.batch.size + this.held.length;
  }

  /**
   * Iterations up to the next event: a finish, an outgrown prediction, the slot's end, a prefill's start or end, a full
   * pool, or the first boundary at which the waiting queue's head may fit. The batch stays the same meanwhile, so its
   * tokens grow by its size each time.
   */
  private runIterations(slot: number, endAt: number, recorder: IterationRecorder | undefined): void {
    const { batch, clock } = this;
    const { prefills, prefilledCount } = this.queue;
    const { kvBytesPerToken, prefillSlowdown } = this.constants;
    const { size, nextTokens: tokens, outgrownCount, outgrownTokens } = batch;
    const prefillRuns = prefills.headStartAt <= clock.at;
    const blocked = prefilledCount > 0 && this.blockedUntil > batch.done ? this.blockedUntil - batch.done : Infinity;
    const untilFull = batch.isExact ? Infinity : Math.floor((this.maxTokens - tokens) / size) + 1;
    const iterations = decode(
      clock,
      this.profile,
      kvBytesPerToken,
      tokens,
      size,
      prefillRuns ? 1 - prefillSlowdown : 1,
      Math.min(batch.iterationsToEvent, blocked, untilFull),
      Math.min(endAt, prefillRuns ? prefills.headEndAt : prefills.headStartAt),
      recorder &&
        ((n, at, seconds, held) => {
          const k = this.slotIterations + n + 1;
          recorder.record(this.index, slot, k, at, seconds, held, this.requestsInBatch, prefillRuns);
        }),
    );
    const last = tokens + (iterations - 1) * size;
    this.slotPeakTokens = Math.max(this.slotPeakTokens, last);
    this.slotIterations += iterations;
    batch.done += iterations;
    const held = (iterations * (tokens + last)) / 2 - iterations * batch.heldTokens;
    const heldByOutgrown = iterations * (outgrownTokens + (outgrownCount * (iterations - 1)) / 2);
    this.expected.progress(iterations * (size - outgrownCount), held - heldByOutgrown);
  }

  /** A request that has generated its last token leaves and frees its KV cache; in static batching it waits for all. */
  private takeFinished(table: RequestTable, completed: HandleQueue): void {
    const { batch } = this;
    const { isExact } = batch;
    for (let handle = batch.takeFinished(); handle >= 0; handle = batch.takeFinished()) {
      if (!isExact) this.blockedUntil = 0;
      this.expected.finish(table, handle);
      if (this.constants.batching === 'static') {
        batch.heldTokens += table.inputTokens[handle] + table.outputTokens[handle];
        this.held.push(handle);
      } else {
        this.complete(table, handle, completed);
      }
    }
    batch.noteOutgrown();
    this.endStaticBatch(table, completed);
  }

  private endStaticBatch(table: RequestTable, completed: HandleQueue): void {
    if (this.batch.size > 0 || this.held.length === 0) return;
    while (this.held.length > 0) this.complete(table, this.held.shift(), completed);
    this.batch.heldTokens = 0;
  }

  private complete(table: RequestTable, handle: number, completed: HandleQueue): void {
    table.completedAt[handle] = this.clock.at;
    table.decodeSeconds[handle] = this.decodedSeconds(table, handle) + table.decodedBeforeSeconds[handle];
    this.requestCount--;
    completed.push(handle);
  }
}
