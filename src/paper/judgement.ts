import { type Interval, meanInterval } from '../core/statistics';

/** A claim holds, our runs exclude it, they do neither and more seeds may, or it lacks runs. */
export type Verdict = 'holds' | 'contradicted' | 'not shown' | 'cannot be tested';

export interface Judgement {
  readonly verdict: Verdict;
  /** Our number, or that of the least favourable part; null when there is none, as for an overloaded system. */
  readonly ours: Interval | null;
  /** The name of the quantity in `ours`. */
  readonly of: string;
  readonly reason: string;
}

/** A quantity by seed; Infinity stands for an overloaded run, which has no steady state. */
export interface Named {
  readonly name: string;
  readonly values: ReadonlyMap<number, number>;
}

const valuesOf = ({ values }: Named): number[] => [...values.values()];

/** The largest distance of a mean from the printed value, relative. */
export const NUMBER_TOLERANCE = 0.1;

/** The largest half width of an interval in half widths of the allowed range; ±25 % where ±10 % are allowed. */
export const WIDEST_INTERVAL = 2.5;

/** The number of seeds from which on signs decide; with fewer the 95 % interval does. */
export const SEEDS_FOR_SIGNS = 5;

/** The largest probability with which signs that mean nothing may decide: 5 of 5 seeds have it. */
const SIGN_LEVEL = 1 / 32;

/** Three significant digits. */
export function formatNumber(x: number): string {
  return Number.isFinite(x) ? String(Number(x.toPrecision(3))) : '?';
}

/** `2.45 s`, or the text alone where there is no unit. */
export function withUnit(text: string, unit: string): string {
  return unit === '' ? text : `${text} ${unit}`;
}

/** `2.45 [2.41, 2.49] s`. */
export function intervalText({ mean: centre, lo, hi }: Interval, unit = ''): string {
  return withUnit(`${formatNumber(centre)} [${formatNumber(lo)}, ${formatNumber(hi)}]`, unit);
}

type Side = 'above' | 'below' | 'undecided';

/**
 * The side of 0 on which values lie. With five seeds or more the signs decide: so many on one side that chance gives it
 * at most once in 32 times (5 of 5, 8 of 9). That needs no normal distribution, and one seed that runs away does not
 * swallow the others. With fewer seeds their 95 % interval decides, or that all of them are infinite.
 */
export function sideOf(values: readonly number[]): Side {
  const n = values.length;
  const isMostly = (sign: number): boolean =>
    signTail(values.filter((x) => Math.sign(x) === sign).length, n) <= SIGN_LEVEL;
  if (n >= SEEDS_FOR_SIGNS) return isMostly(1) ? 'above' : isMostly(-1) ? 'below' : 'undecided';
  if (n < 2) return 'undecided';
  if (values.every((x) => x === Infinity)) return 'above';
  if (values.every((x) => x === -Infinity)) return 'below';
  const { lo, hi } = meanInterval(values);
  return lo > 0 ? 'above' : hi < 0 ? 'below' : 'undecided';
}

/** The probability of at least k heads in n throws of a fair coin, Σ_{j≥k} C(n, j)/2ⁿ: the sign test's level. */
function signTail(k: number, n: number): number {
  let [tail, ways] = [0, 1];
  for (let j = n; j >= k; j--) {
    tail += ways;
    ways = (ways * j) / (n - j + 1);
  }
  return tail / 2 ** n;
}

/** A claim without the runs that it takes. */
export function untestable(of: string, n: number): Judgement {
  const reason = n === 0 ? `runs missing for ${of}` : `one seed only for ${of}; a verdict needs two`;
  return { verdict: 'cannot be tested', ours: null, of, reason };
}

function finiteInterval(values: readonly number[]): Interval | null {
  return values.every(Number.isFinite) ? meanInterval(values) : null;
}

/** `2.45 [2.41, 2.49] s`, or in how many seeds there is no steady state. */
function valuesText(values: readonly number[], unit = ''): string {
  const ours = finiteInterval(values);
  if (ours !== null) return intervalText(ours, unit);
  return `overloaded in ${values.filter((x) => !Number.isFinite(x)).length} of ${values.length} seeds`;
}

/**
 * The judgement by a quantity; too few seeds, or a quotient of 0 by 0, decide nothing.
 *
 * @param isExcluded whether our runs exclude a claim that does not hold.
 * @param lacking the quantity that lacks seeds, where it is not the judged one.
 */
function judged(of: Named, holds: boolean, isExcluded: boolean, reason: string, lacking = of.name): Judgement {
  const values = valuesOf(of);
  if (values.length < 2) return untestable(lacking, values.length);
  if (values.some(Number.isNaN)) {
    const why = `${lacking}: no number, since a run is overloaded or the divisor of a seed is 0`;
    return { verdict: 'cannot be tested', ours: null, of: lacking, reason: why };
  }
  const verdict = holds ? 'holds' : isExcluded ? 'contradicted' : 'not shown';
  return { verdict, ours: finiteInterval(values), of: of.name, reason };
}

