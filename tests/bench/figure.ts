import { alignColumns } from '../../src/core/text-table';

/** One measured figure, as `npm run bench -- --json` prints it. */
export interface BenchFigure {
  readonly bench: string;
  readonly value: number;
  readonly unit: string;
  /** The comparison of the value; null when it stands alone. */
  readonly ratio: number | null;
  /** With what it compares, and the bar where there is one. */
  readonly ratioTo: string | null;
}

export interface BenchOptions {
  /** Shorter runs, rougher figures. */
  readonly quick: boolean;
  readonly log: (message: string) => void;
}

export function benchFigure(
  bench: string,
  value: number,
  unit: string,
  ratio: number | null = null,
  ratioTo: string | null = null,
): BenchFigure {
  return { bench, value, unit, ratio, ratioTo };
}

/** Processor seconds of this process since another reading: what the machine's other work disturbs least. */
export function processorSeconds(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

/** The median of a non-empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** The figures as JSON lines, or as a table. */
export function formatFigures(figures: readonly BenchFigure[], asJson: boolean): string {
  if (asJson) return figures.map((figure) => `${JSON.stringify(figure)}\n`).join('');
  const number = (x: number): string => (Math.abs(x) >= 100 ? x.toFixed(0) : x.toPrecision(3));
  const rows = figures.map(({ bench, value, unit, ratio, ratioTo }) => [
    bench,
    `${number(value)} ${unit}`,
    ratio === null ? '' : `${number(ratio)} x ${ratioTo ?? ''}`,
  ]);
  return `${alignColumns(rows, (c) => c === 1).join('\n')}\n`;
}
