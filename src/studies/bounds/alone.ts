import { mean } from '../../core/statistics';
import { decodeProfile, iterationSeconds } from '../../system/decode-profile';
import { prefillSeconds } from '../../system/waiting-queue';
import { type Episode, canHold, sumsOverTokens } from './episode';

/**
 * Latency of each request if it were alone on each server, s, [N][S]; ∞ where the pool cannot hold it (III-B, III-C):
 *   β·l_in/R(B_s) + l_in/v_pre + Σ_{k=1..l_out} τ_s(l_in + k).
 *
 * No scheduler can do better on that server. With more requests on the band each one's rate falls, B/n·log(1 + c·n)
 * being decreasing in n, and the synchronisation waits for the slowest; a batch's prefill takes as long as all its
 * inputs; and the batch in which token k is made holds at least the request's own l_in + k, τ never falling in m.
 */
export function aloneSeconds(episode: Episode): number[][] {
  const servers = episode.servers.map(({ decodeProfile: points, prefillTokensPerSecond }) => {
    const profile = decodeProfile(points);
    const upTo = sumsOverTokens(episode, (c) => iterationSeconds(profile, c * episode.constants.kvBytesPerToken));
    return { upTo, prefillTokensPerSecond };
  });
  return episode.requests.map((request) => {
    const { inputTokens: input, outputTokens: output } = request;
    return servers.map(({ upTo, prefillTokensPerSecond }, s) =>
      canHold(episode, request, s)
        ? request.transmissionSeconds(s, 1) +
          prefillSeconds(input, prefillTokensPerSecond) +
          (upTo[input + output] - upTo[input])
        : Infinity,
    );
  });
}

/** The least of each request's latencies alone, s, [N]. */
export function leastAlone(episode: Episode): number[] {
  return aloneSeconds(episode).map((seconds) => Math.min(...seconds));
}

/**
 * The simple lower bound on the mean latency of any scheduler: every request alone on its best server, s. NaN without
 * requests.
 */
export function aloneBound(episode: Episode): number {
  return mean(leastAlone(episode));
}
