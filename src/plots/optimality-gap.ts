import type { Inspection, InspectedRequest } from '../env/inspect';
import { methodOf, type MethodName } from '../paper/methods';
import type { GapRow } from '../studies/optimality-gap';
import type { Figure } from './figure';
import { COLOURS, axisSuffix, fade, heading, slotLines } from './marks';

const percent = (x: number): number => 100 * x;

/** Gaps to the exact optimum, a box and a point per instance for every scheduler. */
export function gapFigure(rows: readonly GapRow[], title: string): Figure {
  return {
    data: rows.map(({ scheduler, gaps }) => {
      const { label, colour } = methodOf(scheduler);
      return {
        type: 'box',
        name: label,
        x: gaps.map(percent),
        boxpoints: 'all',
        jitter: 0.5,
        pointpos: 0,
        whiskerwidth: 0,
        boxmean: true,
        orientation: 'h',
        marker: { color: colour, size: 5, opacity: 0.7 },
        line: { color: colour, width: 1.5 },
        fillcolor: fade(colour, 0.2),
        hovertemplate: '%{x:.2f} %<extra>%{fullData.name}</extra>',
      };
    }),
    layout: {
      title: heading(title),
      width: 900,
      height: 460,
      margin: { l: 170, t: 60 },
      showlegend: false,
      xaxis: { title: { text: 'mean latency above the least possible [%]' }, rangemode: 'tozero' },
      yaxis: { autorange: 'reversed' },
    },
  };
}

/** A method beside a bound. */
export interface BoundBar {
  readonly method: MethodName;
  /** Mean latency, s. */
  readonly meanLatency: number;
}

/** The methods of one system, and the bound that none can be below. */
export interface BoundPanel {
  readonly title: string;
  /** s. */
  readonly bound: number;
  /** Any order; one without runs is missing. */
  readonly bars: readonly BoundBar[];
}

/** How many times the bound an axis reaches; longer bars are cut, their value says how long. */
const AXIS = 2;

/** Methods as bars, the lower bound as a line; every bar says by how much it exceeds the line. */
export function boundFigure(panels: readonly BoundPanel[], title: string): Figure {
  const order = methodOrder(panels);
  const gap = 0.035;
  const width = (1 - gap * (panels.length - 1)) / panels.length;
  const layout: Record<string, unknown> = {
    title: heading(title),
    width: 980,
    height: 130 + 27 * order.length,
    margin: { l: 165, t: 78, r: 20 },
    showlegend: false,
    bargap: 0.28,
    annotations: panels.map((panel, k) => ({
      xref: 'paper',
      yref: 'paper',
      x: k * (width + gap),
      xanchor: 'left',
      y: 1,
      yanchor: 'bottom',
      text: `<b>${panel.title}</b>, bound ${panel.bound.toFixed(2)} s`,
      showarrow: false,
    })),
    shapes: panels.map(({ bound }, k) => ({
      type: 'line',
      xref: `x${axisSuffix(k)}`,
      yref: 'paper',
      x0: bound,
      x1: bound,
      y0: 0,
      y1: 1,
      line: { color: COLOURS.vermillion, width: 2, dash: 'dash' },
    })),
    yaxis: { categoryorder: 'array', categoryarray: order.map(labelOf).reverse() },
  };
  panels.forEach(({ bound }, k) => {
    layout[`xaxis${axisSuffix(k)}`] = {
      domain: [k * (width + gap), k * (width + gap) + width],
      range: [0, AXIS * bound],
      title: { text: 'mean latency [s]' },
    };
  });
  return {
    data: panels.flatMap(({ bound, bars }, k): object[] => {
      const isThere = new Set(bars.map(({ method }) => method));
      const without = order.filter((method) => !isThere.has(method)).map(labelOf);
      const axes = { xaxis: `x${axisSuffix(k)}` };
      return [
        {
          type: 'bar',
          orientation: 'h',
          ...axes,
          y: bars.map(({ method }) => labelOf(method)),
          x: bars.map(({ meanLatency }) => Math.min(meanLatency, 0.995 * AXIS * bound)),
          customdata: bars.map(({ meanLatency }) => meanLatency),
          text: bars.map(({ meanLatency }) => barText(meanLatency, bound)),
          textposition: bars.map(({ meanLatency }) => (meanLatency > 1.6 * bound ? 'inside' : 'outside')),
          insidetextanchor: 'end',
          textangle: 0,
          constraintext: 'none',
          textfont: { size: 11 },
          insidetextfont: { size: 11, color: '#ffffff' },
          marker: { color: bars.map(({ method }) => methodOf(method).colour) },
          hovertemplate: '%{y}: %{customdata:.3f} s, %{text} over the bound<extra></extra>',
        },
        {
          type: 'scatter',
          mode: 'text',
          ...axes,
          y: without,
          x: without.map(() => 0),
          text: without.map(() => ' not run here'),
          textposition: 'middle right',
          textfont: { size: 11 },
          hoverinfo: 'skip',
        },
      ];
    }),
    layout,
  };
}

