import type { Rule } from './claims';
import {
  type Judgement,
  all,
  atLeast,
  excludes,
  fact,
  goes,
  isBeyond,
  isLess,
  isWithin,
  numberHolds,
  combine,
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
      return all(rule.parts.map((part) => judge(part, evidence)));
  }
}

/** A printed number; over several places it is the mean over them. */
function judgeNumber({ of, value }: RuleOf<'number'>, evidence: Evidence, unit: string): Judgement {
  const parts = evidence.all(of);
  const label = 'combine' in of ? of.label : parts[0].name;
  return numberHolds(
    parts.length === 1 ? { ...parts[0], name: label } : combine(label, parts, (...each) => mean(each)),
    value,
    unit,
  );
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
  if (need === undefined) return all(placed.flat(2));
  if (among === 'places')
    return atLeast(
      need,
      placed.map((parts) => all(parts.flat())),
    );
  return all(placed.flat().map((parts) => atLeast(need, parts)));
}

/** Each of some quantities is less than its counterpart. */
function judgeDifference({ less, than }: RuleOf<'difference'>, evidence: Evidence): Judgement {
  const [left, right] = [evidence.all(less), evidence.all(than)];
  return all(left.map((quantity, i) => isLess(quantity, right[i])));
}

function judgeBound({ of, above, below }: RuleOf<'bound'>, evidence: Evidence): Judgement {
  return all(
    evidence.all(of).map((quantity) => {
      if (above !== undefined && below !== undefined) return isWithin(quantity, above, below);
      return above === undefined ? isBeyond(quantity, 'below', below ?? Infinity) : isBeyond(quantity, 'above', above);
    }),
  );
}

function judgeTrend({ metric, methods, over, direction, upTo }: RuleOf<'trend'>, evidence: Evidence): Judgement {
  const series = methods.map((method) => [methodOf(method).label, evidence.sweep(method, metric, over, upTo)] as const);
  const every = (way: 'rises' | 'falls'): Judgement => all(series.map(([label, points]) => goes(label, points, way)));
  return direction === 'neither' ? excludes([every('rises'), every('falls')]) : every(direction);
}

function judgeSeeds({ methods, least }: RuleOf<'seeds'>, evidence: Evidence): Judgement {
  const counts = methods.map((method) => evidence.seeds(method));
  const names = methods.map((method) => methodOf(method).label).join(', ');
  if (Math.min(...counts) === 0) return untestable(names, 0);
  return fact(Math.min(...counts) >= least, `${counts.join(', ')} trainings of ${names}`);
}
