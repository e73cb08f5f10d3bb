import type { Panel } from './panel';

/** A y axis that shows all values, and where on it a value lies, 0 at the bottom and 1 at the top. */
export interface Scale {
  readonly axis: object;
  readonly at: (y: number) => number;
  /** The value at a height between 0 and 1. */
  readonly valueAt: (height: number) => number;
}

/**
 * The scale of a panel, with room for overloaded points: logarithmic where it says so, or where its values spread and no
 * range is given. The range of a logarithmic axis is given as exponents of 10, as Plotly takes it.
 */
export function scaleOf({ values, logY, y, overloaded }: Panel): Scale {
  const finite = values.filter(Number.isFinite);
  const given = y['range'] as readonly [number, number] | undefined;
  if (finite.length === 0 && given === undefined) return { axis: {}, at: () => 0, valueAt: () => 0 };
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const isLog = logY ?? (given === undefined && needsLog(finite));
  const [low, high] = isLog ? [Math.log10(least), Math.log10(most)] : [least, most];
  const pad = high > low ? 0.07 * (high - low) : Math.max(0.1 * Math.abs(high), 0.05);
  const room = overloaded.length > 0 ? 0.16 * (high - low + 2 * pad) : 0;
  // A linear axis that starts at 0 shows proportions; where values lie close together it would hide their differences.
  const start = !isLog && low >= 0 && low < 0.6 * high ? 0 : low - pad;
  const [from, to] = given ?? [start, high + pad + room];
  const read = isLog ? Math.log10 : (value: number): number => value;
  const write = isLog ? (value: number): number => 10 ** value : (value: number): number => value;
  return {
    axis: isLog
      ? { type: 'log', range: [from, to], ...ticksAt(ticksWithin(10 ** from, 10 ** to)) }
      : { range: [from, to] },
    at: (value) => (read(value) - from) / (to - from),
    valueAt: (height) => write(from + height * (to - from)),
  };
}

/** Whether positive values spread so far that only a logarithmic axis shows them all. */
export function needsLog(values: readonly number[]): boolean {
  return values.length > 0 && Math.min(...values) > 0 && Math.max(...values) > 6 * Math.min(...values);
}

/** An axis with these ticks and plain numbers beside them. */
export function ticksAt(places: readonly (number | string)[]): object {
  return { tickmode: 'array', tickvals: places, ticktext: places.map(String) };
}

/** Ticks of a logarithmic axis over some values, with a little room at both ends; see `ticksWithin`. */
export function logTicks(values: readonly number[]): number[] {
  const positive = values.filter((value) => value > 0);
  return positive.length === 0 ? [] : ticksWithin(0.8 * Math.min(...positive), 1.25 * Math.max(...positive));
}

/**
 * At least three ticks of a logarithmic axis from low to high: 1, 2, 5, 10, …; more within a decade, fewer over many.
 * Where high is less than twice low, they have equal steps of 1, 2 or 5 × 10^k.
 */
export function ticksWithin(low: number, high: number): number[] {
  if (!(high > low)) return [low];
  if (high < 2 * low) return linearTicks(low, high);
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => first + i);
  const ticksOf = (digits: readonly number[]): number[] =>
    decades
      .flatMap((decade) => digits.map((digit) => Number(`${digit}e${decade}`)))
      .filter((tick) => tick >= low && tick <= high);
  const choices = [
    [1],
    [1, 2, 5],
    [1, 2, 3, 4, 5, 6, 8],
    [1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.4, 2.6, 2.8, 3, 3.5, 4, 5, 6, 7, 8],
  ];
  return choices.map(ticksOf).find((ticks) => ticks.length >= 3) ?? linearTicks(low, high);
}

/** The multiples between low and high of the largest step of 1, 2 or 5 × 10^k that has three of them or more. */
function linearTicks(low: number, high: number): number[] {
  const decade = Math.ceil(Math.log10(high - low));
  const steps = [decade, decade - 1, decade - 2].flatMap((k) => [5, 2, 1].map((digit) => Number(`${digit}e${k}`)));
  const multiples = (step: number): number[] => {
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) =>
      Number(((first + n) * step).toPrecision(12)),
    );
  };
  return steps.map(multiples).find((ticks) => ticks.length >= 3) ?? [];
}
