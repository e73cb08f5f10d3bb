const none: Float64Array = new Float64Array(0);

/**
 * All requests that are somewhere in the system, structure of arrays. A request is a handle, an index into every
 * column; a released handle is used again, so memory stays flat however long a run is. At most half of the handles are
 * in use. Times and delays in seconds; counts are doubles, since a scenario may exceed 2³¹ tokens.
 */
export class RequestTable {
  /** Slot of arrival, place among that slot's requests, user and server. */
  slot: Float64Array = none;
  index: Float64Array = none;
  user: Float64Array = none;
  server: Float64Array = none;
  inputTokens: Float64Array = none;
  /** l and l̂. */
  outputTokens: Float64Array = none;
  predictedTokens: Float64Array = none;
  transmissionSeconds: Float64Array = none;
  /** The end of the slowest transmission of its batch: slot start + D_sy. */
  synchronisedAt: Float64Array = none;
  prefillStartAt: Float64Array = none;
  prefillEndAt: Float64Array = none;
  /** The time at which it last joined the running batch. */
  joinedAt: Float64Array = none;
  completedAt: Float64Array = none;
  /** Sum of its iterations (static: to the batch's end); while it decodes, the server's clock at joining. */
  decodeSeconds: Float64Array = none;
  /** The part of `decodeSeconds` before the last preemption. */
  decodedBefore: Float64Array = none;
  /** Tokens generated before the last preemption: they are prefilled again with the input. */
  generatedTokens: Float64Array = none;
  preemptions: Float64Array = none;
  /** Its place in the order in which the server admitted requests. */
  admission: Float64Array = none;
  /** l_in − j of a request that joined after iteration j of the server, and the iterations in which it finishes and is expected to. */
  base: Float64Array = none;
  lastIteration: Float64Array = none;
  expectedLast: Float64Array = none;

  private used = new Uint8Array(0);
  private next = 0;
  private count = 0;

  constructor(capacity = 256) {
    this.resize(capacity);
  }

  /** A handle for a new request: round and round, so that the requests of a slot lie next to each other in memory. */
  allocate(): number {
    if (2 * this.count >= this.used.length) this.resize(2 * this.used.length);
    while (this.used[this.next] === 1) this.next = (this.next + 1) % this.used.length;
    const handle = this.next;
    this.used[handle] = 1;
    this.count++;
    this.generatedTokens[handle] = 0;
    this.preemptions[handle] = 0;
    this.decodedBefore[handle] = 0;
    return handle;
  }

  release(handle: number): void {
    this.used[handle] = 0;
    this.count--;
  }

  /** Tokens to prefill: l_in, after a preemption with the tokens generated before it. */
  promptTokens(handle: number): number {
    return this.inputTokens[handle] + this.generatedTokens[handle];
  }

  /** l − g. */
  tokensToCome(handle: number): number {
    return this.outputTokens[handle] - this.generatedTokens[handle];
  }

  /** Output tokens expected when the request joins: max(l̂ − g, 1). */
  expectedTokens(handle: number): number {
    return Math.max(this.predictedTokens[handle] - this.generatedTokens[handle], 1);
  }

  clone(): RequestTable {
    const copy = Object.assign(new RequestTable(0), this);
    copy.resize(this.used.length);
    return copy;
  }

  /** Moves the requests to columns with room for `capacity`. */
  private resize(capacity: number): void {
    for (const [name, old] of Object.entries(this)) {
      if (!(old instanceof Float64Array || old instanceof Uint8Array)) continue;
      const column = old instanceof Float64Array ? new Float64Array(capacity) : new Uint8Array(capacity);
      column.set(old);
      Object.assign(this, { [name]: column });
    }
  }
}
