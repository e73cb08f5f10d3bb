import { type DecodeProfile, decodeProfile, iterationSeconds } from './decode-profile';
import { HandleQueue } from './handle-queue';
import { PrefillQueue, prefillSeconds } from './prefill';
import type { RequestTable } from './request-table';
import { FITS_NOW, RunningBatch } from './running-batch';
import type { Admission, Batching, ServerSpec } from './scenario';
import type { IterationRecorder } from './trajectory';

/** What all servers of a system share. */
export interface ServingConstants {
  /** Δ, s. */
  readonly slotSeconds: number;
  /** α, bytes/token. */
  readonly kvBytesPerToken: number;
  /** w, III-C2. */
  readonly prefillSlowdown: number;
  readonly batching: Batching;
  /** What admission knows of a request's length. Default 'predicted-length'. */
  readonly admission?: Admission | undefined;
}

/** Token-iterations that a request asks of a KV cache: Σ_{k=1..l_out} (l_in + k). */
export function kvTokenIterations(inputTokens: number, outputTokens: number): number {
  return outputTokens * inputTokens + (outputTokens * (outputTokens + 1)) / 2;
}

/**
 * One edge server: prefill queue, waiting queue and the running batch (III-C, III-D).
 *
 * Of a request's length it knows the prediction l̂, cut to the pool, and the g tokens generated so far: it expects
 * max(l̂ − g, 1) more, since a request that still runs generates at least one. All its sums and its admission use this.
 * Note: the paper's l̂ is exact. Where it is not, a request may outgrow its prediction and the pool may run out. Then
 * the request admitted last is preempted, as in vLLM: its KV cache is freed, its prompt and generated tokens are
 * prefilled anew behind the prefills that are queued, and it returns to the head of the waiting queue. A request that
 * has outgrown the whole pool is lost instead. At a boundary with a preemption or a loss no request is admitted.
 *
 * `advance` runs all decode iterations that start before a point in time. It does constant work per iteration and
 * touches a request only when it is received, admitted, finished or preempted, or outgrows its prediction; times are summed iteration by iteration, so
 * every tie falls as in a token-by-token simulation.
 */
export class EdgeServer {
  /** Σ tokens·seconds over the slot's iterations; α times this over M_s·Δ is η_s(t). */
  slotTokenSeconds = 0;
  /** Most tokens held in an iteration of the slot; α times this is M_pk(t). */
  slotPeakTokens = 0;
  /** K_s(t), iterations started in the slot. */
  slotIterations = 0;

  /** Preemptions since the run began. */
  preemptions = 0;
  /** Σ l_in of batches whose prefill has not ended at the last boundary. */
  unprefilledTokens = 0;
  /** Requests here that have not completed. */
  requestCount = 0;

  readonly profile: DecodeProfile;
  /** The largest number of tokens whose KV cache fits the pool. */
  readonly maxTokens: number;

  /** Handles in order of arrival; the first `prefilled` of them wait for admission, the others for their prefill. */
  private line: HandleQueue = new HandleQueue();
  private prefilled = 0;
  private prefills: PrefillQueue = new PrefillQueue();
  private batch: RunningBatch = new RunningBatch();
  /** Finished requests that a static batch still holds. */
  private held: HandleQueue = new HandleQueue();
  /** The next iteration boundary, s; in the past while the server is idle. */
  private boundaryAt = 0;
  /** Sum of iteration times since the server was last idle, s: a difference of clock times loses digits late in a run. */
  private busySeconds = 0;
  /** While the line's head does not fit: the iteration count before which it cannot. */
  private blockedUntil = 0;
  /** Requests admitted since the run began, those admitted again included. */
  private admissions = 0;
  /** Σ over all requests here of max(l̂ − g, 0). */
  private predictedRest = 0;
  /** The token-iterations of `predictedRest`. */
  private predictedRestIterations = 0;
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

  /** Σ over all requests here of output tokens expected to come, max(l̂ − g, 1) each. */
  get remainingOutputTokens(): number {
    return this.predictedRest + this.batch.outgrownCount;
  }

