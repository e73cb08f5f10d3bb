import { mean } from '../core/statistics';
import type { CounterfactualEffects } from './counterfactual';

/** Credit and true effect of the same decisions, pair by pair. */
export interface CreditAndTruth {
  /** [n]. */
  readonly credit: Float64Array;
  readonly truth: Float64Array;
}

/** The credit of the decisions whose true effect is known. */
export function besideTruth(advantages: Float32Array, { decisions, effects }: CounterfactualEffects): CreditAndTruth {
  return { credit: Float64Array.from(decisions, (d) => advantages[d]), truth: effects };
}

/**
 * The same, both less their means over the slot's decisions: whether a credit tells a slot's requests apart. A credit
 * that all of a slot's requests share does not.
 *
 * @param requests U.
 */
export function besideTruthInSlot(
  advantages: Float32Array,
  { decisions, effects }: CounterfactualEffects,
  requests: number,
): CreditAndTruth {
  const slots = Array.from(decisions, (d) => Math.floor(d / requests));
  const centred = (values: Float64Array): Float64Array => {
    const sums = new Map<number, { sum: number; count: number }>();
    slots.forEach((slot, k) => {
      const { sum, count } = sums.get(slot) ?? { sum: 0, count: 0 };
      sums.set(slot, { sum: sum + values[k], count: count + 1 });
    });
    return values.map((x, k) => {
      const of = sums.get(slots[k]);
      return of === undefined ? x : x - of.sum / of.count;
    });
  };
  const { credit, truth } = besideTruth(advantages, { decisions, effects });
  return { credit: centred(credit), truth: centred(truth) };
}

/** Pearson's correlation; 0 where one of the two does not vary. */
export function correlation({ credit, truth }: CreditAndTruth): number {
  const [meanCredit, meanTruth] = [mean(credit), mean(truth)];
  let both = 0;
  let creditSquare = 0;
  let truthSquare = 0;
  for (let k = 0; k < credit.length; k++) {
    const [c, e] = [credit[k] - meanCredit, truth[k] - meanTruth];
    both += c * e;
    creditSquare += c * c;
    truthSquare += e * e;
  }
  // What is left of a constant by rounding does not vary.
  const constant = (square: number, x: Float64Array): boolean => square <= 1e-18 * (1 + mean(x.map((v) => v * v)));
  return constant(creditSquare, credit) || constant(truthSquare, truth)
    ? 0
    : both / Math.sqrt(creditSquare * truthSquare);
}

/** Correlation of ranks (Spearman's): a few decisions of huge effect do not rule it. */
export function rankCorrelation({ credit, truth }: CreditAndTruth): number {
  return correlation({ credit: ranks(credit), truth: ranks(truth) });
}

/** 1 for the smallest; equal values share the mean of their ranks. */
function ranks(values: Float64Array): Float64Array {
  const order = Array.from(values, (_, k) => k).sort((a, b) => values[a] - values[b]);
  const out = new Float64Array(values.length);
  for (let begin = 0; begin < order.length;) {
    let end = begin + 1;
    while (end < order.length && values[order[end]] === values[order[begin]]) end++;
    for (let k = begin; k < end; k++) out[order[k]] = (begin + end + 1) / 2;
    begin = end;
  }
  return out;
}
