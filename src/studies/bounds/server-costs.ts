import { invalid } from '../../core/errors';
import { RequestTable } from '../../system/request-table';
import { Serving } from '../../system/serving';
import { type Episode, canHold } from './episode';

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
 * The outcome of each set of an episode's requests on each server, computed with the serving engine when first asked
 * for. Servers share nothing once requests are assigned, the band and the prefill are each server's own, so that an
 * episode's Σ D_tot is the sum over servers: S·2^N runs give the outcomes of S^N assignments.
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

  /** Server s alone, slot by slot as the environment does it, then the drain. */
  private run(s: number, set: number): ServerCost {
    const { episode } = this;
    const { servers, constants, config, firstOfSlot, inputTokens, outputTokens } = episode;
    const table = new RequestTable(MOST_REQUESTS);
    const serving = new Serving([servers[s]], constants, table);
    // M_s·Δ in token-seconds, of which η is a share.
    const tokenSeconds = (servers[s].kvCapacityBytes / constants.kvBytesPerToken) * constants.slotSeconds;
    const eta = new Float64Array(config.slots);
    let seconds = 0;
    const collect = (): void => {
      for (const handle of serving.completed) {
        seconds += table.completedAt[handle] - table.slot[handle] * config.slotSeconds;
        table.release(handle);
      }
    };
    for (let t = 0; t < config.slots; t++) {
      const sent: number[] = [];
      for (let n = firstOfSlot[t]; n < firstOfSlot[t + 1]; n++) {
        if (((set >> n) & 1) === 0) continue;
        if (!canHold(episode, n, s)) return { seconds: Infinity, eta };
        sent.push(n);
      }
      for (const n of sent) {
        const transmission = episode.transmissionSeconds(n, s, sent.length);
        const tokens = { inputTokens: inputTokens[n], outputTokens: outputTokens[n], predictedTokens: outputTokens[n] };
        serving.submit({ slot: t, index: n, user: 0, server: 0, ...tokens, transmission });
      }
      serving.runSlot(t);
      eta[t] = serving.servers[0].slotTokenSeconds / tokenSeconds;
      collect();
    }
    for (let slot = serving.nextBusySlot(); slot < Infinity; slot = serving.nextBusySlot()) {
      serving.runSlot(slot);
      collect();
    }
    return { seconds, eta };
  }
}
