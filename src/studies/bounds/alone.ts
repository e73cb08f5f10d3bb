import { decodeProfile, iterationSeconds } from '../../system/decode-profile';
import { prefillSeconds } from '../../system/waiting-queue';
import { type Episode, canHold } from './episode';

/**
 * Latency of each request if it were alone on each server, s, [N, S]; ∞ where the pool cannot hold it (III-B, III-C):
 *   β·l_in/R(B_s) + l_in/v_pre + Σ_{k=1..l_out} τ_s(l_in + k).
 *
 * No scheduler can do better on that server. With more requests on the band each one's rate falls, B/n·log(1 + c·n)
 * being decreasing in n, and the synchronisation waits for the slowest; a batch's prefill takes as long as all its
 * inputs; and the batch in which token k is made holds at least the request's own l_in + k, τ never falling in m.
 */
export function aloneSeconds(episode: Episode): Float64Array {
  const { servers, count, inputTokens, outputTokens, maxTokens, constants } = episode;
  const S = servers.length;
  const largest = inputTokens.reduce((most, input, n) => Math.max(most, input + outputTokens[n]), 0);
  const alone = new Float64Array(count * S).fill(Infinity);
  servers.forEach((server, s) => {
    const profile = decodeProfile(server.decodeProfile);
    // Σ_{c=1..n} τ_s(c) for n = 0, 1, …, the largest request.
    const upTo = new Float64Array(Math.min(largest, maxTokens[s]) + 1);
    for (let c = 1; c < upTo.length; c++)
      upTo[c] = upTo[c - 1] + iterationSeconds(profile, c * constants.kvBytesPerToken);
    for (let n = 0; n < count; n++) {
      if (!canHold(episode, n, s)) continue;
      const input = inputTokens[n];
      alone[n * S + s] =
        episode.transmissionSeconds(n, s, 1) +
        prefillSeconds(input, server.prefillTokensPerSecond) +
        (upTo[input + outputTokens[n]] - upTo[input]);
    }
  });
  return alone;
}

/** The least of each request's latencies alone, s, [N]. */
export function leastAlone(episode: Episode): Float64Array {
  const S = episode.servers.length;
  const alone = aloneSeconds(episode);
  return Float64Array.from({ length: episode.count }, (_, n) => Math.min(...alone.subarray(n * S, (n + 1) * S)));
}

/**
 * The simple lower bound on the mean latency of any scheduler: every request alone on its best server, s. NaN without
 * requests.
 */
export function aloneBound(episode: Episode): number {
  return leastAlone(episode).reduce((sum, seconds) => sum + seconds, 0) / episode.count;
}
