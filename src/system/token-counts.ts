import type { ServingConstants } from './scenario';

/** Token-iterations that a request asks of a KV cache: Σ_{k=1..l_out} (l_in + k). */
export function kvTokenIterations(inputTokens: number, outputTokens: number): number {
  return outputTokens * inputTokens + (outputTokens * (outputTokens + 1)) / 2;
}

/** The largest integer n with n·α ≤ capacity, in doubles. */
export function tokensThatFit(capacityBytes: number, kvBytesPerToken: number): number {
  let n = Math.floor(capacityBytes / kvBytesPerToken);
  if (n >= Number.MAX_SAFE_INTEGER) return Infinity;
  while (n * kvBytesPerToken > capacityBytes) n--;
  while ((n + 1) * kvBytesPerToken <= capacityBytes) n++;
  return n;
}

/**
 * The tokens by which a request is refused on arrival, if its server's pool holds fewer.
 * Note: a request that will outgrow the pool is admitted as long as its prediction fits, and is lost when it has
 * outgrown it. A prediction that is too long by itself refuses nothing: it is cut to the pool.
 */
export function tokensOnArrival(
  { admission }: Pick<ServingConstants, 'admission'>,
  inputTokens: number,
  outputTokens: number,
  predictedTokens: number,
): number {
  return inputTokens + (admission === 'true-length' ? outputTokens : Math.min(outputTokens, predictedTokens));
}
