import { mean } from '../../core/statistics';
import { profiles } from '../../paper/profiles';
import { canonicalJson } from '../../paper/run-spec';
import { heldOutSeeds } from '../../paper/run';
import type { StoredRun } from '../../paper/run-store';
import type { SystemConfig } from '../../system/config';
import { readEpisode } from './episode';
import { lowerBound } from './lower-bound';

/** A stored run beside the lower bound of the episodes on which it was evaluated. */
export interface BoundedRun {
  /** Mean latency over the episodes, s. */
  readonly meanLatency: number;
  /** Mean of the episodes' lower bounds, s. */
  readonly bound: number;
}

/**
 * Puts stored runs beside the lower bounds of their first held-out episodes. A bound belongs to an episode, whichever
 * method meets it, so that each is computed once.
 *
 * Note: a run whose requests were rejected by their servers leaves out latencies, and is not bounded; with predicted
 * lengths that are true, no method here has any.
 *
 * @param episodes how many of a run's held-out episodes count, the first ones; default all.
 */
export function boundedRuns(episodes: number = Infinity): (run: StoredRun) => BoundedRun {
  const known = new Map<string, number>();
  const boundOf = (config: SystemConfig, seed: number): number => {
    // Batching, ε, ν and the unit of Y do not enter the bound.
    const same = { batching: 'deed', balanceTolerance: 1, balanceUnit: 1, latencyWeight: 1 };
    const key = canonicalJson([{ ...config, ...same }, seed]);
    const bound = known.get(key) ?? lowerBound(readEpisode(config, seed));
    known.set(key, bound);
    return bound;
  };
  return ({ config, evaluation, profile, seed }) => {
    const seeds = heldOutSeeds(profiles[profile], seed).slice(0, episodes);
    const system = { ...config, slots: evaluation.slots };
    return {
      meanLatency: mean(evaluation.perEpisode.meanLatency.slice(0, seeds.length)),
      bound: mean(seeds.map((episode) => boundOf(system, episode))),
    };
  };
}
