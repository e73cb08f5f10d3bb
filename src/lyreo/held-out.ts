import { hashLabel } from '../core/rng';
import { simulate } from '../env/simulate';
import type { SystemConfig } from '../system/config';
import type { DecisionOptions } from './method';
import { type Policy, policyScheduler } from './policy';
import type { TrainingConfig } from './training-config';

/** Means over the held-out episodes after an update, drawn independently and stratified. */
export interface HeldOutLog {
  /** Mean D_tot, s. */
  readonly heldOutLatency: number;
  readonly heldOutP99Latency: number;
  /** Mean Y of η. */
  readonly heldOutDeviation: number;
  readonly heldOutHighKvPercent: number;
  readonly heldOutStratifiedLatency: number;
  readonly heldOutStratifiedP99Latency: number;
  readonly heldOutStratifiedDeviation: number;
  readonly heldOutStratifiedHighKvPercent: number;
}

const measures = [
  ['Latency', 'meanLatency'],
  ['P99Latency', 'p99Latency'],
  ['Deviation', 'deviation'],
  ['HighKvPercent', 'highKvPercent'],
] as const;

/**
 * Evaluates a policy on the held-out episodes of a training. They are functions of the seed alone, so that all updates
 * of all methods meet the same ones.
 *
 * @param seed the training's.
 */
export function evaluateHeldOut(
  config: SystemConfig,
  policy: Policy,
  decision: DecisionOptions,
  { heldOutEpisodes, heldOutSlots }: Pick<TrainingConfig, 'heldOutEpisodes' | 'heldOutSlots'>,
  seed: number,
): HeldOutLog {
  const place = { ...config, slots: heldOutSlots };
  const entries = (['independent', 'stratified'] as const).flatMap((draws) => {
    const runs = Array.from({ length: heldOutEpisodes }, (_, k) =>
      simulate(
        place,
        (_config, rng) => policyScheduler(policy, rng, draws),
        hashLabel(seed, `held out while training ${k}`),
        decision,
      ),
    );
    const name = draws === 'independent' ? 'heldOut' : 'heldOutStratified';
    return measures.map(([measure, field]) => [
      `${name}${measure}`,
      runs.reduce((sum, run) => sum + run[field] / heldOutEpisodes, 0),
    ]);
  });
  return Object.fromEntries(entries) as HeldOutLog;
}
