const INTEGERS = ['slot', 'index', 'user', 'server', 'preemptions'] as const;
const DOUBLES = [
  'inputTokens',
  'outputTokens',
  'predictedTokens',
  'generatedTokens',
  'transmissionSeconds',
  'synchronisedAt',
  'prefillStartAt',
  'prefillEndAt',
  'joinedAt',
  'admission',
  'completedAt',
  'decodeSeconds',
  'decodedBeforeSeconds',
] as const;

/**
 * All requests that are somewhere in the system, structure of arrays. A request is a handle, an index into every
 * column; a finished request's handle is used again, so memory stays flat however long a run is.
 */
export class RequestTable {
  /** Slot of arrival. */
  slot: Int32Array = new Int32Array(0);
  /** Place among the slot's requests. */
  index: Int32Array = new Int32Array(0);
  /** Index of the user who issued it. */
  user: Int32Array = new Int32Array(0);
  /** Index of the server it was assigned to. */
  server: Int32Array = new Int32Array(0);
  inputTokens: Float64Array = new Float64Array(0);
  /** l, what the server runs. Token counts are doubles: a scenario may exceed 2³¹. */
  outputTokens: Float64Array = new Float64Array(0);
  /** l̂, known to schedulers and servers, at least 1. */
  predictedTokens: Float64Array = new Float64Array(0);
  /** Tokens generated before the last preemption: they are prefilled again with the input. 0: never preempted. */
  generatedTokens: Float64Array = new Float64Array(0);
  /** The number of its preemptions. */
  preemptions: Int32Array = new Int32Array(0);
  /** D_tx, s. */
  transmissionSeconds: Float64Array = new Float64Array(0);
  /** The time at which the batch's last request had been received, s: slot start + D_sy. */
  synchronisedAt: Float64Array = new Float64Array(0);
  prefillStartAt: Float64Array = new Float64Array(0);
  prefillEndAt: Float64Array = new Float64Array(0);
  /** The time at which the request last joined the running batch, s. */
  joinedAt: Float64Array = new Float64Array(0);
  /** Its place in the order in which the server admitted requests. */
  admission: Float64Array = new Float64Array(0);
  completedAt: Float64Array = new Float64Array(0);
  /** Sum of the iterations from joining to completion, s (static: to the batch's end); while it decodes, the server's clock at joining. */
  decodeSeconds: Float64Array = new Float64Array(0);
  /** Sum of the iterations before the last preemption, s; part of `decodeSeconds` once it has completed. */
  decodedBeforeSeconds: Float64Array = new Float64Array(0);

  private used: Uint8Array = new Uint8Array(0);
  private next = 0;
  private count = 0;

  constructor(capacity = 256) {
    this.grow(capacity);
  }

  get size(): number {
    return this.count;
  }

  /**
   * A handle for a new request that has not run: round and round, so that the requests of a slot lie next to each other in
   * memory. At most half of the handles are in use.
   */
  allocate(): number {
    if (2 * this.count >= this.slot.length) this.grow(Math.max(16, 2 * this.slot.length));
    while (this.used[this.next] === 1) this.next = this.next + 1 === this.used.length ? 0 : this.next + 1;
    const handle = this.next;
    this.used[handle] = 1;
    this.count++;
    this.generatedTokens[handle] = 0;
    this.preemptions[handle] = 0;
    this.decodedBeforeSeconds[handle] = 0;
    return handle;
  }

  /** Gives a handle back; its columns may be overwritten from now on. */
  release(handle: number): void {
    this.used[handle] = 0;
    this.count--;
  }

  clone(): RequestTable {
    const copy = new RequestTable(0);
    for (const name of INTEGERS) copy[name] = this[name].slice();
    for (const name of DOUBLES) copy[name] = this[name].slice();
    copy.used = this.used.slice();
    copy.next = this.next;
    copy.count = this.count;
    return copy;
  }

  /** Makes room while all handles are in use. */
  private grow(capacity: number): void {
    for (const name of INTEGERS) this[name] = resized(this[name], capacity);
    for (const name of DOUBLES) this[name] = resized(this[name], capacity);
    this.used = resized(this.used, capacity);
  }
}

/** A copy of a typed array with room for `capacity` entries. */
export function resized<A extends Int32Array | Float64Array | Uint8Array>(array: A, capacity: number): A {
  const copy = new (array.constructor as new (n: number) => A)(capacity);
  copy.set(array);
  return copy;
}
