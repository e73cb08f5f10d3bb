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
  const log = (name: string, draws: Draws): [string, number][] => {
    const runs = Array.from({ length: heldOutEpisodes }, (_, k) =>
      simulate(
        place,
        (_config, rng) => policyScheduler(policy, rng, { draws }),
        hashLabel(seed, `held out while training ${k}`),
        decision,
      ),
    );
    const mean = (of: (run: RunMetrics) => number): number =>
      runs.reduce((sum, run) => sum + of(run) / heldOutEpisodes, 0);
    return [
      [`${name}Latency`, mean((run) => run.meanLatency)],
      [`${name}P99Latency`, mean((run) => run.p99Latency)],
      [`${name}Deviation`, mean((run) => run.deviation)],
      [`${name}HighKvPercent`, mean((run) => run.highKvPercent)],
    ];
  };
  const entries = [...log('heldOut', 'independent'), ...log('heldOutStratified', 'stratified')];
  return Object.fromEntries(entries) as unknown as HeldOutLog;
}
