import { tableOne } from '../system/presets';
import { type ConditionName, conditionLearners, conditions, scalable } from '../paper/conditions';
import { type Judgement, type Named, allHold, isBounded, isLess } from '../paper/judgement';
import { conditionPoint } from '../paper/sweeps';
import { type MethodName, methodOf } from '../paper/methods';
import { steady } from '../paper/quantities';
import { type Results, type RunMetric, deviation, latency as measuredLatency } from '../paper/results';

/** A conclusion of the paper that is asked about again in each condition. */
export type Conclusion = 'order' | 'fastest' | 'simple rules' | 'balance' | 'best balance';

/** The conclusions in words. A policy that was trained at the default and is applied to a condition stands for LYREO. */
export const conclusions: Readonly<Record<Conclusion, string>> = {
  order: 'latency: LYREO < Ly-PPO < PPO',
  fastest: 'LYREO has the lowest latency of the paper’s methods',
  'simple rules': 'LL and Random are slower than every method that learns',
  balance: 'LYREO’s mean deviation is below ε',
  'best balance': 'LYREO has the lowest deviation of the paper’s methods',
};

/** A conclusion in a condition. */
export interface ConditionClaim {
  readonly conclusion: Conclusion;
  /** By the scoreboard's rules; null where the condition does not ask, since nothing learns in it. */
  readonly judgement: Judgement | null;
}

const latency: RunMetric = steady(measuredLatency);
const rules: readonly MethodName[] = ['static', 'll', 'random'];

/**
 * The paper's conclusions in a condition, or at the default. The rules are the scoreboard's; an
 * overloaded run counts as the worst.
 */
export function conditionClaims(results: Results, name: ConditionName | 'default'): ConditionClaim[] {
  const learning = name === 'default' ? 'trained in it' : conditions[name].learning;
  const learners = { 'trained in it': conditionLearners, 'trained at the default': [scalable], none: [] }[learning];
  const named = (method: MethodName, metric: RunMetric): Named => {
    const point = name === 'default' ? { method } : conditionPoint(results.profile, name, method);
    return { name: methodOf(method).label, values: results.values(point, metric) };
  };
  const below = (a: MethodName, others: readonly MethodName[], metric: RunMetric): Judgement[] =>
    others.map((b) => isLess(named(a, metric), named(b, metric)));
  const judged = (parts: readonly Judgement[]): Judgement | null => (parts.length === 0 ? null : allHold(parts));
  const first = learners.slice(0, 1);
  const rivals = [...learners.slice(1), ...rules];
  const judgements: Record<Conclusion, Judgement | null> = {
    order: judged(learners.slice(1).flatMap((method, k) => below(learners[k], [method], latency))),
    fastest: judged(first.flatMap((method) => below(method, rivals, latency))),
    'simple rules': judged(learners.flatMap((method) => below(method, ['ll', 'random'], latency))),
    balance: judged(
      first.map((method) => isBounded(named(method, deviation), { below: tableOne('calibrated').balanceTolerance })),
    ),
    'best balance': judged(first.flatMap((method) => below(method, rivals, deviation))),
  };
  return (Object.keys(conclusions) as Conclusion[]).map((conclusion) => ({
    conclusion,
    judgement: judgements[conclusion],
  }));
}
