import { invalid } from '../../core/errors';
import { Serving } from '../../system/serving';
import { RequestTable } from '../../system/request-table';
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
  private readonly handles: Int32Array = new Int32Array(MOST_REQUESTS);

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
    const { episode, handles } = this;
    const { servers, constants, config, firstOfSlot, inputTokens, outputTokens } = episode;
    const serving = new Serving([servers[s]], constants);
    serving.table = new RequestTable(MOST_REQUESTS);
    const { table } = serving;
    // M_s·Δ in token-seconds, of which η is a share.
    const tokenSeconds = (servers[s].kvCapacityBytes / constants.kvBytesPerToken) * constants.slotSeconds;
    const eta = new Float64Array(config.slots);
    let seconds = 0;
    const collect = (): void => {
      for (let k = 0; k < serving.completed.length; k++) {
        const handle = serving.completed.at(k);
        seconds += table.completedAt[handle] - table.slot[handle] * config.slotSeconds;
        table.release(handle);
      }
    };
    for (let t = 0; t < config.slots; t++) {
      let count = 0;
      for (let n = firstOfSlot[t]; n < firstOfSlot[t + 1]; n++) {
        if (((set >> n) & 1) === 0) continue;
        if (!canHold(episode, n, s)) return { seconds: Infinity, eta };
        const handle = table.allocate();
        table.slot[handle] = t;
        table.index[handle] = n;
        table.server[handle] = 0;
        table.inputTokens[handle] = inputTokens[n];
        table.outputTokens[handle] = outputTokens[n];
        table.predictedTokens[handle] = outputTokens[n];
        handles[count++] = handle;
      }
      for (let k = 0; k < count; k++)
        table.transmissionSeconds[handles[k]] = episode.transmissionSeconds(table.index[handles[k]], s, count);
      serving.submit(handles, count, t * config.slotSeconds);
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
