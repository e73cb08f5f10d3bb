import { tableOne } from '../system/presets';
import { type Judgement, type Named, allHold, combine, isBounded, isNotPositive, undecided } from '../paper/judgement';
import { type MethodName, methodOf } from '../paper/methods';
import {
  type PointLike,
  type Results,
  type RunMetric,
  afterConvergence,
  deviation,
  isUndecided,
  latency,
  logColumn,
} from '../paper/results';
import type { StoredRun } from '../paper/run-store';

/** Something that LYREO is built to reach, with what stored runs say of it. */
export interface Goal {
  readonly goal: string;
  readonly users: number;
  /** ϱ. */
  readonly memoryWeight: 0 | 1;
  readonly judgement: Judgement;
}

const rivals: readonly MethodName[] = ['ly-ppo', 'ppo'];

/** A method at U users and with weight ϱ, as the matrix has it. */
export function goalPoint(method: MethodName, users: number, memoryWeight: 0 | 1): PointLike {
  return {
    method,
    system: users === tableOne('calibrated').users ? {} : { users },
    training: memoryWeight === 1 ? {} : { memoryWeight },
  };
}

/**
 * From which update on a training is good to its end: latency below `mostLatency`, deviation below 2·ε. One more than
 * it has where it never is.
 */
export function goodFrom({ log }: StoredRun, mostLatency: number): number {
  const latencies = logColumn(log, 'latency');
  const deviations = logColumn(log, 'deviation');
  const most = 2 * tableOne('calibrated').balanceTolerance;
  let from = latencies.length;
  while (from > 0 && latencies[from - 1] < mostLatency && deviations[from - 1] < most) from--;
  return from + 1;
}

/** The good latency at a point, s: 5 % above the best learner's last quarter of training. */
export function goodLatency(results: Results, users: number, memoryWeight: 0 | 1): number {
  const means = (['lyreo', ...rivals] as const).flatMap((method) => {
    const last = results.runs(goalPoint(method, users, memoryWeight)).map(afterConvergence('latency'));
    return last.length === 0 ? [] : [last.reduce((sum, x) => sum + x, 0) / last.length];
  });
  return 1.05 * Math.min(...means);
}

/**
 * The goals, for ϱ = 1 and 0, by the rules of the scoreboard. "Not significantly above": the paired difference over seeds
 * is not above 0. "Half of Ly-PPO's slots": LYREO's update less half of Ly-PPO's, from which on each is good, lies below
 * 0. "Stable": every seed's evaluation is; undecided ones leave it untested.
 */
export function goals(results: Results): Goal[] {
  const { users: U, balanceTolerance } = tableOne('calibrated');
  const { users: loads } = results.profile;
  const named = (point: PointLike, metric: RunMetric): Named => ({
    name: methodOf(point.method).label,
    values: results.values(point, metric),
  });
  const noWorse = (a: PointLike, b: PointLike, metric: RunMetric): Judgement => {
    const [ours, theirs] = [named(a, metric), named(b, metric)];
    return isNotPositive(combine(`${ours.name} − ${theirs.name}`, [ours, theirs], (x, y) => x - y));
  };
  const found: Goal[] = [];
  for (const memoryWeight of [1, 0] as const) {
    const add = (goal: string, users: number, judgement: Judgement): void => {
      found.push({ goal, users, memoryWeight, judgement });
    };
    const at = (method: MethodName, users = U): PointLike => goalPoint(method, users, memoryWeight);
    const against = (metric: RunMetric): Judgement =>
      allHold(rivals.map((rival) => noWorse(at('lyreo'), at(rival), metric)));
    add('LYREO’s latency not significantly above Ly-PPO’s and PPO’s', U, against(latency));
    add('LYREO’s deviation not significantly above Ly-PPO’s and PPO’s', U, against(deviation));
    const mostLatency = goodLatency(results, U, memoryWeight);
    const good: RunMetric = (run) => goodFrom(run, mostLatency);
    const [early, slow] = [named(at('lyreo'), good), named(at('ly-ppo'), good)];
    add(
      'LYREO good to the end within half of Ly-PPO’s slots',
      U,
      isBounded(
        combine('update of LYREO − half of Ly-PPO’s', [early, slow], (x, y) => x - y / 2),
        { below: 0 },
      ),
    );
    for (const users of [loads[0], U, loads[loads.length - 1]]) {
      const point = at('lyreo', users);
      add('LYREO’s deviation below ε', users, isBounded(named(point, deviation), { below: balanceTolerance }));
      const overloaded: RunMetric = ({ evaluation }) => (evaluation.stability.verdict === 'STABLE' ? 0 : 1);
      const stable = isUndecided(results.runs(point))
        ? undecided('LYREO', 'the stability of some runs is UNKNOWN')
        : isBounded(named(point, overloaded), { below: 1e-9 });
      add('LYREO stable with every seed', users, stable);
    }
    if (memoryWeight === 0) continue;
    add(
      'LYREO (sequential) not significantly slower than the greedy',
      U,
      noWorse(at('lyreo-seq'), at('drift-plus-penalty'), latency),
    );
    add(
      'LYREO (sequential)’s deviation below ε',
      U,
      isBounded(named(at('lyreo-seq'), deviation), { below: balanceTolerance }),
    );
  }
  return found;
}
