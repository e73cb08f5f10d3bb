import { createChannel, transmissionSeconds, uplinkRate } from '../../system/channel';
import { kilobytesToBytes } from '../../core/units';
import type { SystemConfig } from '../../system/config';
import { serverSpecs } from '../../system/gpus';
import { Mobility } from '../../system/mobility';
import type { ServerSpec, ServingConstants } from '../../system/scenario';
import { tokensThatFit } from '../../system/token-counts';
import { configuredWorkload, slotRequests } from '../../system/workload';

/** A request of an episode with its true length and its links. */
export interface EpisodeRequest {
  /** Slot of arrival. */
  readonly slot: number;
  /** l_in and l_out, tokens. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** D_tx on server s when s receives `requestsOnServer` of the slot's requests, s (III-B). */
  transmissionSeconds(s: number, requestsOnServer: number): number;
}

/** An episode known beforehand, and the servers. Bounds are computed from it; no scheduler sees it. */
export interface Episode {
  readonly config: SystemConfig;
  readonly servers: readonly ServerSpec[];
  readonly constants: ServingConstants;
  /** Tokens that each KV pool holds, [S]. */
  readonly maxTokens: readonly number[];
  /** Slot by slot, without those that no server can ever hold, as the environment refuses them, [N]. */
  readonly requests: readonly EpisodeRequest[];
}

/** Reads an episode without running it: the same requests, users and links as `simulate` with this seed meets. */
export function readEpisode(config: SystemConfig, seed: number): Episode {
  const workload = configuredWorkload(config, seed);
  const channel = createChannel(config, seed);
  const mobility = new Mobility(config, seed);
  const servers = serverSpecs(config);
  const constants = { ...config, kvBytesPerToken: kilobytesToBytes(config.kvKilobytesPerToken) };
  const maxTokens = servers.map(({ kvCapacityBytes }) => tokensThatFit(kvCapacityBytes, constants.kvBytesPerToken));
  const requests: EpisodeRequest[] = [];
  const drawn = slotRequests(workload.maxRequestsPerSlot);
  for (let slot = 0; slot < config.slots; slot++) {
    if (slot > 0) mobility.advance(slot);
    workload.fill(slot, drawn);
    for (let i = 0; i < drawn.count; i++) {
      const [user, inputTokens, outputTokens] = [drawn.user[i], drawn.inputTokens[i], drawn.outputTokens[i]];
      if (maxTokens.every((most) => inputTokens + outputTokens > most)) continue;
      const gains = servers.map((_, s) => channel.gain(slot, user, s, mobility.x[user], mobility.y[user]));
      const seconds = (s: number, requestsOnServer: number): number => {
        const { bandwidthHz, powerW, noiseWPerHz } = channel;
        const rate = uplinkRate(bandwidthHz[s], requestsOnServer, powerW[user], gains[s], noiseWPerHz);
        return transmissionSeconds(config.bitsPerToken, inputTokens, rate);
      };
      requests.push({ slot, inputTokens, outputTokens, transmissionSeconds: seconds });
    }
  }
  return { config, servers, constants, maxTokens, requests };
}

/** Whether server s can ever hold a request. */
export function canHold({ maxTokens }: Episode, { inputTokens, outputTokens }: EpisodeRequest, s: number): boolean {
  return inputTokens + outputTokens <= maxTokens[s];
}

/** Σ_{c=1..n} of(c) for n = 0, 1, …, the largest request, [n + 1]. */
export function sumsOverTokens({ requests }: Episode, of: (c: number) => number): Float64Array {
  const largest = requests.reduce((most, request) => Math.max(most, request.inputTokens + request.outputTokens), 0);
  const upTo = new Float64Array(largest + 1);
  for (let c = 1; c <= largest; c++) upTo[c] = upTo[c - 1] + of(c);
  return upTo;
}
