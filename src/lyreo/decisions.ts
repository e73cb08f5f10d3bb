import { logSoftmax } from '../nn/categorical';
import type { Policy } from './policy';
import type { Rollout } from './rollout';

/**
 * The importance ratios of IV-B3 after an update: ρ(θ) = π_θ(a | s)/π_old(a | s) of every request of a rollout.
 *
 * @param policy as it is now; the rollout has the probabilities under which it was played.
 * @returns [T·U].
 */
export function decisionRatios(policy: Policy, rollout: Rollout): Float64Array {
  const { slots: T, requests: U, servers: S, shared, rows } = rollout;
  const logProbs = policy.net.predict({ groups: T, rowsPerGroup: U, shared, rows }).map((x, k) => x + rollout.prior[k]);
  logSoftmax(logProbs, S, logProbs);
  return Float64Array.from({ length: T * U }, (_, d) =>
    Math.exp(logProbs[d * S + rollout.actions[d]] - rollout.logProbs[d]),
  );
}
