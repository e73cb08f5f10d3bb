import { mean } from '../core/statistics';

/** Pearson's correlation of two quantities of the same things, [n] each; 0 where one of the two does not vary. */
export function correlation(x: ArrayLike<number>, y: ArrayLike<number>): number {
  const [meanX, meanY] = [mean(x), mean(y)];
  let [both, squareX, squareY] = [0, 0, 0];
  for (let k = 0; k < x.length; k++) {
    const [a, b] = [x[k] - meanX, y[k] - meanY];
    both += a * b;
    squareX += a * a;
    squareY += b * b;
  }
  // Rounding may leave a little of a constant's variance.
  const isConstant = (square: number, values: ArrayLike<number>): boolean =>
    square <= 1e-18 * (1 + mean(Array.from(values, (v) => v * v)));
  return isConstant(squareX, x) || isConstant(squareY, y) ? 0 : both / Math.sqrt(squareX * squareY);
}

/** Correlation of ranks (Spearman's): a few values of huge size do not rule it. */
export function rankCorrelation(x: ArrayLike<number>, y: ArrayLike<number>): number {
  return correlation(ranks(x), ranks(y));
}

/** Values less the mean of their group, [n]: whether one quantity tells the members of a group apart. */
export function withinGroups(values: ArrayLike<number>, groups: ArrayLike<number>): number[] {
  const members = new Map<number, number[]>();
  for (let k = 0; k < values.length; k++) members.set(groups[k], [...(members.get(groups[k]) ?? []), values[k]]);
  return Array.from(values, (value, k) => value - mean(members.get(groups[k]) ?? []));
}

/** 1 for the smallest; equal values share the mean of their ranks. */
function ranks(values: ArrayLike<number>): number[] {
  const places = Array.from(Float64Array.from(values).sort(), (value, k): [number, number] => [value, k + 1]);
  const last = new Map(places);
  const first = new Map(places.reverse());
  return Array.from(values, (value) => ((first.get(value) ?? NaN) + (last.get(value) ?? NaN)) / 2);
}
