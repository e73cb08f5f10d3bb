import { UserError, invalid } from '../core/errors';
import type { SystemConfig } from '../system/config';
import { tokensOnArrival } from '../system/token-counts';
import type { SlotRequests } from '../system/workload';

/**
 * Takes out the requests of a slot that every server would refuse and cuts the predictions of the others to the largest
 * pool.
 *
 * @param largestPool tokens.
 * @returns the number of requests taken out, and the predicted size of the largest that is left, tokens.
 * @throws UserError for a user outside 0..U−1, a prediction below 1 or, where the configuration says so, a request larger than all pools.
 */
export function admitArrivals(
  requests: SlotRequests,
  slot: number,
  config: SystemConfig,
  largestPool: number,
): { oversized: number; largest: number } {
  const { count, user, inputTokens, outputTokens, predictedTokens } = requests;
  let kept = 0;
  let largest = 0;
  for (let i = 0; i < count; i++) {
    const input = inputTokens[i];
    const output = outputTokens[i];
    const where = (): string => `slot ${String(slot)}, request ${String(i)}: `;
    if (!(user[i] >= 0 && user[i] < config.users))
      throw invalid(
        `${where()}user`,
        user[i],
        `an index of the ${String(config.users)} users, 0 to ${String(config.users - 1)}`,
      );
    // Slot T's requests are only looked at, they never arrive.
    if (input + output > largestPool && config.oversized === 'error' && slot < config.slots)
      throw new UserError(
        `${where()}inputTokens + outputTokens is ${String(input + output)}; allowed: at most ${String(largestPool)}, the largest KV pool (or set oversized to "reject")`,
      );
    const given = predictedTokens[i];
    if (given < 1) throw invalid(`${where()}predictedTokens`, given, 'an integer from 1 to 2147483647');
    if (tokensOnArrival(config, input, output, given) > largestPool) continue;
    user[kept] = user[i];
    inputTokens[kept] = input;
    outputTokens[kept] = output;
    // A prediction longer than every pool stays so, beside an input.
    predictedTokens[kept] = Math.min(given, largestPool);
    largest = Math.max(largest, input + predictedTokens[kept]);
    kept++;
  }
  requests.count = kept;
  return { oversized: count - kept, largest };
}
