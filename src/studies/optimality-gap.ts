import { readEpisode } from './bounds/episode';
import { type LowerBound, lowerBound } from './bounds/lower-bound';
import { type Optimum, exactOptimum } from './bounds/optimum';
import { ServerCosts } from './bounds/server-costs';
import { type SchedulerName, schedulerNames, schedulers } from '../schedulers/index';
import type { SystemConfig } from '../system/config';
import { type InspectedRequest, inspect, repeatAssignments } from '../env/inspect';
import { canonicalJson, profiles } from '../paper/matrix';
import { heldOutSeeds } from '../paper/run';
import type { StoredRun } from '../paper/run-store';
import { simulate } from '../env/simulate';
import { mean } from '../paper/statistics';

/** How a scheduler did in a small episode. */
export interface SmallResult {
  /** Mean D_tot, s. */
  readonly meanLatency: number;
  /** Largest per-server mean of Y. */
  readonly worstDeviation: number;
}

/** An episode small enough for its exact optimum, with every scheduler on the same requests. */
export interface SmallInstance {
  readonly config: SystemConfig;
  readonly seed: number;
  /** Requests. */
  readonly count: number;
  /** Least mean latency; null when some request fits nowhere. */
  readonly optimum: Optimum | null;
  /** The same with 1/T·Σ Y_s ≤ ε on every server; null when that cannot be kept. */
  readonly balanced: Optimum | null;
  readonly schedulers: Readonly<Record<SchedulerName, SmallResult>>;
}

/**
 * Solves an episode exactly and runs the schedulers that need no learning on it (V-B).
 *
 * @throws UserError when the episode has more than 24 requests.
 */
export function smallInstance(config: SystemConfig, seed: number): SmallInstance {
  const costs = new ServerCosts(readEpisode(config, seed));
  const results = schedulerNames.map((name): [SchedulerName, SmallResult] => {
    const { meanLatency, worstDeviation } = simulate(config, schedulers[name], seed);
    return [name, { meanLatency, worstDeviation }];
  });
  return {
    config,
    seed,
    count: costs.episode.count,
    optimum: exactOptimum(costs),
    balanced: exactOptimum(costs, config.balanceTolerance),
    schedulers: Object.fromEntries(results) as Record<SchedulerName, SmallResult>,
  };
}

/** How far one scheduler is from the optimum, over instances. */
export interface GapRow {
  readonly scheduler: SchedulerName;
  /** Latency over the least possible, less 1, one per instance. */
  readonly gaps: readonly number[];
  /** Instances in which it keeps 1/T·Σ Y_s ≤ ε on every server. */
  readonly kept: number;
  /** Latency over the least possible *under the constraint*, less 1, of the instances in which it keeps it. */
  readonly keptGaps: readonly number[];
}

/** The gaps of every scheduler, smallest mean first. */
export function gapRows(instances: readonly SmallInstance[]): GapRow[] {
  const solved = instances.flatMap((instance) =>
    instance.optimum === null ? [] : [{ ...instance, least: instance.optimum.meanLatency }],
  );
  const rows = schedulerNames.map((scheduler): GapRow => {
    const keptGaps = solved.flatMap(({ balanced, config, schedulers: results }) => {
      const { meanLatency, worstDeviation } = results[scheduler];
      const kept = worstDeviation <= config.balanceTolerance;
      return kept && balanced !== null ? [meanLatency / balanced.meanLatency - 1] : [];
    });
    return {
      scheduler,
      gaps: solved.map(({ schedulers: results, least }) => results[scheduler].meanLatency / least - 1),
      kept: keptGaps.length,
      keptGaps,
    };
  });
  return rows.sort((a, b) => mean(a.gaps) - mean(b.gaps));
}

/** A request that two assignments of an episode send to different servers, and what it would cost to give in. */
export interface Move {
  readonly request: InspectedRequest;
  /** Server that the other assignment chose. */
  readonly other: number;
  /** By how much its own latency would grow there, everything else staying, s. */
  readonly ownSeconds: number;
  /** By how much the sum of the others' latencies would grow, s. */
  readonly othersSeconds: number;
}

/**
 * Every request that `assignments` and `others` send to different servers, with what sending this one alone to the
 * other server would change.
 *
 * @param assignments server of every request, [T][requests of the slot]; `others` likewise.
 */
export function moves(
  config: SystemConfig,
  seed: number,
  assignments: Optimum['assignments'],
  others: Optimum['assignments'],
): Move[] {
  const play = (servers: Optimum['assignments']): readonly InspectedRequest[] =>
    inspect(config, repeatAssignments({ assignments: servers }), seed).requests;
  const sum = (requests: readonly InspectedRequest[]): number => requests.reduce((all, { total }) => all + total, 0);
  const before = play(assignments);
  return before.flatMap((request, k) => {
    const { slot, index, server, total } = request;
    const other = others[slot][index];
    if (other === server) return [];
    const after = play(assignments.map((row, t) => (t === slot ? row.map((s, i) => (i === index ? other : s)) : row)));
    const ownSeconds = after[k].total - total;
    return [{ request, other, ownSeconds, othersSeconds: sum(after) - sum(before) - ownSeconds }];
  });
}

/** A stored run beside the lower bound of the episodes that it was evaluated on. */
export interface BoundedRun {
  /** Mean latency over the episodes, s. */
  readonly meanLatency: number;
  /** Mean of the episodes' lower bounds, s. */
  readonly bound: number;
}

/**
 * Lower bounds for stored runs. A bound belongs to an episode, whichever method meets it, so that each is computed once.
 */
export class EpisodeBounds {
  private readonly known: Map<string, LowerBound> = new Map();

  /** @param episodes how many of a run's held-out episodes are looked at, the first ones; default all. */
  constructor(private readonly episodes: number = Infinity) {}

  /**
   * A run on its first held-out episodes.
   *
   * Note: a run whose requests were rejected by their servers leaves out latencies, and is not bounded; with predicted
   * lengths that are true, no method here has any.
   */
  of({ config, appliedTo, evaluation, profile, seed }: StoredRun): BoundedRun {
    const seeds = heldOutSeeds(profiles[profile], seed).slice(0, this.episodes);
    const system = { ...config, ...appliedTo, slots: evaluation.slots };
    return {
      meanLatency: mean(evaluation.perEpisode.meanLatency.slice(0, seeds.length)),
      bound: mean(seeds.map((episode) => this.episode(system, episode).meanLatency)),
    };
  }

  /** The bound of one episode; batching, ε, ν and the unit of Y do not enter it. */
  private episode(config: SystemConfig, seed: number): LowerBound {
    const same = { batching: 'deed', balanceTolerance: 1, balanceUnit: 1, latencyWeight: 1 };
    const key = canonicalJson([{ ...config, ...same }, seed]);
    let bound = this.known.get(key);
    if (bound === undefined) {
      bound = lowerBound(readEpisode(config, seed));
      this.known.set(key, bound);
    }
    return bound;
  }
}
