import { hashLabel } from '../core/rng';
import { simulate } from '../env/simulate';
import type { RunMetrics } from '../env/metrics';
import type { SystemConfig } from '../system/config';
import type { Draws } from './draws';
import type { DecisionOptions } from './method';
import type { Policy } from './policy';
import { policyScheduler } from './policy-scheduler';
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
  const runs = (draws: Draws): RunMetrics[] =>
    Array.from({ length: heldOutEpisodes }, (_, k) =>
      simulate(
        place,
        (_config, rng) => policyScheduler(policy, rng, { draws }),
        hashLabel(seed, `held out while training ${String(k)}`),
        decision,
      ),
    );
  const mean = (of: RunMetrics[], field: 'meanLatency' | 'p99Latency' | 'deviation' | 'highKvPercent'): number =>
    of.reduce((sum, run) => sum + run[field] / of.length, 0);
  const [independent, stratified] = [runs('independent'), runs('stratified')];
  return {
    heldOutLatency: mean(independent, 'meanLatency'),
    heldOutP99Latency: mean(independent, 'p99Latency'),
    heldOutDeviation: mean(independent, 'deviation'),
    heldOutHighKvPercent: mean(independent, 'highKvPercent'),
    heldOutStratifiedLatency: mean(stratified, 'meanLatency'),
    heldOutStratifiedP99Latency: mean(stratified, 'p99Latency'),
    heldOutStratifiedDeviation: mean(stratified, 'deviation'),
    heldOutStratifiedHighKvPercent: mean(stratified, 'highKvPercent'),
  };
}