  /** Σ over all requests here of the token-iterations expected to come: remaining KV memory-time / τ. */
  get remainingTokenIterations(): number {
    return this.predictedRestIterations + this.batch.outgrownTokens;
  }

  /** Requests in the running batch that still generate. */
  get runningCount(): number {
    return this.batch.size;
  }

  /** Prefilled requests that wait for room in the KV pool or for an iteration boundary. */
  get waitingCount(): number {
    return this.prefilled;
  }

  /** Requests that are being sent or prefilled. */
  get prefillingCount(): number {
    return this.line.length - this.prefilled;
  }

  /** KV cache of the next iteration, tokens; 0 when idle. */
  get kvTokens(): number {
    return this.batch.size === 0 ? 0 : this.batch.nextTokens;
  }

  /** When the prefills queued so far have ended, s. */
  get prefillFreeAt(): number {
    return this.prefills.freeAt;
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
    let slowest = 0;
    let inputTokens = 0;
    for (let i = from; i < from + count; i++) {
      const handle = handles[i];
      slowest = Math.max(slowest, table.transmissionSeconds[handle]);
      const input = table.inputTokens[handle];
      const predicted = Math.min(table.predictedTokens[handle], this.maxTokens - input);
      table.predictedTokens[handle] = predicted;
      inputTokens += input;
      this.predictedRestIterations += kvTokenIterations(input, predicted);
      this.predictedRest += predicted;
      this.line.push(handle);
    }
    const synchronisedAt = slotStartAt + slowest;
    this.prefills.push(synchronisedAt, prefillSeconds(inputTokens, this.spec.prefillTokensPerSecond), count);
    const startAt = this.prefills.newestStartAt;
    const endAt = this.prefills.freeAt;
    for (let i = from; i < from + count; i++) {
      const handle = handles[i];
      table.synchronisedAt[handle] = synchronisedAt;
      table.prefillStartAt[handle] = startAt;
      table.prefillEndAt[handle] = endAt;
    }
    this.unprefilledTokens += inputTokens;
    this.requestCount += count;
  }

  /** Start of the next iteration if nothing else arrives, s; ∞ when there is nothing to do. */
  get nextIterationAt(): number {
    if (this.batch.size > 0 || this.prefilled > 0) return this.boundaryAt;
    return this.prefills.length === 0 ? Infinity : Math.max(this.boundaryAt, this.prefills.headEndAt);
  }

  /** Forgets the slot's sums; the next iteration is number 1 of its slot. */
  beginSlot(): void {
    this.slotTokenSeconds = 0;
    this.slotPeakTokens = 0;
    this.slotIterations = 0;
  }

  /**
   * Runs every iteration that starts before `endAt`.
   *
   * @param completed receives the handles of completed requests, in order.
   * @param lost receives the handles of requests that outgrew the whole pool.
   */
  advance(
    table: RequestTable,
    slot: number,
    endAt: number,
    completed: HandleQueue,
    lost: HandleQueue,
    recorder?: IterationRecorder,
  ): void {
    for (;;) {
      const startAt = this.nextIterationAt;
      if (startAt >= endAt) return;
      this.boundaryAt = startAt;
      this.joinWaitingLine(table);
      if (this.batch.nextTokens > this.maxTokens) this.preempt(table, completed, lost, recorder);
      else if (this.prefilled > 0 && this.batch.done >= this.blockedUntil) this.admit(table);
      if (this.batch.size === 0) continue;
      this.runIterations(slot, endAt, recorder);
      this.takeFinished(table, completed);
    }
  }