/**
 * A printed number holds if our mean over seeds lies between `low` and `high` and its 95 % interval is no wider than 2.5
 * times that range, so that a wider interval never helps. It is contradicted if the seeds lie on one side of the range.
 *
 * @param range default: ±10 % of the printed value.
 */
export function numberHolds(
  quantity: Named,
  printed: number,
  unit = '',
  range: readonly number[] = [printed * (1 - NUMBER_TOLERANCE), printed * (1 + NUMBER_TOLERANCE)],
): Judgement {
  const [low, high] = [Math.min(...range), Math.max(...range)];
  const values = valuesOf(quantity);
  const ours = finiteInterval(values);
  const isInside = ours !== null && ours.mean >= low && ours.mean <= high;
  const isWide = ours !== null && ours.hi - ours.lo > WIDEST_INTERVAL * (high - low);
  const isExcluded = sideOf(values.map((x) => x - high)) === 'above' || sideOf(values.map((x) => x - low)) === 'below';
  const text = withUnit(`${valuesText(values, unit)} against ${formatNumber(low)} to ${formatNumber(high)}`, unit);
  const why = isExcluded ? ': outside' : !isInside ? ': not inside' : isWide ? ': the interval is too wide' : '';
  return judged(quantity, isInside && !isWide, isExcluded, `${text}${why}`);
}

/** a < b holds if the paired differences b − a lie above 0 by `sideOf`. */
export function isLess(a: Named, b: Named): Judgement {
  const change = difference(`${b.name} − ${a.name}`, a, b);
  const values = valuesOf(change);
  const side = sideOf(values);
  const why = { above: '', below: ': the opposite is significant', undecided: ': no significant difference' }[side];
  const lacking = values.length < 2 && a.values.size > b.values.size ? b.name : a.name;
  return judged(change, side === 'above', side === 'below', `${change.name} = ${valuesText(values)}${why}`, lacking);
}

/** A quantity lies above a limit, below one, or between two, by `sideOf`. */
export function isBounded(
  quantity: Named,
  { above, below }: { readonly above?: number | undefined; readonly below?: number | undefined },
): Judgement {
  const values = valuesOf(quantity);
  const sides = [
    ...(above === undefined ? [] : [sideOf(values.map((x) => x - above))]),
    ...(below === undefined ? [] : [sideOf(values.map((x) => below - x))]),
  ];
  const holds = sides.every((side) => side === 'above');
  const limits = [above, below].filter((limit) => limit !== undefined).map(formatNumber);
  const where = limits.length === 2 ? 'within' : above === undefined ? 'below' : 'above';
  const reason = `${quantity.name} is ${valuesText(values)}, ${holds ? '' : 'not '}${where} ${limits.join(' to ')}`;
  return judged(quantity, holds, sides.includes('below'), reason);
}

/**
 * A quantity rises, or falls, over the points of a sweep: its change from the first point to the last goes that way by
 * `sideOf`, and no step between neighbours goes significantly against it. It is contradicted by a change the other way,
 * or by a step against a change that goes the claimed way.
 */
export function isMonotone(name: string, points: readonly Named[], direction: 'rises' | 'falls'): Judgement {
  const bare = points.find(({ values }) => values.size < 2);
  if (bare !== undefined || points.length === 0) return untestable(bare?.name ?? name, bare?.values.size ?? 0);
  const sign = direction === 'rises' ? 1 : -1;
  const along = (step: Named): Side => sideOf(valuesOf(step).map((x) => sign * x));
  const steps = points.slice(1).map((point, i) => difference(`${points[i].name} to ${point.name}`, points[i], point));
  const against = steps.filter((step) => along(step) === 'below').map((step) => step.name);
  const change = difference(`last − first, ${name}`, points[0], points[points.length - 1]);
  const steepest = against.length === 0 ? '' : `, significant steps against it: ${against.join(', ')}`;
  const reason = `${name}: last − first = ${valuesText(valuesOf(change))}${steepest}`;
  const side = along(change);
  return judged(change, side === 'above' && against.length === 0, side !== 'undecided', reason);
}

/**
 * A new quantity, seed by seed, from several; seeds that one of them lacks are left out. A division by 0 gives NaN, so
 * that only an overloaded run gives Infinity.
 */
export function combine(name: string, parts: readonly Named[], of: (...values: number[]) => number): Named {
  const values = new Map<number, number>();
  for (const seed of parts.at(0)?.values.keys() ?? []) {
    const operands = parts.flatMap((part) => part.values.get(seed) ?? []);
    if (operands.length < parts.length) continue;
    const value = of(...operands);
    values.set(seed, operands.every(Number.isFinite) && !Number.isFinite(value) ? Number.NaN : value);
  }
  return { name, values };
}

/** b − a, seed by seed; two overloaded runs are equal. */
function difference(name: string, a: Named, b: Named): Named {
  return combine(name, [a, b], (x, y) => (x === y ? 0 : y - x));
}
