import { invalid } from '../../core/errors';
import { replay } from '../../system/replay';
import type { Episode } from './episode';

/** Requests that a set, a number's bits, has room for. */
const MOST_REQUESTS = 24;

/** The outcome of the requests that are sent to a server. */
export interface ServerCost {
  /** Σ D_tot of the requests, s; ∞ when the pool can never hold one of them. */
  readonly seconds: number;
  /** η_s(t), [T]. */
  readonly eta: readonly number[];
}

/**
 * The outcome of each set of an episode's requests on each server, replayed when first asked for. Servers share nothing
 * once requests are assigned, the band and the prefill are each server's own, so that an episode's Σ D_tot is the sum
 * over servers: S·2^N runs give the outcomes of S^N assignments.
 */
export class ServerCosts {
  /** By set: bit n of the number stands for request n of the episode. */
  private readonly known: readonly Map<number, ServerCost>[];

  /** @throws UserError when the episode has more than 24 requests. */
  constructor(readonly episode: Episode) {
    const { length } = episode.requests;
    if (length > MOST_REQUESTS)
      throw invalid('requests of the episode', length, `at most ${MOST_REQUESTS}: fewer users or slots`);
    this.known = episode.servers.map(() => new Map());
  }

  /**
   * The outcome of every server, [S].
   *
   * @param assigned servers of the first requests; nothing else comes.
   */
  of(assigned: readonly number[]): ServerCost[] {
    const sets = this.known.map(() => 0);
    assigned.forEach((s, n) => (sets[s] |= 1 << n));
    return sets.map((set, s) => {
      const cost = this.known[s].get(set) ?? this.run(s, set);
      this.known[s].set(set, cost);
      return cost;
    });
  }

  /** Server s alone, and the drain. */
  private run(s: number, set: number): ServerCost {
    const { servers, constants, config, requests } = this.episode;
    const sent = [...requests.entries()].filter(([n]) => ((set >> n) & 1) === 1);
    const slots = Array.from({ length: config.slots }, (_, t) => {
      const inSlot = sent.filter(([, { slot }]) => slot === t);
      return {
        requests: inSlot.map(([n, request]) => ({
          id: String(n),
          server: servers[s].name,
          inputTokens: request.inputTokens,
          outputTokens: request.outputTokens,
          transmissionSeconds: request.transmissionSeconds(s, inSlot.length),
        })),
      };
    });
    const played = replay({ ...constants, oversized: 'reject', servers: [servers[s]], slots });
    return {
      seconds: played.requests.reduce((sum, request) => sum + ('total' in request ? request.total : Infinity), 0),
      eta: played.servers[0].slots.slice(0, config.slots).map(({ eta }) => eta),
    };
  }
}