  fork(): EdgeServer {
    const copy = new EdgeServer(this.index, this.spec, this.constants);
    copy.slotTokenSeconds = this.slotTokenSeconds;
    copy.slotPeakTokens = this.slotPeakTokens;
    copy.slotIterations = this.slotIterations;
    copy.preemptions = this.preemptions;
    copy.admissions = this.admissions;
    copy.predictedRest = this.predictedRest;
    copy.predictedRestIterations = this.predictedRestIterations;
    copy.unprefilledTokens = this.unprefilledTokens;
    copy.requestCount = this.requestCount;
    copy.line = this.line.clone();
    copy.prefilled = this.prefilled;
    copy.prefills = this.prefills.clone();
    copy.batch = this.batch.clone();
    copy.held = this.held.clone();
    copy.boundaryAt = this.boundaryAt;
    copy.busySeconds = this.busySeconds;
    copy.blockedUntil = this.blockedUntil;
    return copy;
  }

  /** At a boundary every batch whose prefill has ended joins the waiting queue, a preempted request at its head. */
  private joinWaitingLine(table: RequestTable): void {
    while (this.prefills.headEndAt <= this.boundaryAt) {
      const count = this.prefills.shift();
      const first = this.line.at(this.prefilled);
      for (let i = 0; i < count; i++) this.unprefilledTokens -= promptTokens(table, this.line.at(this.prefilled + i));
      if (table.preemptions[first] > 0) {
        this.line.moveToFront(this.prefilled);
        this.blockedUntil = 0;
      }
      this.prefilled += count;
    }
  }

  /** The line's head joins the running batch while it fits; the line stops at the first that does not (III-D). */
  private admit(table: RequestTable): void {
    const { batch, maxTokens, byPrediction } = this;
    const isStatic = this.constants.batching === 'static';
    if (isStatic && this.requestsInBatch > 0) return;
    if (this.requestsInBatch === 0) this.busySeconds = 0;
    let reserved = 0;
    while (this.prefilled > 0) {
      const handle = this.line.at(0);
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
      this.line.shift();
      this.prefilled--;
      batch.join(handle, input, output, predicted);
      table.joinedAt[handle] = this.boundaryAt;
      table.decodeSeconds[handle] = this.busySeconds;
      table.admission[handle] = this.admissions++;
    }
  }

