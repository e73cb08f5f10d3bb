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

/** The median of a non-empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half];
  return sorted.length % 2 === 1 ? upper : (sorted[half - 1] + upper) / 2;
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
  const widths = [0, 1].map((c) => Math.max(...rows.map((row) => row[c].length)));
  return rows
    .map(([a, b, c]) => `${a.padEnd(widths[0])}  ${b.padStart(widths[1])}  ${c}`.trimEnd())
    .join('\n')
    .concat('\n');
}
