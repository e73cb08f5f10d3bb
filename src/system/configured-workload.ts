import type { SystemConfig } from './config';
import { lengthPairs } from './trace';
import { traceWorkload } from './trace-workload';
import { type Workload, syntheticWorkload, withPredictionError } from './workload';

/**
 * The workload of a run, with the prediction error of its configuration.
 *
 * @param given the true requests. Default: one per user and slot, of the synthetic lengths or of the pairs of a file.
 */
export function configuredWorkload(config: SystemConfig, seed: number, given?: Workload): Workload {
  const truth = given ?? ownWorkload(config, seed);
  return config.predictionError === 'none' ? truth : withPredictionError(truth, config.predictionSigma, seed);
}

function ownWorkload(config: SystemConfig, seed: number): Workload {
  const { lengthsFile } = config;
  if (lengthsFile === undefined) return syntheticWorkload(config, seed);
  return traceWorkload(lengthPairs(lengthsFile), { ...config, load: { kind: 'per-user' }, seed });
}
