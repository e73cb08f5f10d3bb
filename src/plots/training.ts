import type { UpdateLog } from '../lyreo/lyreo';
import type { Figure } from './figure';
import { COLOURS, axisSuffix, heading } from './marks';

/** A training as a figure shows it: name and colour from the table of methods, and its log so far. */
export interface TrainingCurve {
  readonly label: string;
  readonly colour: string;
  readonly log: readonly UpdateLog[];
}

/** What the curves are drawn in. */
export interface TrainingFigureOptions {
  readonly title: string;
  /** Right end of the axis, slots: known before the training has got there, so that a live figure does not jump. */
  readonly slots: number;
  /** ε, drawn into the panel of the deviation. */
  readonly balanceTolerance?: number;
}

/** The panels, from the top left, row by row. */
const PANELS: readonly { readonly field: 'latency' | 'deviation' | 'queue' | 'quality'; readonly title: string }[] = [
  { field: 'latency', title: 'mean latency D<sub>tot</sub> [s]' },
  { field: 'deviation', title: 'mean deviation Y' },
  { field: 'queue', title: 'mean virtual queue Z' },
  { field: 'quality', title: 'quality of the return predictor' },
];

const DASHES = ['solid', 'dash', 'dot', 'dashdot'];
const MARKS = ['circle', 'square', 'diamond', 'triangle-up'];

/** Latency, deviation, queue and predictor quality over slots of experience; one point per update. */
export function trainingFigure(curves: readonly TrainingCurve[], options: TrainingFigureOptions): Figure {
  const { title, slots, balanceTolerance } = options;
  const traces = PANELS.flatMap(({ field }, k) =>
    curves.map(({ label, colour, log }, c) => ({
      // Of methods without a predictor there is no quality to show.
      visible: field !== 'quality' || log.some(({ quality }) => quality > 0),
      type: 'scatter',
      mode: 'lines+markers',
      name: label,
      legendgroup: label,
      showlegend: k === 0,
      xaxis: `x${axisSuffix(k)}`,
      yaxis: `y${axisSuffix(k)}`,
      x: log.map((entry) => entry.slots),
      y: log.map((entry) => entry[field]),
      line: { color: colour, dash: DASHES[c % DASHES.length] },
      marker: { size: 6, symbol: MARKS[c % MARKS.length] },
      hovertemplate: '%{x} slots: %{y:.4g}<extra>%{fullData.name}</extra>',
    })),
  );
  const columns: readonly (readonly [number, number])[] = [
    [0, 0.45],
    [0.55, 1],
  ];
  const rows: readonly (readonly [number, number])[] = [
    [0.58, 1],
    [0, 0.42],
  ];
  const layout: Record<string, unknown> = {
    title: heading(title),
    width: 980,
    height: 620,
    margin: { t: 110 },
    legend: { orientation: 'h', x: 0, y: 1.09, yanchor: 'bottom' },
    annotations: PANELS.map(({ title: text }, k) => ({
      text,
      xref: 'paper',
      yref: 'paper',
      x: columns[k % 2][0],
      y: rows[Math.floor(k / 2)][1],
      xanchor: 'left',
      yanchor: 'bottom',
      showarrow: false,
      font: { size: 13 },
    })),
    shapes:
      balanceTolerance === undefined
        ? []
        : [
            {
              type: 'line',
              xref: 'x2',
              yref: 'y2',
              x0: 0,
              x1: slots,
              y0: balanceTolerance,
              y1: balanceTolerance,
              line: { color: COLOURS.grey, width: 1.5, dash: 'dash' },
            },
          ],
  };
  PANELS.forEach(({ field }, k) => {
    layout[`xaxis${axisSuffix(k)}`] = {
      domain: columns[k % 2],
      anchor: `y${axisSuffix(k)}`,
      range: [0, slots * 1.02],
      title: { text: 'slots of experience' },
    };
    layout[`yaxis${axisSuffix(k)}`] = {
      domain: rows[Math.floor(k / 2)],
      anchor: `x${axisSuffix(k)}`,
      rangemode: field === 'latency' ? 'normal' : 'tozero',
      ...(field === 'quality' ? { range: [0, 1.02] } : {}),
    };
  });
  if (balanceTolerance !== undefined)
    (layout['annotations'] as object[]).push({
      text: `ε = ${balanceTolerance}`,
      xref: 'x2',
      yref: 'y2',
      x: 0,
      y: balanceTolerance,
      xanchor: 'left',
      yanchor: 'bottom',
      showarrow: false,
      font: { size: 12 },
    });
  return { data: traces, layout };
}
