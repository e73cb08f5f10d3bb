import type { Panel } from './panel';

/** A y axis that shows all values of a panel. */
export interface Scale {
  readonly axis: object;
  readonly isLog: boolean;
  /** The place of a value between the lower end of the axis, 0, and the upper one, 1. */
  readonly at: (y: number) => number;
}

/**
 * The scale of a panel, with room for overloaded points: logarithmic where it says so, or where no range is given and its
 * values are positive and the greatest is more than six times the least. A logarithmic range is given in exponents of 10.
 */
export function scaleOf({ values, logY, y, overloaded }: Panel): Scale {
  const finite = values.filter(Number.isFinite);
  const given = y['range'] as readonly [number, number] | undefined;
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  const isLog = logY ?? (given === undefined && least > 0 && most > 6 * least);
  if (finite.length === 0 && given === undefined) return { axis: {}, isLog: false, at: () => 0 };
  const read = (value: number): number => (isLog ? Math.log10(value) : value);
  const [low, high] = [read(least), read(most)];
  const pad = high > low ? 0.07 * (high - low) : Math.max(0.1 * Math.abs(high), 0.05);
  const room = overloaded.length > 0 ? 0.16 * (high - low + 2 * pad) : 0;
  // A linear axis that starts at 0 shows proportions; where values lie close together it would hide their differences.
  const start = !isLog && low >= 0 && low < 0.6 * high ? 0 : low - pad;
  const [from, to] = given ?? [start, high + pad + room];
  return {
    axis: { range: [from, to], ...(isLog && logAxis(to - from)) },
    isLog,
    at: (value) => (read(value) - from) / (to - from),
  };
}

/** A logarithmic axis over so many decades, with ticks at 1, 2, 5, 10, … in full; within one decade in even steps. */
export function logAxis(decades = 1): object {
  const nticks = decades < 1 ? 4 : Math.max(3, Math.ceil(decades));
  return { type: 'log', tickformat: '~g', nticks, tickangle: 0 };
}
