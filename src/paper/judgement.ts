import { type Interval, meanInterval, pairedDifference, trend } from './statistics';

/** What a claim comes to. */
export type Verdict = 'holds' | 'does not hold' | 'cannot be tested';

/** A verdict with what it rests on. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Of a claim that does not hold: our runs exclude it. Else they only do not show it, and more seeds may. */
  readonly isContradicted: boolean;
  /** Our number: the claim's, or of its least favourable part. Null when nothing could be computed. */
  readonly ours: Interval | null;
  /** What `ours` is of. */
  readonly of: string;
  /** Why, in one sentence. */
  readonly reason: string;
}

/** A quantity by seed. */
export type Values = ReadonlyMap<number, number>;

/** A quantity with what it is called. */
export interface Named {
  readonly name: string;
  readonly values: Values;
}

/** How far a mean may be from the printed value, relative. */
export const NUMBER_TOLERANCE = 0.1;

/** An interval reaching further to either side, relative to the printed value, agrees with nearly anything. */
export const WIDEST_INTERVAL = 0.25;

/** Numbers for a sentence: three significant digits. */
export function brief(x: number): string {
  if (!Number.isFinite(x)) return '?';
  return String(Number(x.toPrecision(3)));
}

/** `2.45 s`, or the text alone where there is no unit. */
export function withUnit(text: string, unit: string): string {
  return unit === '' ? text : `${text} ${unit}`;
}

/** `2.45 [2.41, 2.49] s`. */
export function intervalText({ mean, lo, hi }: Interval, unit = ''): string {
  return withUnit(`${brief(mean)} [${brief(lo)}, ${brief(hi)}]`, unit);
}

/** A claim without the runs that it takes. */
export function untestable(of: string, n: number): Judgement {
  const reason = n === 0 ? `runs missing for ${of}` : `one seed only for ${of}; an interval needs two`;
  return { verdict: 'cannot be tested', isContradicted: false, ours: null, of, reason };
}

/** A claim that its runs do not decide. */
export function undecided(of: string, reason: string): Judgement {
  return { verdict: 'cannot be tested', isContradicted: false, ours: null, of, reason };
}

/** A claim that was tested; one that does not hold is contradicted or only not shown. */
function tested(holds: boolean, contradicts: boolean, ours: Interval | null, of: string, reason: string): Judgement {
  return { verdict: holds ? 'holds' : 'does not hold', isContradicted: !holds && contradicts, ours, of, reason };
}

/** What no interval decides: too few seeds, or a quotient whose divisor a seed has 0 for. */
function undecidable(name: string, { n, mean }: Interval): Judgement | undefined {
  if (n < 2) return untestable(name, n);
  if (Number.isFinite(mean)) return undefined;
  const reason = `${name}: no number, since a seed has 0 where it is divided by`;
  return { verdict: 'cannot be tested', isContradicted: false, ours: null, of: name, reason };
}

/**
 * A printed number holds if the 95 % interval of our mean over seeds meets ±10 % of it. One that does not meet them does
 * not hold, however wide its interval is. One that does, but reaches more than 25 % of the printed value to either side,
 * decides nothing; nor does a quotient with a divisor of 0.
 */
export function numberHolds({ name, values }: Named, printed: number, unit = ''): Judgement {
  const ours = meanInterval([...values.values()]);
  const open = undecidable(name, ours);
  if (open !== undefined) return open;
  const [low, high] = [printed * (1 - NUMBER_TOLERANCE), printed * (1 + NUMBER_TOLERANCE)].sort((a, b) => a - b);
  const meets = ours.lo <= high && ours.hi >= low;
  const isWide = (ours.hi - ours.lo) / 2 > WIDEST_INTERVAL * Math.abs(printed);
  const text = withUnit(`${intervalText(ours, unit)} against ${brief(low)} to ${brief(high)}`, unit);
  if (!meets) return tested(false, true, ours, name, `${text}: they do not meet`);
  if (isWide) {
    const reason = `${text}: the interval is too wide, more seeds are needed`;
    return { verdict: 'cannot be tested', isContradicted: false, ours, of: name, reason };
  }
  return tested(true, false, ours, name, text);
}

/** a < b holds if the paired 95 % interval of b − a over seeds lies above 0. */
export function isLess(a: Named, b: Named): Judgement {
  const ours = pairedDifference(a.values, b.values);
  const of = `${b.name} − ${a.name}`;
  if (ours.n < 2) return untestable(a.values.size <= b.values.size ? a.name : b.name, ours.n);
  const text = `${of} = ${intervalText(ours)}`;
  if (ours.lo > 0) return tested(true, false, ours, of, text);
  const isOpposite = ours.hi < 0;
  const why = isOpposite ? 'the opposite is significant' : 'no significant difference';
  return tested(false, isOpposite, ours, of, `${text}: ${why}`);
}

/** A quantity lies above a limit if its 95 % interval over seeds does; below it likewise. */
export function isBeyond({ name, values }: Named, side: 'above' | 'below', limit: number): Judgement {
  const ours = meanInterval([...values.values()]);
  const open = undecidable(name, ours);
  if (open !== undefined) return open;
  const holds = side === 'above' ? ours.lo > limit : ours.hi < limit;
  const isOpposite = side === 'above' ? ours.hi <= limit : ours.lo >= limit;
  const reason = `${name} is ${intervalText(ours)}, ${holds ? '' : 'not '}${side} ${brief(limit)}`;
  return tested(holds, isOpposite, ours, name, reason);
}

