/** One decode iteration: a point of the intermediate KV trajectory m_s(k, t), III-D. */
export interface Iteration {
  readonly server: number;
  /** The slot in which it starts. */
  readonly slot: number;
  /** Number within the slot, from 1. */
  readonly k: number;
  /** s. */
  readonly startsAt: number;
  /** τ_s(k, t), s. */
  readonly seconds: number;
  /** m_s(k, t), the tokens being made included, bytes. */
  readonly kvBytes: number;
  /** Requests in the batch; in static batching with the finished ones that are still held. */
  readonly active: number;
  /** I(k): whether a prefill runs on the server when the iteration starts. */
  readonly prefillRuns: boolean;
}

/** Receives every decode iteration of the servers. */
export interface IterationRecorder {
  record(iteration: Iteration): void;
  /** Receives the stays in the running batch that end with a preemption: of a slot's request, from joinedAt to endedAt, s. */
  preempted?(slot: number, index: number, joinedAt: number, endedAt: number): void;
}
