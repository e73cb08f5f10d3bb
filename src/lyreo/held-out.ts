import { hashLabel } from '../core/rng';
import { simulate } from '../env/simulate';
import type { SystemConfig } from '../system/config';
import type { DecisionOptions } from './method';
import { type Policy, policyScheduler } from './policy';
import type { TrainingConfig } from './training-config';

const measures = {
  Latency: 'meanLatency',
  P99Latency: 'p99Latency',
  Deviation: 'deviation',
  HighKvPercent: 'highKvPercent',
} as const;

/** Means over the held-out episodes after an update, drawn independently and stratified: of D_tot, s, of Y of η, …. */
export type HeldOutLog = Readonly<
  Record<`heldOut${'' | 'Stratified'}${'Latency' | 'P99Latency' | 'Deviation' | 'HighKvPercent'}`, number>
>;

/**
 * Evaluates a policy on the held-out episodes of a training. They are functions of the training's seed alone, so that
 * all updates of all methods meet the same ones.
 */
export function evaluateHeldOut(
  config: SystemConfig,
  policy: Policy,
  decision: DecisionOptions,
  { heldOutEpisodes, heldOutSlots }: TrainingConfig,
  seed: number,
): HeldOutLog {
  const place = { ...config, slots: heldOutSlots };
  const entries = (['independent', 'stratified'] as const).flatMap((draws) => {
    const runs = Array.from({ length: heldOutEpisodes }, (_, k) => {
      const episode = hashLabel(seed, `held out while training ${k}`);
      return simulate(place, (_config, rng) => policyScheduler(policy, rng, draws), episode, decision);
    });
    const name = draws === 'independent' ? 'heldOut' : 'heldOutStratified';
    return Object.entries(measures).map(([measure, field]) => [
      `${name}${measure}`,
      runs.reduce((sum, run) => sum + run[field] / heldOutEpisodes, 0),
    ]);
  });
  return Object.fromEntries(entries) as HeldOutLog;
}
