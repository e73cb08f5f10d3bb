import type { Rule } from '../paper/claims';
import { type ConditionName, conditionSystem, conditions } from '../paper/conditions';
import type { Judgement } from '../paper/judgement';
import { type MethodName, learners } from '../paper/methods';
import { Evidence } from '../paper/quantities';
import type { Results } from '../paper/results';
import { judge } from '../paper/rules';
import { systemConfig } from '../system/presets';

/** A conclusion of the paper that is asked about again in each condition. */
export type Conclusion = 'order' | 'fastest' | 'simple rules' | 'balance' | 'best balance';

/** A conclusion in a condition. */
export interface ConditionClaim {
  readonly conclusion: Conclusion;
  readonly text: string;
  /** By the scoreboard's rules; null where the condition does not ask, since nothing learns in it. */
  readonly judgement: Judgement | null;
}

const lowest = (metric: string, ...groups: (readonly MethodName[])[]): Rule => ({
  rule: 'order',
  metrics: [metric],
  groups,
});
const rivals: readonly MethodName[] = ['ly-ppo', 'ppo', 'static', 'll', 'random'];
const below = systemConfig('calibrated').balanceTolerance;

const conclusions: readonly (readonly [Conclusion, text: string, Rule])[] = [
  ['order', 'latency: LYREO < Ly-PPO < PPO', lowest('latency', ['lyreo'], ['ly-ppo'], ['ppo'])],
  ['fastest', 'LYREO has the lowest latency of the paper’s methods', lowest('latency', ['lyreo'], rivals)],
  [
    'simple rules',
    'LL and Random are slower than every method that learns',
    lowest('latency', learners, ['ll', 'random']),
  ],
  [
    'balance',
    'LYREO’s mean deviation is below ε',
    { rule: 'bound', of: { metric: 'deviation', method: 'lyreo' }, below },
  ],
  ['best balance', 'LYREO has the lowest deviation of the paper’s methods', lowest('deviation', ['lyreo'], rivals)],
];

/** The paper's conclusions in a condition, or at the default, by the scoreboard's rules; an overloaded run counts as the worst. */
export function conditionClaims(results: Results, name: ConditionName | 'default'): ConditionClaim[] {
  const isAsked = name === 'default' || conditions[name].learns;
  const system = name === 'default' ? {} : conditionSystem(results.profile, name);
  return conclusions.map(([conclusion, text, rule]) => ({
    conclusion,
    text,
    judgement: isAsked ? judge(rule, new Evidence(results, system)) : null,
  }));
}
