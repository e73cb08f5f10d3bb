import { kilobytesToBytes } from '../../core/units';
import { createChannel, transmissionSeconds, uplinkRate } from '../../system/channel';
import type { SystemConfig } from '../../system/config';
import { serverSpecs } from '../../system/gpus';
import { Mobility } from '../../system/mobility';
import type { ServerSpec } from '../../system/scenario';
import type { ServingConstants } from '../../system/scenario';
import { tokensThatFit } from '../../system/token-counts';
import { type Workload, configuredWorkload, slotRequests } from '../../system/workload';

/**
 * An episode known beforehand: every request of its T slots with its true length and its links, and the servers. Bounds
 * are computed from it; no scheduler sees it. Requests that no server can ever hold are left out, as the environment
 * refuses them.
 */
export interface Episode {
  readonly config: SystemConfig;
  readonly servers: readonly ServerSpec[];
  readonly constants: ServingConstants;
  /** Tokens that each KV pool holds, [S]. */
  readonly maxTokens: Float64Array;
  /** N, requests of all slots. */
  readonly count: number;
  /** First request of each slot; the last entry is N, [T + 1]. */
  readonly firstOfSlot: Int32Array;
  /** Slot of arrival, [N]; rising. */
  readonly slot: Int32Array;
  /** l_in, tokens, [N]. */
  readonly inputTokens: Float64Array;
  /** l_out, tokens, [N]. */
  readonly outputTokens: Float64Array;
  /** D_tx of request n on server s when s receives `requestsOnServer` of the slot's requests, s (III-B). */
  transmissionSeconds(n: number, s: number, requestsOnServer: number): number;
}

/**
 * Reads an episode without running it: the same requests, users and links as `simulate` with this seed meets.
 *
 * @param workload default: the configuration's, synthetic or of its `lengthsFile`.
 */
export function readEpisode(config: SystemConfig, seed: number, workload?: Workload): Episode {
  const source = configuredWorkload(config, seed, workload);
  const channel = createChannel(config, seed);
  const mobility = new Mobility(config, seed);
  const servers = serverSpecs(config);
  const constants: ServingConstants = { ...config, kvBytesPerToken: kilobytesToBytes(config.kvKilobytesPerToken) };
  const maxTokens = Float64Array.from(servers, (spec) =>
    tokensThatFit(spec.kvCapacityBytes, constants.kvBytesPerToken),
  );
  const largestPool = Math.max(...maxTokens);
  const { slots, bitsPerToken } = config;

  const requests = slotRequests(source.maxRequestsPerSlot);
  const firstOfSlot = new Int32Array(slots + 1);
  const slot: number[] = [];
  const inputTokens: number[] = [];
  const outputTokens: number[] = [];
  const powers: number[] = [];
  const gains: number[] = [];
  for (let t = 0; t < slots; t++) {
    if (t > 0) mobility.advance(t);
    source.fill(t, requests);
    for (let i = 0; i < requests.count; i++) {
      if (requests.inputTokens[i] + requests.outputTokens[i] > largestPool) continue;
      const user = requests.user[i];
      slot.push(t);
      inputTokens.push(requests.inputTokens[i]);
      outputTokens.push(requests.outputTokens[i]);
      powers.push(channel.powerW[user]);
      for (let s = 0; s < servers.length; s++) gains.push(channel.gain(t, user, s, mobility.x[user], mobility.y[user]));
    }
    firstOfSlot[t + 1] = slot.length;
  }
  return {
    config,
    servers,
    constants,
    maxTokens,
    count: slot.length,
    firstOfSlot,
    slot: Int32Array.from(slot),
    inputTokens: Float64Array.from(inputTokens),
    outputTokens: Float64Array.from(outputTokens),
    transmissionSeconds(n, s, requestsOnServer): number {
      const gain = gains[n * servers.length + s];
      const rate = uplinkRate(channel.bandwidthHz[s], requestsOnServer, powers[n], gain, channel.noiseWPerHz);
      return transmissionSeconds(bitsPerToken, inputTokens[n], rate);
    },
  };
}

/** Whether server s can ever hold request n. */
export function canHold({ inputTokens, outputTokens, maxTokens }: Episode, n: number, s: number): boolean {
  return inputTokens[n] + outputTokens[n] <= maxTokens[s];
}
