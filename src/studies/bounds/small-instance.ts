import { type InspectedRequest, inspect } from '../../env/inspect';
import { repeatAssignments } from '../../env/repeat';
import { simulate } from '../../env/simulate';
import { type SchedulerName, schedulerNames, schedulers } from '../../schedulers/index';
import type { SystemConfig } from '../../system/config';
import { readEpisode } from './episode';
import { type Optimum, exactOptimum } from './optimum';
import { ServerCosts } from './server-costs';

/** One scheduler in one small episode. */
export interface GapRow {
  readonly seed: number;
  readonly scheduler: SchedulerName;
  /** Mean D_tot, s. */
  readonly latency: number;
  /** Largest per-server mean of Y. */
  readonly deviation: number;
  /** Latency over the least possible, less 1; NaN when some request fits nowhere. */
  readonly gap: number;
  /** 1 where 1/T·Σ Y_s ≤ ε on every server, else 0. */
  readonly keepsBalance: number;
  /** Latency over the least possible under that constraint, less 1; NaN where the scheduler breaks it. */
  readonly balancedGap: number;
}

/** An episode small enough for its exact optimum, with every scheduler on the same requests. */
export interface SmallInstance {
  readonly seed: number;
  /** Requests. */
  readonly count: number;
  /** Least mean latency; null when some request fits nowhere. */
  readonly optimum: Optimum | null;
  /** The same with 1/T·Σ Y_s ≤ ε on every server; null when no assignment keeps that. */
  readonly balanced: Optimum | null;
  readonly rows: readonly GapRow[];
}

/**
 * Solves an episode exactly and runs the schedulers that need no learning on it (V-B).
 *
 * @throws UserError when the episode has more than 24 requests.
 */
export function smallInstance(config: SystemConfig, seed: number): SmallInstance {
  const costs = new ServerCosts(readEpisode(config, seed));
  const optimum = exactOptimum(costs);
  const balanced = exactOptimum(costs, config.balanceTolerance);
  const rows = schedulerNames.map((scheduler): GapRow => {
    const { meanLatency: latency, worstDeviation: deviation } = simulate(config, schedulers[scheduler], seed);
    const keeps = deviation <= config.balanceTolerance && balanced !== null;
    return {
      seed,
      scheduler,
      latency,
      deviation,
      gap: optimum === null ? NaN : latency / optimum.meanLatency - 1,
      keepsBalance: keeps ? 1 : 0,
      balancedGap: keeps ? latency / balanced.meanLatency - 1 : NaN,
    };
  });
  return { seed, count: costs.episode.requests.length, optimum, balanced, rows };
}

/** A request that two assignments of an episode send to different servers, and the effect of its moving alone. */
export interface Move {
  readonly request: InspectedRequest;
  /** Server that the other assignment chose. */
  readonly other: number;
  /** Growth of its own latency there, everything else staying, s. */
  readonly ownSeconds: number;
  /** Growth of the sum of the others' latencies, s. */
  readonly othersSeconds: number;
}

/** Every request that `assignments` and `others`, [T][requests of the slot] each, send to different servers. */
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
