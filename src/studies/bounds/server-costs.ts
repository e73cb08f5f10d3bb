import { invalid } from '../../core/errors';
import { replay } from '../../system/replay';
import type { Episode } from './episode';

/** Requests that a set, a number's bits, has room for. */
const MOST_REQUESTS = 24;

/** The outcome of the requests that are sent to a server. */
export interface ServerCost {
  /** Σ D_tot of the requests, if nothing else comes, s; ∞ when the pool can never hold one of them. */
  readonly seconds: number;
  /** η_s(t), [T]. */
  readonly eta: Float64Array;
}

/**
 * The outcome of each set of an episode's requests on each server, replayed when first asked for. Servers share nothing
 * once requests are assigned, the band and the prefill are each server's own, so that an episode's Σ D_tot is the sum
 * over servers: S·2^N runs give the outcomes of S^N assignments.
 *
 * A set is a number: bit n stands for request n of the episode.
 */
export class ServerCosts {
  private readonly known: readonly Map<number, ServerCost>[];

  /** @throws UserError when the episode has more than 24 requests. */
  constructor(readonly episode: Episode) {
    if (episode.count > MOST_REQUESTS)
      throw invalid('requests of the episode', episode.count, `at most ${MOST_REQUESTS}: fewer users or slots`);
    this.known = episode.servers.map(() => new Map<number, ServerCost>());
  }

  of(s: number, set: number): ServerCost {
    const cost = this.known[s].get(set) ?? this.run(s, set);
    this.known[s].set(set, cost);
    return cost;
  }

  /** Server s alone, and the drain. */
  private run(s: number, set: number): ServerCost {
    const { servers, constants, config, slot, inputTokens, outputTokens } = this.episode;
    const server = servers[s];
    const sent = Array.from(slot.keys()).filter((n) => ((set >> n) & 1) === 1);
    const slots = Array.from({ length: config.slots }, (_, t) => {
      const inSlot = sent.filter((n) => slot[n] === t);
      const requests = inSlot.map((n) => ({
        id: String(n),
        server: server.name,
        inputTokens: inputTokens[n],
        outputTokens: outputTokens[n],
        transmissionSeconds: this.episode.transmissionSeconds(n, s, inSlot.length),
      }));
      return { requests };
    });
    const played = replay({ ...constants, oversized: 'reject', servers: [server], slots });
    return {
      seconds: played.requests.reduce((sum, request) => sum + ('total' in request ? request.total : Infinity), 0),
      eta: Float64Array.from(slots, (_, t) => played.servers[0].slots[t].eta),
    };
  }
}
