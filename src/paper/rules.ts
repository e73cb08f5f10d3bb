import type { Rule } from './claims';
import {
  type Judgement,
  NUMBER_TOLERANCE,
  allHold,
  atLeast,
  combine,
  excludes,
  factual,
  isBounded,
  isLess,
  isMonotone,
  numberHolds,
  sideOf,
  undecided,
  untestable,
} from './judgement';
import { methodOf } from './methods';
import type { Evidence } from './quantities';
import { mean } from './statistics';

type RuleOf<Name extends Rule['rule']> = Extract<Rule, { readonly rule: Name }>;

/** Decides a rule by stored runs. */
export function judge(rule: Rule, evidence: Evidence, unit = ''): Judgement {
  switch (rule.rule) {
    case 'number':
      return judgeNumber(rule, evidence, unit);
    case 'order':
      return judgeOrder(rule, evidence);
    case 'difference':
      return judgeDifference(rule, evidence);
    case 'bound':
      return judgeBound(rule, evidence);
    case 'trend':
      return judgeTrend(rule, evidence);
    case 'seeds':
      return judgeSeeds(rule, evidence);
    case 'all':
      return allHold(rule.parts.map((part) => judge(part, evidence)));
  }
}

/** A printed number; over several places it is the mean over them. The sign of a percentage must be significant. */
function judgeNumber({ of, value }: RuleOf<'number'>, evidence: Evidence, unit: string): Judgement {
  const parts = evidence.all(of);
  const name = 'combine' in of ? of.label : parts[0].name;
  const ours = combine(name, parts, (...each) => mean(each));
  const direction = 'combine' in of ? { 'percent above': 1, 'percent below': -1 }[of.combine as string] : undefined;
  if (direction === undefined) return numberHolds(ours, value, unit);
  const judgement = numberHolds(ours, value, unit, percentRange(value, direction));
  const hasSign = sideOf([...ours.values.values()].map((x) => Math.sign(value) * x)) === 'above';
  if (judgement.verdict !== 'holds' || hasSign) return judgement;
  return { ...judgement, verdict: 'does not hold', reason: `${judgement.reason}: its sign is not significant` };
}

/**
 * The range of a percentage 100·d·(q − 1) whose quotient q is that of two numbers within ±10 % each: q·0.9/1.1 to
 * q·1.1/0.9.
 *
 * @param d 1 for a percentage above, −1 for one below.
 */
export function percentRange(percent: number, d: number): [number, number] {
  const quotient = 1 + (d * percent) / 100;
  const [low, high] = [1 - NUMBER_TOLERANCE, 1 + NUMBER_TOLERANCE];
  return [100 * d * ((quotient * low) / high - 1), 100 * d * ((quotient * high) / low - 1)];
}

function judgeOrder({ metrics, groups, at, need, among }: RuleOf<'order'>, evidence: Evidence): Judgement {
  const placed = evidence.places(at).map((place) =>
    metrics.map((metric) =>
      groups.slice(1).flatMap((higher, k) =>
        groups[k].flatMap((a) =>
          higher.map((b) => {
            const [[left], [right]] = [a, b].map((method) => evidence.all({ metric, method, at: place }));
            return isLess(left, right);
          }),
        ),
      ),
    ),
  );
  if (need === undefined) return allHold(placed.flat(2));
  if (among === 'places')
    return atLeast(
      need,
      placed.map((parts) => allHold(parts.flat())),
    );
  return allHold(placed.flat().map((parts) => atLeast(need, parts)));
}

/** Each of some quantities is less than its counterpart. */
function judgeDifference({ less, than }: RuleOf<'difference'>, evidence: Evidence): Judgement {
  const [left, right] = [evidence.all(less), evidence.all(than)];
  return allHold(left.map((quantity, i) => isLess(quantity, right[i])));
}

function judgeBound({ of, above, below }: RuleOf<'bound'>, evidence: Evidence): Judgement {
  return allHold(evidence.all(of).map((quantity) => isBounded(quantity, { above, below })));
}

function judgeTrend({ metric, methods, over, direction, upTo }: RuleOf<'trend'>, evidence: Evidence): Judgement {
  const series = methods.map(
    (method) => [methodOf(evidence.as(method)).label, evidence.sweep(method, metric, over, upTo)] as const,
  );
  const every = (way: 'rises' | 'falls'): Judgement =>
    allHold(series.map(([label, points]) => isMonotone(label, points, way)));
  return direction === 'neither' ? excludes([every('rises'), every('falls')]) : every(direction);
}

function judgeSeeds({ methods, least }: RuleOf<'seeds'>, evidence: Evidence): Judgement {
  const counts = methods.map((method) => evidence.seeds(method));
  const names = methods.map((method) => methodOf(evidence.as(method)).label).join(', ');
  if (Math.min(...counts) === 0) return untestable(names, 0);
  const reason = `${counts.join(', ')} trainings of ${names}`;
  return Math.min(...counts) >= least ? factual(true, reason) : undecided(names, `${reason}; ${least} are asked for`);
}
