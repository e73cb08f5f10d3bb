/**
 * All requests that are somewhere in the system, structure of arrays. A request is a handle, an index into every
 * column; a finished request's handle is used again, so memory stays flat however long a run is.
 */
export class RequestTable {
  /** Slot of arrival. */
  slot: Int32Array;
  /** Place among the slot's requests. */
  index: Int32Array;
  /** Index of the user who issued it. */
  user: Int32Array;
  /** Index of the server it was assigned to. */
  server: Int32Array;
  inputTokens: Float64Array;
  /** l, what the server runs. Token counts are doubles: a scenario may exceed 2³¹. */
  outputTokens: Float64Array;
  /** l̂, known to schedulers and servers, at least 1. */
  predictedTokens: Float64Array;
  /** Tokens generated before the last preemption: they are prefilled again with the input. 0: never preempted. */
  generatedTokens: Float64Array;
  /** How often it was preempted. */
  preemptions: Int32Array;
  /** D_tx, s. */
  transmissionSeconds: Float64Array;
  /** When the batch's last request had been received, s: slot start + D_sy. */
  synchronisedAt: Float64Array;
  prefillStartAt: Float64Array;
  prefillEndAt: Float64Array;
  /** When the request joined the running batch, the last time, s. */
  joinedAt: Float64Array;
  /** Its place in the order in which the server admitted requests. */
  admission: Float64Array;
  completedAt: Float64Array;
  /** Sum of the iterations from joining to completion, s (static: to the batch's end); while it decodes, the server's clock at joining. */
  decodeSeconds: Float64Array;
  /** Sum of the iterations before the last preemption, s; part of `decodeSeconds` once it has completed. */
  decodedBeforeSeconds: Float64Array;

  private free: Int32Array;
  private freeCount: number;

  constructor(capacity = 256) {
    this.slot = new Int32Array(capacity);
    this.index = new Int32Array(capacity);
    this.user = new Int32Array(capacity);
    this.server = new Int32Array(capacity);
    this.inputTokens = new Float64Array(capacity);
    this.outputTokens = new Float64Array(capacity);
    this.predictedTokens = new Float64Array(capacity);
    this.generatedTokens = new Float64Array(capacity);
    this.preemptions = new Int32Array(capacity);
    this.transmissionSeconds = new Float64Array(capacity);
    this.synchronisedAt = new Float64Array(capacity);
    this.prefillStartAt = new Float64Array(capacity);
    this.prefillEndAt = new Float64Array(capacity);
    this.joinedAt = new Float64Array(capacity);
    this.admission = new Float64Array(capacity);
    this.completedAt = new Float64Array(capacity);
    this.decodeSeconds = new Float64Array(capacity);
    this.decodedBeforeSeconds = new Float64Array(capacity);
    this.free = new Int32Array(capacity);
    for (let i = 0; i < capacity; i++) this.free[i] = capacity - 1 - i;
    this.freeCount = capacity;
  }

  /** Requests in the system. */
  get size(): number {
    return this.slot.length - this.freeCount;
  }

  /** A handle for a new request that has not run; lowest handles first. */
  allocate(): number {
    if (this.freeCount === 0) this.grow();
    const handle = this.free[--this.freeCount];
    this.generatedTokens[handle] = 0;
    this.preemptions[handle] = 0;
    this.decodedBeforeSeconds[handle] = 0;
    return handle;
  }

  /** Gives a handle back; its columns may be overwritten from now on. */
  release(handle: number): void {
    this.free[this.freeCount++] = handle;
  }

  clone(): RequestTable {
    const copy = new RequestTable(0);
    this.copyColumnsTo(copy, this.slot.length);
    copy.free = this.free.slice();
    copy.freeCount = this.freeCount;
    return copy;
  }

  private grow(): void {
    const before = this.slot.length;
    const after = Math.max(16, 2 * before);
    this.copyColumnsTo(this, after);
    this.free = new Int32Array(after);
    for (let i = 0; i < after - before; i++) this.free[i] = after - 1 - i;
    this.freeCount = after - before;
  }

  private copyColumnsTo(target: RequestTable, capacity: number): void {
    target.slot = resized(this.slot, capacity);
    target.index = resized(this.index, capacity);
    target.user = resized(this.user, capacity);
    target.server = resized(this.server, capacity);
    target.inputTokens = resized(this.inputTokens, capacity);
    target.outputTokens = resized(this.outputTokens, capacity);
    target.predictedTokens = resized(this.predictedTokens, capacity);
    target.generatedTokens = resized(this.generatedTokens, capacity);
    target.preemptions = resized(this.preemptions, capacity);
    target.transmissionSeconds = resized(this.transmissionSeconds, capacity);
    target.synchronisedAt = resized(this.synchronisedAt, capacity);
    target.prefillStartAt = resized(this.prefillStartAt, capacity);
    target.prefillEndAt = resized(this.prefillEndAt, capacity);
    target.joinedAt = resized(this.joinedAt, capacity);
    target.admission = resized(this.admission, capacity);
    target.completedAt = resized(this.completedAt, capacity);
    target.decodeSeconds = resized(this.decodeSeconds, capacity);
    target.decodedBeforeSeconds = resized(this.decodedBeforeSeconds, capacity);
  }
}

/** A copy of a typed array with room for `capacity` entries. */
export function resized<A extends Int32Array | Float64Array>(array: A, capacity: number): A {
  const copy = new (array.constructor as new (n: number) => A)(capacity);
  copy.set(array);
  return copy;
}
