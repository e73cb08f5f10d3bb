import { uniformAt, hashLabel } from '../core/rng';
import type { SystemConfig } from './config';
import { logNormalTokens } from './lengths';
import { lengthPairs } from './trace';
import { traceWorkload } from './trace-workload';

/** The requests of one slot, structure of arrays; entries 0..count−1 are valid. */
export interface SlotRequests {
  count: number;
  /** Index of the issuing user, 0..U−1. */
  user: Int32Array;
  /** l_in, tokens. */
  inputTokens: Int32Array;
  /** l_out that the server will run, tokens. A scheduler never sees it. */
  outputTokens: Int32Array;
  /** l̂_out that schedulers and servers know, tokens, at least 1. */
  predictedTokens: Int32Array;
}

/**
 * A source of requests. A workload has no position: `fill` may be called for any slot in any order and gives the
 * same requests, so that a forked environment meets the same future.
 */
export interface Workload {
  readonly maxRequestsPerSlot: number;
  fill(slot: number, out: SlotRequests): void;
}

/** Empty arrays for up to `capacity` requests. */
export function slotRequests(capacity: number): SlotRequests {
  const column = (): Int32Array => new Int32Array(capacity);
  return { count: 0, user: column(), inputTokens: column(), outputTokens: column(), predictedTokens: column() };
}

/**
 * The workload of a run, with the prediction error of its configuration.
 *
 * @param given the true requests. Default: one per user and slot, of the synthetic lengths or of the pairs of a file.
 */
export function configuredWorkload(config: SystemConfig, seed: number, given?: Workload): Workload {
  const { lengthsFile, predictionError, predictionSigma } = config;
  const truth =
    given ??
    (lengthsFile === undefined
      ? syntheticWorkload(config, seed)
      : traceWorkload(lengthPairs(lengthsFile), { ...config, load: { kind: 'per-user' }, seed }));
  return predictionError === 'none' ? truth : withPredictionError(truth, predictionSigma, seed);
}

/**
 * Section III-A: every user issues one request at the start of every slot. Lengths are log-normal with the given
 * means, independent of each other, rounded and at least 1.
 * Note: the paper draws from LMSYS-Chat-1M, which is gated; only the means are printed.
 *
 * @throws UserError when no lengths in whole tokens have the means.
 */
export function syntheticWorkload(
  config: Pick<SystemConfig, 'users' | 'meanInputTokens' | 'meanOutputTokens' | 'sigmaInput' | 'sigmaOutput'>,
  seed: number,
): Workload {
  const key = hashLabel(seed, 'lengths');
  const { users, meanInputTokens, meanOutputTokens } = config;
  const inputTokens = logNormalTokens('meanInputTokens', meanInputTokens, config.sigmaInput);
  const outputTokens = logNormalTokens('meanOutputTokens', meanOutputTokens, config.sigmaOutput);
  return {
    maxRequestsPerSlot: users,
    fill(slot, out): void {
      out.count = users;
      for (let u = 0; u < users; u++) {
        const output = outputTokens(uniformAt(key, slot, u, 1));
        out.user[u] = u;
        out.inputTokens[u] = inputTokens(uniformAt(key, slot, u, 0));
        out.outputTokens[u] = output;
        out.predictedTokens[u] = output;
      }
    },
  };
}

/** The largest number that the array of predictions holds, tokens. */
const LONGEST_PREDICTION = 2 ** 31 - 1;

/**
 * Length prediction error: schedulers and servers know l̂ = l·exp(σ·n), while the server runs l. A prediction is kept
 * within 1 and 2^31 − 1 tokens; the environment cuts it further, to the largest KV pool.
 */
export function withPredictionError(workload: Workload, sigma: number, seed: number): Workload {
  const key = hashLabel(seed, 'prediction-error');
  return {
    maxRequestsPerSlot: workload.maxRequestsPerSlot,
    fill(slot, out): void {
      workload.fill(slot, out);
      for (let i = 0; i < out.count; i++) {
        const radius = Math.sqrt(-2 * Math.log(uniformAt(key, slot, i, 0)));
        const noise = radius * Math.cos(2 * Math.PI * uniformAt(key, slot, i, 1));
        const predicted = Math.round(out.outputTokens[i] * Math.exp(sigma * noise));
        out.predictedTokens[i] = Math.min(LONGEST_PREDICTION, Math.max(1, predicted));
      }
    },
  };
}
