import type { Rule } from './claims';
import { NUMBER_TOLERANCE } from './judgement';

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
function orderChance({ groups, need, among }: Extract<Rule, { readonly rule: 'order' }>): number {
  const sizes = groups.map((group) => group.length);
  // One method below at least `need` of its rivals: all its ranks have the same probability.
  if (need !== undefined && among === 'rivals') return (sizes[1] - need + 1) / (sizes[1] + 1);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return sizes.reduce((product, size) => product * factorial(size), 1) / factorial(total);
}

function factorial(n: number): number {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