  /** Takes requests out of the running batch, the last admitted first, until the next iteration fits the pool. */
  private preempt(
    table: RequestTable,
    completed: HandleQueue,
    lost: HandleQueue,
    recorder: IterationRecorder | undefined,
  ): void {
    const { batch } = this;
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
      recorder?.preempted?.(table.slot[handle], table.index[handle], table.joinedAt[handle], this.boundaryAt);
      table.decodedBeforeSeconds[handle] += this.decodedSeconds(table, handle);
      table.preemptions[handle]++;
      this.preemptions++;
      if (hadOutgrown) {
        this.predictedRest++;
        this.predictedRestIterations += tokens + 1;
      }
      this.line.push(handle);
      this.unprefilledTokens += tokens;
      this.prefills.push(this.boundaryAt, prefillSeconds(tokens, this.spec.prefillTokensPerSecond), 1);
    }
    // A static batch may have ended by it.
    this.blockedUntil = batch.size === 0 ? 0 : batch.done + 1;
    this.endStaticBatch(table, completed);
  }

  /** Seconds of iterations since the request joined; in static batching also those in which it was only held. */
  private decodedSeconds(table: RequestTable, handle: number): number {
    return this.constants.batching === 'static'
      ? this.boundaryAt - table.joinedAt[handle]
      : this.busySeconds - table.decodeSeconds[handle];
  }

  private get requestsInBatch(): number {
    return this.batch.size + this.held.length;
  }

  /**
   * Iterations up to the next event: a finish, an outgrown prediction, the slot's end, a prefill's start or end, a full
   * pool, or the first boundary at which the line's head may fit. The batch stays the same, so its tokens grow by its size each time.
   *   τ(k) = 1 / ((1 − w·I(k))·v_dec(m(k)))
   */
  private runIterations(slot: number, endAt: number, recorder: IterationRecorder | undefined): void {
    const { batch, prefills } = this;
    const { kvBytesPerToken, prefillSlowdown } = this.constants;
    const { from, seconds, growth, width } = this.profile;
    const size = batch.size;
    const segments = from.length;
    let at = this.boundaryAt;
    let busy = this.busySeconds;
    const prefillRuns = prefills.headStartAt <= at;
    const stopAt = Math.min(endAt, prefillRuns ? prefills.headEndAt : prefills.headStartAt);
    const speed = prefillRuns ? 1 - prefillSlowdown : 1;
    const blocked = this.prefilled > 0 && this.blockedUntil > batch.done ? this.blockedUntil - batch.done : Infinity;
    const first = batch.nextTokens;
    const untilFull = batch.isExact ? Infinity : Math.floor((this.maxTokens - first) / size) + 1;
    const limit = Math.min(batch.iterationsToEvent, blocked, untilFull);
    let tokens = first;
    let tokenSeconds = this.slotTokenSeconds;
    let segment = 0;
    let iterations = 0;
    do {
      const kvBytes = tokens * kvBytesPerToken;
      while (segment + 1 < segments && kvBytes >= from[segment + 1]) segment++;
      // As `iterationSeconds`, written out: the segment is found by going on from the last iteration's.
      const inSegment = segment === 0 ? 0 : ((kvBytes - from[segment]) * growth[segment]) / width[segment];
      const time = (seconds[segment] + inSegment) / speed;
      tokenSeconds += tokens * time;
      iterations++;
      if (recorder !== undefined)
        recorder.record(
          this.index,
          slot,
          this.slotIterations + iterations,
          at,
          time,
          tokens,
          this.requestsInBatch,
          prefillRuns,
        );
      at += time;
      busy += time;
      tokens += size;
    } while (iterations < limit && at < stopAt);

    this.boundaryAt = at;
    this.busySeconds = busy;
    this.slotTokenSeconds = tokenSeconds;
    this.slotPeakTokens = Math.max(this.slotPeakTokens, tokens - size);
    this.slotIterations += iterations;
    const { outgrownCount, outgrownTokens } = batch;
    batch.done += iterations;
    const held = (iterations * (first + tokens - size)) / 2 - iterations * batch.heldTokens;
    const heldByOutgrown = iterations * (outgrownTokens + (outgrownCount * (iterations - 1)) / 2);
    this.predictedRest -= iterations * (size - outgrownCount);
    this.predictedRestIterations -= held - heldByOutgrown;
  }

  /** A request that has its last token leaves with its KV cache; a static batch is held until all have finished. */
  private takeFinished(table: RequestTable, completed: HandleQueue): void {
    const { batch } = this;
    const { isExact } = batch;
    for (let handle = batch.takeFinished(); handle >= 0; handle = batch.takeFinished()) {
      const output = table.outputTokens[handle] - table.generatedTokens[handle];
      const predicted = expectedTokens(table, handle);
      if (!isExact) this.blockedUntil = 0;
      if (predicted > output) {
        const prompt = promptTokens(table, handle);
        this.predictedRest -= predicted - output;
        this.predictedRestIterations -= kvTokenIterations(prompt, predicted) - kvTokenIterations(prompt, output);
      }
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
    table.completedAt[handle] = this.boundaryAt;
    table.decodeSeconds[handle] = this.decodedSeconds(table, handle) + table.decodedBeforeSeconds[handle];
    this.requestCount--;
    completed.push(handle);
  }
}

/** Tokens to prefill: l_in, after a preemption with the tokens generated before it. */
function promptTokens(table: RequestTable, handle: number): number {
  return table.inputTokens[handle] + table.generatedTokens[handle];
}

/** Output tokens expected when the request joins: max(l̂ − g, 1). */
function expectedTokens(table: RequestTable, handle: number): number {
  return Math.max(table.predictedTokens[handle] - table.generatedTokens[handle], 1);
}

/** The largest integer n with n·α ≤ capacity, in doubles. */
export function tokensThatFit(capacityBytes: number, kvBytesPerToken: number): number {
  let n = Math.floor(capacityBytes / kvBytesPerToken);
  if (n >= Number.MAX_SAFE_INTEGER) return Infinity;
  while (n * kvBytesPerToken > capacityBytes) n--;
  while ((n + 1) * kvBytesPerToken <= capacityBytes) n++;
  return n;
}
