/** What the figures of Section V share: panels side by side, series with intervals, the paper's values. */
import type { Curve } from '../paper/results';
import { axisSuffix, fade, heading } from './marks';

/** Grey of marks that belong to no method. */
export const NEUTRAL = '#7f7f7f';

/** What marks of the paper are called in the legend. */
export const PAPER = 'paper';

/** A panel's axes. */
export interface PanelAxes {
  /** With unit. */
  readonly x: string;
  readonly y: string;
  readonly logX?: boolean;
  readonly logY?: boolean;
  /** Categories in their order. */
  readonly categories?: readonly string[];
  readonly range?: readonly [number, number];
  readonly yRange?: readonly [number, number];
}

/** A value that the paper states. */
export interface PaperMark {
  readonly x: number | string;
  readonly y: number;
  readonly colour: string;
  readonly label: string;
}

/** Names of the k-th panel's axes, as traces refer to them. */
export function panelAxes(k: number): { xaxis: string; yaxis: string } {
  const suffix = axisSuffix(k);
  return { xaxis: `x${suffix}`, yaxis: `y${suffix}` };
}

/** Whether values spread so far that only a logarithmic axis shows them all. */
export function needsLog(values: readonly number[]): boolean {
  const positive = values.filter((value) => value > 0);
  return positive.length === values.length && Math.max(...positive) > 6 * Math.min(...positive);
}

/** 1, 2, 5, 10, …: ticks of a logarithmic axis over some values. */
export function logTicks(values: readonly number[]): number[] {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return [];
  const [low, high] = [Math.min(...positive) / 2, Math.max(...positive) * 2];
  const decades = Array.from(
    { length: Math.ceil(Math.log10(high)) - Math.floor(Math.log10(low)) + 1 },
    (_, i) => Math.floor(Math.log10(low)) + i,
  );
  const ticks = decades.flatMap((decade) => [1, 2, 5].map((digit) => Number(`${digit}e${decade}`)));
  return ticks.filter((tick) => tick >= low && tick <= high);
}

/** Ticks of an axis as Plotly wants them: plain numbers where it is logarithmic. */
export function logAxis(values: readonly number[]): object {
  const ticks = logTicks(values);
  return { type: 'log', tickmode: 'array', tickvals: ticks, ticktext: ticks.map(String) };
}

/** Categories with a margin, those without runs included. */
function categoryAxis(categories: readonly string[]): object {
  const range = [-0.5, categories.length - 0.5];
  return { type: 'category', categoryorder: 'array', categoryarray: categories, range };
}

/** Panels in a row with titles, axes and one legend above them all. */
export function panelLayout(
  title: string,
  subtitle: string,
  panels: readonly (PanelAxes & { readonly values?: readonly number[] })[],
  size: { readonly height?: number; readonly rows?: number } = {},
): Record<string, unknown> {
  const { height = 500, rows = 1 } = size;
  const gap = 0.1;
  const width = (1 - gap * (panels.length - 1)) / panels.length;
  const layout: Record<string, unknown> = {
    title: { ...heading(`${title}<br><span style="font-size: 12px">${subtitle}</span>`), pad: { t: 26 } },
    width: 980,
    height: height + 22 * (rows - 1),
    margin: { t: 72 + 22 * rows, l: 64, r: 24 },
    legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom' },
  };
  panels.forEach(({ x, y, logX, logY, categories, range, yRange, values = [] }, k) => {
    const suffix = axisSuffix(k);
    layout[`xaxis${suffix}`] = {
      domain: [k * (width + gap), k * (width + gap) + width],
      anchor: `y${suffix}`,
      title: { text: x },
      ...(categories === undefined ? {} : categoryAxis(categories)),
      ...(logX === true ? { type: 'log' } : {}),
      ...(range === undefined ? {} : { range }),
    };
    layout[`yaxis${suffix}`] = {
      anchor: `x${suffix}`,
      title: { text: y },
      ...(logY === true ? logAxis(values) : { rangemode: 'tozero' }),
      ...(yRange === undefined ? {} : { range: yRange }),
    };
  });
  return layout;
}

/** Rows that the entries of a legend across the whole figure take, from the width of their words. */
export function legendRows(names: readonly string[]): number {
  let [rows, used] = [1, 0];
  for (const name of names) {
    const width = 55 + 7 * name.length;
    if (used + width > 890) [rows, used] = [rows + 1, 0];
    used += width;
  }
  return rows;
}

/** "LYREO, n = 3", or "n = 1–3" where points differ. */
export function withSeeds(label: string, counts: readonly number[]): string {
  const there = counts.filter((count) => count > 0);
  if (there.length === 0) return label;
  const [least, most] = [Math.min(...there), Math.max(...there)];
  return `${label}, n = ${least === most ? most : `${least}–${most}`}`;
}

/** Plotly's error bars of a curve's 95 % interval; none where one seed gives no interval. */
export function intervalBars({ mean, lo, hi }: Curve, colour: string): object {
  const length = (ends: readonly number[], i: number): number =>
    Number.isFinite(ends[i]) ? Math.abs(ends[i] - mean[i]) : 0;
  return {
    type: 'data',
    symmetric: false,
    array: mean.map((_, i) => length(hi, i)),
    arrayminus: mean.map((_, i) => length(lo, i)),
    color: colour,
    thickness: 1.2,
    width: 4,
  };
}

/** A band between the least and the greatest seed. */
export function rangeBand({ x, min, max }: Curve, colour: string, panel: number): object {
  return {
    type: 'scatter',
    mode: 'lines',
    x: [...x, ...[...x].reverse()],
    y: [...max, ...[...min].reverse()],
    fill: 'toself',
    fillcolor: fade(colour, 0.2),
    line: { width: 0 },
    hoverinfo: 'skip',
    showlegend: false,
    ...panelAxes(panel),
  };
}

/** The paper's stated values as open diamonds, the printed number beside each; one entry in the legend. */
export function paperMarks(marks: readonly PaperMark[], panel: number, showlegend: boolean): object[] {
  if (marks.length === 0) return [];
  // Words stand inside the panel.
  const places = marks.map(({ x }) => Number(x));
  const [left, right] = [Math.min(...places), Math.max(...places)];
  const diamond = { symbol: 'diamond-open', size: 12, line: { width: 2 } };
  const shown = {
    type: 'scatter',
    mode: 'markers+text',
    name: PAPER,
    x: marks.map(({ x }) => x),
    y: marks.map(({ y }) => y),
    text: marks.map(({ label }) => ` ${label} `),
    // Of two above one another the lower is read below its curve, which the upper's lies above.
    textposition: marks.map(({ x, y }, k) => {
      if (places[k] === right && right > left) return 'middle left';
      return left < right && marks.some((other) => other.x === x && other.y > y) ? 'bottom right' : 'middle right';
    }),
    textfont: { size: 11, color: marks.map(({ colour }) => colour) },
    cliponaxis: false,
    marker: { ...diamond, color: marks.map(({ colour }) => colour) },
    hovertemplate: '%{x}: %{y}<extra>stated in the paper</extra>',
    showlegend: false,
    ...panelAxes(panel),
  };
  const entry = {
    type: 'scatter',
    mode: 'markers',
    name: PAPER,
    x: [null],
    y: [null],
    marker: { ...diamond, color: NEUTRAL },
    ...panelAxes(panel),
  };
  return showlegend ? [shown, entry] : [shown];
}
