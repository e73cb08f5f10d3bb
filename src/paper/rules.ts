import { mean } from '../core/statistics';
import type { Rule } from './claims';
import {
  type Judgement,
  NUMBER_TOLERANCE,
  type Verdict,
  combine,
  isBounded,
  isLess,
  isMonotone,
  numberHolds,
  sideOf,
  untestable,
} from './judgement';
import type { Evidence, MetricName, Values } from './quantities';

type RuleOf<Name extends Rule['rule']> = Extract<Rule, { readonly rule: Name }>;

export function judge(rule: Rule, evidence: Evidence, unit = ''): Judgement {
  switch (rule.rule) {
    case 'number':
      return judgeNumber(rule, evidence, unit);
    case 'order':
      return judgeOrder(rule, evidence);
    case 'difference': {
      const [left, right] = [evidence.all(rule.less), evidence.all(rule.than)];
      return allHold(left.slice(0, right.length).map((quantity, i) => isLess(quantity, right[i])));
    }
    case 'bound':
      return allHold(evidence.all(rule.of).map((quantity) => isBounded(quantity, rule)));
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
  const [name, kind] = 'combine' in of ? [of.label, of.combine] : [parts.at(0)?.name ?? '', ''];
  const ours = combine(name, parts, (...each) => mean(each));
  const direction = { 'percent above': 1, 'percent below': -1 }[kind];
  if (direction === undefined) return numberHolds(ours, value, unit);
  const judgement = numberHolds(ours, value, unit, percentRange(value, direction));
  const hasSign = sideOf([...ours.values.values()].map((x) => Math.sign(value) * x)) === 'above';
  if (judgement.verdict !== 'holds' || hasSign) return judgement;
  return { ...judgement, verdict: 'not shown', reason: `${judgement.reason}: its sign is not significant` };
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
  const pairs = groups.slice(1).flatMap((higher, k) => groups[k].flatMap((a) => higher.map((b) => [a, b] as const)));
  const compared = (place: Values, metric: MetricName): Judgement[] =>
    pairs.map(([a, b]) => isLess(evidence.at(a, place, metric), evidence.at(b, place, metric)));
  const placed = evidence.places(at).map((place) => metrics.map((metric) => compared(place, metric)));
  if (need === undefined) return allHold(placed.flat(2));
  if (among === 'rivals') return allHold(placed.flat().map((parts) => atLeast(need, parts)));
  const byPlace = placed.map((parts) => allHold(parts.flat()));
  return atLeast(need, byPlace);
}

function judgeTrend({ metric, methods, over, direction, upTo }: RuleOf<'trend'>, evidence: Evidence): Judgement {
  const places = evidence.places({ [over]: 'every' }).filter((place) => !(Number(place[over]) > (upTo ?? Infinity)));
  const series = methods.map((method) => places.map((place) => evidence.at(method, place, metric)));
  const every = (way: 'rises' | 'falls'): Judgement =>
    allHold(methods.map((method, k) => isMonotone(evidence.label(method), series[k], way)));
  return direction === 'neither' ? excludes([every('rises'), every('falls')]) : every(direction);
}

function judgeSeeds({ methods, least }: RuleOf<'seeds'>, evidence: Evidence): Judgement {
  const counts = methods.map((method) => evidence.seeds(method));
  const names = methods.map((method) => evidence.label(method)).join(', ');
  if (Math.min(...counts) === 0) return untestable(names, 0);
  const reason = `${counts.join(', ')} trainings of ${names}`;
  if (Math.min(...counts) >= least) return { verdict: 'holds', ours: null, of: '', reason };
  return { verdict: 'cannot be tested', ours: null, of: names, reason: `${reason}; ${least} are asked for` };
}

const having = (parts: readonly Judgement[], ...wanted: readonly Verdict[]): Judgement[] =>
  parts.filter(({ verdict }) => wanted.includes(verdict));

const reasons = (parts: readonly Judgement[]): string => parts.map(({ reason }) => reason).join('; ');

/**
 * A conjunction: it holds if every part does, each at its own level (an intersection–union test, so no correction is
 * due). One part that fails decides it, even where the others lack runs.
 */
export function allHold(parts: readonly Judgement[]): Judgement {
  if (parts.length === 0) return untestable('a sweep that the profile does not have', 0);
  const few = (list: readonly Judgement[]): string =>
    `${reasons(list.slice(0, 3))}${list.length > 3 ? `; and ${list.length - 3} more` : ''}`;
  const failed = having(parts, 'contradicted', 'not shown');
  if (failed.length > 0) {
    const count = parts.length > 1 ? `${failed.length} of ${parts.length} parts fail: ` : '';
    return { ...(having(failed, 'contradicted').at(0) ?? failed[0]), reason: `${count}${few(failed)}` };
  }
  const open = having(parts, 'cannot be tested');
  if (open.length > 0) return { ...open[0], reason: few(open) };
  if (parts.length === 1) return parts[0];
  // The distance of an interval's centre from 0, in widths of the interval.
  const slack = ({ ours }: Judgement): number =>
    ours === null || ours.hi === ours.lo ? Infinity : Math.abs(ours.mean) / (ours.hi - ours.lo);
  const tightest = parts.reduce((a, b) => (slack(b) < slack(a) ? b : a));
  return { ...tightest, reason: `all ${parts.length} parts hold; closest: ${tightest.reason}` };
}

export function atLeast(least: number, parts: readonly Judgement[]): Judgement {
  const [held, open] = [having(parts, 'holds'), having(parts, 'cannot be tested')];
  const count = `${held.length} of ${parts.length} hold, ${least} are needed`;
  if (held.length >= least) return { ...held[0], reason: count };
  if (held.length + open.length >= least) return open[0];
  const verdict = having(parts, 'contradicted').length > parts.length - least ? 'contradicted' : 'not shown';
  const failed = having(parts, 'contradicted', 'not shown');
  return { ...failed[0], verdict, reason: `${count}; ${reasons(failed)}` };
}

/** None of several statements is true: it holds if the runs contradict each, not if they only do not show it. */
export function excludes(parts: readonly Judgement[]): Judgement {
  const [found, missing, unsettled] = (['holds', 'cannot be tested', 'not shown'] as const).map((verdict) =>
    having(parts, verdict).at(0),
  );
  if (found !== undefined) return { ...found, verdict: 'contradicted' };
  if (missing !== undefined) return missing;
  if (unsettled !== undefined) return { ...unsettled, reason: `not excluded: ${unsettled.reason}` };
  return { ...parts[0], verdict: 'holds', reason: `excluded: ${reasons(parts)}` };
}

/**
 * The probability that a claim holds in a world that has nothing to do with the paper's and in which every difference is
 * decided; an upper bound where parts depend on one another, since they are taken to hold together.
 * - A number: ours is anywhere within a factor of two of the printed one, uniform in its logarithm, and the rule takes
 *   ±10 %: ln(1.1/0.9)/ln 4 = 0.145.
 * - An order: the methods stand in any order with equal probability, the same for every metric and place.
 * - A difference or a trend goes one of two ways. A bound with two limits has three outcomes, with one limit two.
 *
 * Noise alone decides less: 1 in 32 for an order among five seeds.
 */
export function chanceOf(rule: Rule): number {
  switch (rule.rule) {
    case 'number':
      return Math.log((1 + NUMBER_TOLERANCE) / (1 - NUMBER_TOLERANCE)) / Math.log(4);
    case 'order':
      return orderChance(rule);
    case 'bound':
      return rule.above !== undefined && rule.below !== undefined ? 1 / 3 : 1 / 2;
    case 'trend':
      return rule.direction === 'neither' ? 1 - 2 / 2 ** rule.methods.length : 1 / 2;
    case 'difference':
      return 1 / 2;
    case 'seeds':
      return 1;
    case 'all':
      return Math.min(...rule.parts.map(chanceOf));
  }
}

/** The share of all orders of the methods that have each group below the next: Π|G_k|!/(Σ|G_k|)!. */
function orderChance({ groups, need, among }: RuleOf<'order'>): number {
  const sizes = groups.map((group) => group.length);
  // One method below at least `need` of its rivals: all its ranks have the same probability.
  if (need !== undefined && among === 'rivals') return (sizes[1] - need + 1) / (sizes[1] + 1);
  const factorial = (n: number): number => (n <= 1 ? 1 : n * factorial(n - 1));
  return sizes.map(factorial).reduce((a, b) => a * b) / factorial(sizes.reduce((a, b) => a + b));
}
