/** Receives every decode iteration of a server: the intermediate KV trajectory m_s(k, t), III-D. */
export interface IterationRecorder {
  /**
   * @param server index of the server.
   * @param slot the slot in which the iteration starts.
   * @param k number of the iteration within the slot, from 1.
   * @param startsAt s.
   * @param seconds length τ_s(k, t).
   * @param tokens tokens held, the one being made included; times α they are bytes.
   * @param active requests in the batch; in static batching with the finished ones that are still held.
   * @param prefillRuns I(k): whether a prefill runs on the server when the iteration starts.
   */
  record(
    server: number,
    slot: number,
    k: number,
    startsAt: number,
    seconds: number,
    tokens: number,
    active: number,
    prefillRuns: boolean,
  ): void;
  /**
   * Receives the stays in the running batch that end with a preemption.
   *
   * @param slot slot of the request's arrival.
   * @param index place among that slot's requests.
   * @param joinedAt when the stay began, s.
   * @param endedAt when it ended, s.
   */
  preempted?(slot: number, index: number, joinedAt: number, endedAt: number): void;
}
