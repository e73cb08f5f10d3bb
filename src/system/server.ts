import { type DecodeClock, type DecodeProfile, decode, decodeProfile, iterationSeconds } from './decode-profile';
import type { RequestTable } from './request-table';
import { RunningBatch } from './running-batch';
import type { ServerSpec, ServingConstants } from './scenario';
import { tokensThatFit } from './token-counts';
import type { IterationRecorder } from './trajectory';
import { WaitingQueue } from './waiting-queue';

/** The handles of requests that have left their servers, in order; those that outgrew the whole pool are lost. */
export interface Departures {
  readonly completed: number[];
  readonly lost: number[];
}

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
 * An iteration is constant work; only an admission, a finish or a preemption looks at the requests. Times are summed
 * iteration by iteration, so that every tie falls as in a token-by-token simulation.
 */
export class EdgeServer {
  /** Most tokens held in an iteration of the slot; α times this is M_pk(t). */
  slotPeakTokens = 0;
  /** K_s(t), iterations started in the slot. */
  slotIterations = 0;
  /** Since the run began. */
  preemptions = 0;
  /** Requests here that have not completed. */
  requestCount = 0;
  /** The requests that are sent in the next slot, in order of arrival. */
  incoming: number[] = [];
  readonly maxTokens: number;

  private readonly profile: DecodeProfile;
  private queue: WaitingQueue;
  private batch: RunningBatch;
  /** Finished requests that a static batch still holds. */
  private held: number[] = [];
  private clock: DecodeClock = { at: 0, busySeconds: 0, tokenSeconds: 0 };
  /** While the waiting queue's head does not fit: the iteration count before which it cannot. */
  private blockedUntil = 0;
  private admissions = 0;

  constructor(
    readonly index: number,
    readonly spec: ServerSpec,
    private readonly constants: ServingConstants,
    private readonly table: RequestTable,
  ) {
    this.profile = decodeProfile(spec.decodeProfile);
    this.maxTokens = tokensThatFit(spec.kvCapacityBytes, constants.kvBytesPerToken);
    this.queue = new WaitingQueue(table, spec.prefillTokensPerSecond);
    this.batch = new RunningBatch(table, constants.admission !== 'true-length');
  }

  /** Σ tokens·seconds over the slot's iterations; α times this over M_s·Δ is η_s(t). */
  get slotTokenSeconds(): number {
    return this.clock.tokenSeconds;
  }

  /**
   * Σ max(l̂ − g, 1) over all requests here, output tokens expected to come, and the token-iterations that these ask:
   * remaining KV memory-time / τ.
   */
  expectedWork(): { tokens: number; tokenIterations: number } {
    const work = this.batch.expectedWork();
    work.tokens += this.queue.expectedTokens;
    work.tokenIterations += this.queue.expectedTokenIterations;
    return work;
  }

  get runningCount(): number {
    return this.batch.size;
  }

  /** Prefilled requests that wait for admission. */
  get waitingCount(): number {
    return this.queue.prefilled.length;
  }

  /** Requests that are being sent or prefilled. */
  get prefillingCount(): number {
    return this.requestCount - this.requestsInBatch - this.waitingCount;
  }

  /** KV cache of the next iteration, tokens; 0 when idle. */
  get kvTokens(): number {
    return this.batch.size === 0 ? 0 : this.batch.nextTokens;
  }

  get prefillFreeAt(): number {
    return this.queue.freeAt;
  }

  iterationSeconds(tokens: number): number {
    return iterationSeconds(this.profile, tokens * this.constants.kvBytesPerToken);
  }

  /** Start of the next iteration if nothing else arrives, s; ∞ when there is nothing to do. */
  get nextIterationAt(): number {
    if (this.batch.size > 0 || this.waitingCount > 0) return this.clock.at;
    return Math.max(this.clock.at, this.queue.headEndAt);
  }

  /** Receives the slot's batch, its predictions cut to the pool, and runs every iteration that starts in the slot. */
  runSlot(slot: number, left: Departures, recorder?: IterationRecorder): void {
    const { incoming, maxTokens } = this;
    const { inputTokens, predictedTokens } = this.table;
    const { slotSeconds } = this.constants;
    for (const handle of incoming)
      predictedTokens[handle] = Math.min(predictedTokens[handle], maxTokens - inputTokens[handle]);
    if (incoming.length > 0) this.queue.receive(incoming, slot * slotSeconds);
    this.requestCount += incoming.length;
    this.incoming = [];
    this.clock.tokenSeconds = 0;
    this.slotPeakTokens = 0;
    this.slotIterations = 0;
    const endAt = (slot + 1) * slotSeconds;
    for (let startAt = this.nextIterationAt; startAt < endAt; startAt = this.nextIterationAt) {
      this.clock.at = startAt;
      if (this.queue.advanceTo(startAt)) this.blockedUntil = 0;
      if (this.batch.nextTokens > maxTokens) this.preempt(left, recorder);
      else if (this.waitingCount > 0 && this.batch.done >= this.blockedUntil) this.admit();
      if (this.batch.size === 0) continue;
      this.runIterations(slot, endAt, recorder);
      this.takeFinished(left);
    }
  }