/** A quantity lies within limits if its 95 % interval over seeds does. */
export function isWithin({ name, values }: Named, low: number, high: number): Judgement {
  const ours = meanInterval([...values.values()]);
  const open = undecidable(name, ours);
  if (open !== undefined) return open;
  const holds = ours.lo >= low && ours.hi <= high;
  const reason = `${name} is ${intervalText(ours)}, ${holds ? '' : 'not '}within ${brief(low)} to ${brief(high)}`;
  return tested(holds, ours.hi < low || ours.lo > high, ours, name, reason);
}

/** A quantity is not significantly above 0; lack of evidence suffices, so what is judged by it says so in its name. */
export function isNotPositive({ name, values }: Named): Judgement {
  const ours = meanInterval([...values.values()]);
  if (ours.n < 2) return untestable(name, ours.n);
  const holds = !(ours.lo > 0);
  const reason = `${name} is ${intervalText(ours)}, ${holds ? 'not significantly above 0' : 'above 0'}`;
  return tested(holds, true, ours, name, reason);
}

/** A quantity rises, or falls, with what is swept: the rule of `trend`. */
export function goes(name: string, points: readonly Named[], direction: 'rises' | 'falls'): Judgement {
  const bare = points.find(({ values }) => values.size < 2);
  if (bare !== undefined) return untestable(bare.name, bare.values.size);
  const { verdict, change, against } = trend(points.map(({ values }) => values));
  const of = `last − first, ${name}`;
  const back = against.map((i) => `${points[i].name} to ${points[i + 1].name}`).join(', ');
  const text = `${name}: last − first = ${intervalText(change)}${against.length > 0 ? `, significant steps against it: ${back}` : ''}`;
  const [isSame, isOpposite] = direction === 'rises' ? [change.lo > 0, change.hi < 0] : [change.hi < 0, change.lo > 0];
  return tested(verdict === direction, isOpposite || (isSame && against.length > 0), change, of, text);
}

/**
 * A conjunction: it holds if every part does, at 5 % each (an intersection–union test, so no correction is due). One
 * part that fails decides it, whatever the others lack.
 */
export function all(parts: readonly Judgement[]): Judgement {
  const failed = parts.filter(({ verdict }) => verdict === 'does not hold');
  const open = parts.filter(({ verdict }) => verdict === 'cannot be tested');
  const few = (list: readonly Judgement[]): string => {
    const shown = list.slice(0, 3).map(({ reason }) => reason);
    return `${shown.join('; ')}${list.length > 3 ? `; and ${list.length - 3} more` : ''}`;
  };
  if (failed.length > 0) {
    const count = parts.length > 1 ? `${failed.length} of ${parts.length} parts fail: ` : '';
    const first = failed.find(({ isContradicted }) => isContradicted) ?? failed[0];
    return { ...first, reason: `${count}${few(failed)}` };
  }
  if (open.length > 0) return { ...open[0], reason: few(open) };
  if (parts.length === 1) return parts[0];
  const tightest = parts.reduce((a, b) => (slack(b) < slack(a) ? b : a));
  return { ...tightest, reason: `all ${parts.length} parts hold; closest: ${tightest.reason}` };
}

/** How clearly an interval lies on its side of 0, in half widths. */
function slack({ ours }: Judgement): number {
  if (ours === null || ours.hi === ours.lo) return Infinity;
  return Math.abs(ours.mean) / (ours.hi - ours.lo);
}

/** At least `least` of the parts hold. */
export function atLeast(least: number, parts: readonly Judgement[]): Judgement {
  const held = parts.filter(({ verdict }) => verdict === 'holds');
  const open = parts.filter(({ verdict }) => verdict === 'cannot be tested');
  const failed = parts.filter(({ verdict }) => verdict === 'does not hold');
  const count = `${held.length} of ${parts.length} hold, ${least} are needed`;
  if (held.length >= least) return { ...held[0], reason: count };
  if (held.length + open.length >= least) return { ...open[0], reason: open[0].reason };
  const isContradicted = failed.filter((part) => part.isContradicted).length > parts.length - least;
  return { ...failed[0], isContradicted, reason: `${count}; ${failed.map(({ reason }) => reason).join('; ')}` };
}

/** That none of several things is so: it holds if the runs contradict each, not if they only do not show it. */
export function excludes(parts: readonly Judgement[]): Judgement {
  const found = parts.find(({ verdict }) => verdict === 'holds');
  if (found !== undefined) return { ...found, verdict: 'does not hold', isContradicted: true };
  const open = parts.find(({ verdict }) => verdict === 'cannot be tested');
  if (open !== undefined) return open;
  const unsettled = parts.find(({ isContradicted }) => !isContradicted);
  if (unsettled !== undefined) return { ...unsettled, reason: `not excluded: ${unsettled.reason}` };
  const reason = `excluded: ${parts.map((part) => part.reason).join('; ')}`;
  return { ...parts[0], verdict: 'holds', isContradicted: false, reason };
}

/** A fact that no statistics decide. */
export function fact(holds: boolean, reason: string): Judgement {
  return tested(holds, true, null, '', reason);
}

/** A new quantity, seed by seed, from several; seeds that one of them lacks are left out. */
export function combine(name: string, parts: readonly Named[], of: (...values: number[]) => number): Named {
  const seeds = [...(parts.at(0)?.values.keys() ?? [])].filter((seed) => parts.every(({ values }) => values.has(seed)));
  const at = (seed: number): number[] => parts.map(({ values }) => values.get(seed) ?? Number.NaN);
  return { name, values: new Map(seeds.map((seed) => [seed, of(...at(seed))])) };
}
