import { tableOne } from '../system/presets';
import type { Rule } from '../paper/claims';
import { type ConditionName, conditions, learnersOf } from '../paper/conditions';
import type { Judgement } from '../paper/judgement';
import type { MethodName } from '../paper/methods';
import { Evidence } from '../paper/quantities';
import type { PointLike, Results } from '../paper/results';
import { judge } from '../paper/rules';
import { conditionPoint } from '../paper/sweeps';

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

/** The conclusions as rules for those who learn in a condition, one or more. */
function rulesOf([first, ...others]: readonly MethodName[]): Record<Conclusion, Rule> {
  const lowest = (metric: string, ...groups: (readonly MethodName[])[]): Rule => ({
    rule: 'order',
    metrics: [metric],
    groups,
  });
  const rivals: readonly MethodName[] = [...others, 'static', 'll', 'random'];
  const of = { metric: 'deviation', method: first };
  return {
    order: lowest('latency', [first], ...others.map((method) => [method])),
    fastest: lowest('latency', [first], rivals),
    'simple rules': lowest('latency', [first, ...others], ['ll', 'random']),
    balance: { rule: 'bound', of, below: tableOne('calibrated').balanceTolerance },
    'best balance': lowest('deviation', [first], rivals),
  };
}

/**
 * The paper's conclusions in a condition, or at the default. The rules are the scoreboard's; an
 * overloaded run counts as the worst.
 */
export function conditionClaims(results: Results, name: ConditionName | 'default'): ConditionClaim[] {
  const learners = learnersOf[name === 'default' ? 'trained in it' : conditions[name].learning];
  const usual = (method: MethodName): PointLike =>
    name === 'default' ? { method } : conditionPoint(results.profile, name, method);
  return Object.entries(rulesOf(learners)).map(([conclusion, rule]) => {
    const isAsked = learners.length > (conclusion === 'order' ? 1 : 0);
    const judgement = isAsked ? judge(rule, new Evidence(results, usual)) : null;
    return { conclusion: conclusion as Conclusion, judgement };
  });
}