const labelOf = (method: MethodName): string => methodOf(method).label;

/** "+7 %", and the latency too where the bar is cut. */
function barText(meanLatency: number, bound: number): string {
  const over = percent(meanLatency / bound - 1);
  const gap = `+${over < 9.95 ? over.toFixed(1) : over.toFixed(0)} %`;
  return meanLatency > AXIS * bound ? `${meanLatency.toFixed(1)} s, ${gap} ▸` : gap;
}

/** Methods by their latency in the panel that has most of them; those that it lacks come last. */
function methodOrder(panels: readonly BoundPanel[]): MethodName[] {
  const fullest = panels.reduce((most, panel) => (panel.bars.length > most.bars.length ? panel : most));
  const sorted = [...fullest.bars].sort((a, b) => a.meanLatency - b.meanLatency);
  return [...new Set([...sorted, ...panels.flatMap(({ bars }) => bars)].map(({ method }) => method))];
}

/**
 * Two assignments of one small episode, a panel each: a row per request under its server, from arrival to the last
 * token. What the two send to different servers is marked.
 */
export function assignmentsFigure(
  runs: readonly [
    { readonly name: string; readonly run: Inspection },
    { readonly name: string; readonly run: Inspection },
  ],
  title: string,
): Figure {
  const [first, second] = runs.map(({ run }) => run);
  const { slots, slotSeconds } = first.config;
  const servers = first.servers.map(({ name }) => name);
  const moved = new Set(
    first.requests.filter(({ server }, k) => server !== second.requests[k].server).map(({ id }) => id),
  );
  const endsAt = Math.max(...[first, second].flatMap(({ requests }) => requests.map(({ completedAt }) => completedAt)));
  const range = [-0.05 * slotSeconds, endsAt + 0.05 * slotSeconds];
  // Both panels give a server as many rows as the fuller one needs.
  const rows = servers.map((_, s) => Math.max(1, ...[first, second].map((run) => on(run, s).length)));
  const tops = rows.map((_, s) => rows.slice(0, s).reduce((a, b) => a + b + 1, 0));
  const layout: Record<string, unknown> = {
    title: heading(title),
    width: 980,
    height: 150 + 17 * rows.reduce((a, b) => a + b + 1, 0),
    margin: { l: 100, t: 80, r: 15 },
    barmode: 'overlay',
    showlegend: false,
    annotations: runs.map(({ name, run }, k) => ({
      xref: 'paper',
      yref: 'paper',
      x: 0.52 * k,
      xanchor: 'left',
      y: 1,
      yanchor: 'bottom',
      text: `<b>${name}</b>: mean ${run.metrics.meanLatency.toFixed(3)} s`,
      showarrow: false,
    })),
    shapes: [
      ...slotLines(slots, slotSeconds),
      ...slotLines(slots, slotSeconds).map((shape) => ({ ...shape, xref: 'x2' })),
      ...tops.slice(1).map((top) => ({
        type: 'line',
        xref: 'paper',
        x0: 0,
        x1: 1,
        y0: top - 1,
        y1: top - 1,
        line: { color: 'rgba(127, 127, 127, 0.55)', width: 1 },
      })),
    ],
    xaxis: { domain: [0, 0.48], range, title: { text: 'time [s]; dotted: slot boundaries' } },
    xaxis2: { domain: [0.52, 1], range, title: { text: 'time [s]' } },
    yaxis: {
      range: [tops[tops.length - 1] + rows[rows.length - 1] + 0.2, -1],
      tickmode: 'array',
      tickvals: rows.map((count, s) => tops[s] + (count - 1) / 2),
      ticktext: servers,
      showgrid: false,
      zeroline: false,
    },
  };
  return {
    data: runs.flatMap(({ run }, k) =>
      servers.map((name, s) => {
        const requests = on(run, s);
        return {
          type: 'bar',
          orientation: 'h',
          name,
          xaxis: `x${axisSuffix(k)}`,
          y: requests.map((_, row) => tops[s] + row),
          base: requests.map(({ arrivedAt }) => arrivedAt),
          x: requests.map(({ total }) => total),
          width: 0.86,
          marker: { color: requests.map(({ id }) => (moved.has(id) ? COLOURS.vermillion : fade(COLOURS.blue, 0.45))) },
          text: requests.map(({ id, inputTokens, outputTokens }) => `${id}: ${inputTokens} + ${outputTokens}`),
          textposition: 'inside',
          insidetextanchor: 'start',
          textangle: 0,
          insidetextfont: { size: 10, color: requests.map(({ id }) => (moved.has(id) ? '#ffffff' : '#555555')) },
          hovertemplate: `%{text} tokens, %{x:.3f} s on ${name}<extra></extra>`,
        };
      }),
    ),
    layout,
  };
}

const on = (run: Inspection, s: number): InspectedRequest[] => run.requests.filter(({ server }) => server === s);