  fork(table: RequestTable): EdgeServer {
    const copy = new EdgeServer(this.index, this.spec, this.constants, table);
    const [queue, batch, clock] = [this.queue.clone(table), this.batch.clone(table), { ...this.clock }];
    return Object.assign(copy, this, {
      table,
      queue,
      batch,
      clock,
      held: [...this.held],
      incoming: [...this.incoming],
    });
  }

  /** The waiting queue's head joins the running batch while it fits; behind one that does not fit all wait (III-D). */
  private admit(): void {
    const { queue, batch, maxTokens, table } = this;
    const isStatic = this.constants.batching === 'static';
    if (isStatic && this.requestsInBatch > 0) return;
    if (this.requestsInBatch === 0) this.clock.busySeconds = 0;
    let reserved = 0;
    while (queue.prefilled.length > 0) {
      const handle = queue.prefilled[0];
      if (isStatic) reserved += table.promptTokens(handle) + batch.expectedOf(handle);
      if (reserved > maxTokens) return;
      const wait = isStatic ? 0 : batch.iterationsUntilFit(handle, maxTokens);
      if (wait > 0) {
        this.blockedUntil = batch.done + wait;
        return;
      }
      queue.shift();
      batch.join(handle);
      table.joinedAt[handle] = this.clock.at;
      table.decodeSeconds[handle] = this.clock.busySeconds;
      table.admission[handle] = this.admissions++;
    }
  }

  /** Takes requests out of the running batch, the last admitted first, until the next iteration fits the pool. */
  private preempt(left: Departures, recorder: IterationRecorder | undefined): void {
    const { batch, maxTokens, table } = this;
    while (batch.size > 0 && batch.nextTokens > maxTokens) {
      const handle = batch.takeLastAdmitted();
      if (table.promptTokens(handle) + 1 > maxTokens) {
        this.requestCount--;
        left.lost.push(handle);
        continue;
      }
      recorder?.preempted?.(table.slot[handle], table.index[handle], table.joinedAt[handle], this.clock.at);
      table.decodedBefore[handle] += this.decodedSince(handle);
      table.preemptions[handle]++;
      this.preemptions++;
      this.queue.push([handle], this.clock.at);
    }
    // A static batch may have ended by it.
    this.blockedUntil = batch.size === 0 ? 0 : batch.done + 1;
    this.endStaticBatch(left);
  }

  /** Seconds of iterations since the request joined; in static batching also those in which it was only held. */
  private decodedSince(handle: number): number {
    return this.constants.batching === 'static'
      ? this.clock.at - this.table.joinedAt[handle]
      : this.clock.busySeconds - this.table.decodeSeconds[handle];
  }

  private get requestsInBatch(): number {
    return this.batch.size + this.held.length;
  }

  /**
   * Iterations up to the next event: a finish, the slot's end, a prefill's start or end, a full pool, or the first boundary
   * at which the waiting queue's head may fit. The batch stays the same meanwhile, so its tokens grow by its size each
   * time.
   */
  private runIterations(slot: number, endAt: number, recorder: IterationRecorder | undefined): void {
    const { batch, clock, queue } = this;
    const { kvBytesPerToken, prefillSlowdown } = this.constants;
    const { size, nextTokens: tokens } = batch;
    const prefillRuns = queue.headStartAt <= clock.at;
    const isBlocked = this.waitingCount > 0 && this.blockedUntil > batch.done;
    const iterations = decode(
      clock,
      this.profile,
      kvBytesPerToken,
      tokens,
      size,
      prefillRuns ? 1 - prefillSlowdown : 1,
      Math.min(
        batch.iterationsToFinish,
        isBlocked ? this.blockedUntil - batch.done : Infinity,
        Math.floor((this.maxTokens - tokens) / size) + 1,
      ),
      Math.min(endAt, prefillRuns ? queue.headEndAt : queue.headStartAt),
      recorder &&
        ((n, startsAt, seconds, held) => {
          const { index: server, requestsInBatch: active, slotIterations } = this;
          const [k, kvBytes] = [slotIterations + n + 1, kvBytesPerToken * held];
          recorder.record({ server, slot, k, startsAt, seconds, kvBytes, active, prefillRuns });
        }),
    );
    this.slotPeakTokens = Math.max(this.slotPeakTokens, tokens + (iterations - 1) * size);
    this.slotIterations += iterations;
    batch.done += iterations;
  }

  /** A request that has generated its last token leaves and frees its KV cache; in static batching it waits for all. */
  private takeFinished(left: Departures): void {
    const { batch, table } = this;
    for (let handle = batch.takeFinished(); handle >= 0; handle = batch.takeFinished()) {
      this.blockedUntil = 0;
      if (this.constants.batching === 'static') {
        batch.heldTokens += table.inputTokens[handle] + table.outputTokens[handle];
        this.held.push(handle);
      } else {
        this.complete(handle, left);
      }
    }
    this.endStaticBatch(left);
  }

  private endStaticBatch(left: Departures): void {
    if (this.batch.size > 0 || this.held.length === 0) return;
    for (const handle of this.held) this.complete(handle, left);
    this.held = [];
    this.batch.heldTokens = 0;
  }

  private complete(handle: number, { completed }: Departures): void {
    const { table } = this;
    table.completedAt[handle] = this.clock.at;
    table.decodeSeconds[handle] = this.decodedSince(handle) + table.decodedBefore[handle];
    this.requestCount--;
    completed.push(handle);
  }
}
