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
   */
  record(
    server: number,
    slot: number,
    k: number,
    startsAt: number,
    seconds: number,
    tokens: number,
    active: number,
  ): void;
}
