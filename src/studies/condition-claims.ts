import { tableOne } from '../system/presets';
import type { Rule } from '../paper/claims';
import { type ConditionName, conditionSystem, conditions, learners } from '../paper/conditions';
import type { Judgement } from '../paper/judgement';
import type { MethodName } from '../paper/methods';
import { Evidence } from '../paper/quantities';
import type { Results } from '../paper/results';
import { judge } from '../paper/rules';

/** A conclusion of the paper that is asked about again in each condition. */
export type Conclusion = 'order' | 'fastest' | 'simple rules' | 'balance' | 'best balance';

/** The conclusions in words. */
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

const lowest = (metric: string, ...groups: (readonly MethodName[])[]): Rule => ({
  rule: 'order',
  metrics: [metric],
  groups,
});

const rivals: readonly MethodName[] = ['ly-ppo', 'ppo', 'static', 'll', 'random'];

const rules: Readonly<Record<Conclusion, Rule>> = {
  order: lowest('latency', ['lyreo'], ['ly-ppo'], ['ppo']),
  fastest: lowest('latency', ['lyreo'], rivals),
  'simple rules': lowest('latency', learners, ['ll', 'random']),
  balance: {
    rule: 'bound',
    of: { metric: 'deviation', method: 'lyreo' },
    below: tableOne('calibrated').balanceTolerance,
  },
  'best balance': lowest('deviation', ['lyreo'], rivals),
};

/** The paper's conclusions in a condition, or at the default, by the scoreboard's rules; an overloaded run counts as the worst. */
export function conditionClaims(results: Results, name: ConditionName | 'default'): ConditionClaim[] {
  const isAsked = name === 'default' || conditions[name].learns;
  const system = name === 'default' ? {} : conditionSystem(results.profile, name);
  return (Object.keys(rules) as Conclusion[]).map((conclusion) => ({
    conclusion,
    judgement: isAsked ? judge(rules[conclusion], new Evidence(results, system)) : null,
  }));
}
