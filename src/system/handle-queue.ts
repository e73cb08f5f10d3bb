import { resized } from './request-table';

/** First in, first out, of request handles. */
export class HandleQueue {
  length = 0;
  private handles: Int32Array = new Int32Array(32);
  private first = 0;

  push(handle: number): void {
    if (this.first + this.length === this.handles.length) {
      if (2 * this.length > this.handles.length) this.handles = resized(this.handles, 2 * this.handles.length);
      this.handles.copyWithin(0, this.first, this.first + this.length);
      this.first = 0;
    }
    this.handles[this.first + this.length++] = handle;
  }

  at(i: number): number {
    return this.handles[this.first + i];
  }

  shift(): number {
    const handle = this.handles[this.first];
    this.length--;
    this.first = this.length === 0 ? 0 : this.first + 1;
    return handle;
  }

  /** The i-th oldest becomes the oldest. */
  moveToFront(i: number): void {
    const { handles, first } = this;
    const handle = handles[first + i];
    handles.copyWithin(first + 1, first, first + i);
    handles[first] = handle;
  }

  clear(): void {
    this.length = 0;
    this.first = 0;
  }

  clone(): HandleQueue {
    const copy = new HandleQueue();
    Object.assign(copy, this, { handles: this.handles.slice() });
    return copy;
  }
}

/** The handles of requests that have left their servers, in order. */
export interface Departures {
  readonly completed: HandleQueue;
  /** Requests that outgrew the whole pool. */
  readonly lost: HandleQueue;
}
