import { UserError, invalid } from '../core/errors';
import type { SystemConfig } from '../system/config';
import { tokensOnArrival } from '../system/token-counts';
import type { SlotRequests } from '../system/workload';

/**
 * Takes out the requests of a slot that every server would refuse and cuts the predictions of the others to the largest
 * pool, tokens.
 *
 * @returns the requests that arrived, those taken out, and the predicted size of the largest that is left, tokens.
 * @throws UserError for a user outside 0..U−1, a prediction below 1 or, where the configuration says so, a request larger than all pools.
 */
export function admitArrivals(
  requests: SlotRequests,
  slot: number,
  config: SystemConfig,
  largestPool: number,
): { arrived: number; rejected: number; largest: number } {
  const { count: arrived, user, inputTokens, outputTokens, predictedTokens } = requests;
  let kept = 0;
  let largest = 0;
  for (let i = 0; i < arrived; i++) {
    const input = inputTokens[i];
    const output = outputTokens[i];
    const predicted = predictedTokens[i];
    const where = (): string => `slot ${slot}, request ${i}: `;
    if (!(user[i] >= 0 && user[i] < config.users))
      throw invalid(`${where()}user`, user[i], `an index of the ${config.users} users, 0 to ${config.users - 1}`);
    // Slot T's requests are only looked at, they never arrive.
    if (input + output > largestPool && config.oversized === 'error' && slot < config.slots)
      throw new UserError(
        `${where()}inputTokens + outputTokens is ${input + output}; allowed: at most ${largestPool}, the largest KV pool (or set oversized to "reject")`,
      );
    if (predicted < 1) throw invalid(`${where()}predictedTokens`, predicted, 'an integer from 1 to 2147483647');
    if (tokensOnArrival(config, input, output, predicted) > largestPool) continue;
    user[kept] = user[i];
    inputTokens[kept] = input;
    outputTokens[kept] = output;
    // A prediction longer than every pool stays so, beside an input.
    predictedTokens[kept] = Math.min(predicted, largestPool);
    largest = Math.max(largest, input + predictedTokens[kept]);
    kept++;
  }
  requests.count = kept;
  return { arrived, rejected: arrived - kept, largest };
}
