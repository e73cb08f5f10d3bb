import type { TruncationCheck } from '../lyreo/truncation';
import type { Figure } from './figure';
import { COLOURS, axisSuffix, heading } from './marks';

/** One row of `slotPanels`: quantities per slot on one axis. */
export interface SlotPanel {
  /** Of the y axis, with unit. */
  readonly y: string;
  readonly series: readonly {
    readonly name: string;
    /** One value per slot. */
    readonly values: ArrayLike<number>;
    readonly colour: string;
    readonly kind: 'bars' | 'line';
  }[];
}

/** Quantities slot by slot under one another, on one axis of slots. Bars of a panel are stacked. */
export function slotPanels(panels: readonly SlotPanel[], title: string, firstSlot = 0): Figure {
  const gap = 0.07;
  const each = (1 - gap * (panels.length - 1)) / panels.length;
  const top = (k: number): number => 1 - k * (each + gap);
  const slots = Math.max(...panels.flatMap((panel) => panel.series.map(({ values }) => values.length)));
  const layout: Record<string, unknown> = {
    title: heading(title),
    barmode: 'relative',
    width: 980,
    height: 130 + 150 * panels.length,
    margin: { t: 110, l: 90 },
    legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom', traceorder: 'normal' },
    xaxis: {
      title: { text: 'slot t' },
      anchor: `y${axisSuffix(panels.length - 1)}`,
      range: [firstSlot - 0.6, firstSlot + slots - 0.4],
      ...(slots <= 16 ? { dtick: 1 } : {}),
    },
  };
  panels.forEach((panel, k) => {
    layout[`yaxis${axisSuffix(k)}`] = {
      title: { text: panel.y },
      domain: [Math.max(0, top(k) - each), top(k)],
      zeroline: true,
    };
  });
  return {
    data: panels.flatMap((panel, k) =>
      panel.series.map(({ name: label, values, colour, kind }) => ({
        ...(kind === 'bars'
          ? { type: 'bar', marker: { color: colour } }
          : { type: 'scatter', mode: 'lines+markers', line: { color: colour, width: 2 }, marker: { size: 6 } }),
        name: label,
        x: Int32Array.from(values, (_, t) => firstSlot + t),
        y: Float64Array.from(values),
        xaxis: 'x',
        yaxis: `y${axisSuffix(k)}`,
        hovertemplate: `slot %{x}: %{y:.4g}<extra>${label}</extra>`,
      })),
    ),
    layout,
  };
}

/** Mean and largest |y_∞ − ŷ_H| under the bound Π, over H. */
export function truncationFigure(checks: readonly TruncationCheck[]): Figure {
  const x = checks.map(({ horizon }) => horizon);
  const line = (label: string, values: number[], colour: string, dash: string, symbol: string): object => ({
    type: 'scatter',
    mode: 'lines+markers',
    name: label,
    x,
    y: values,
    line: { color: colour, dash },
    marker: { size: 7, symbol },
    hovertemplate: 'H = %{x}: %{y:.3g}<extra>%{fullData.name}</extra>',
  });
  return {
    data: [
      line(
        'bound Π',
        checks.map((c) => c.bound),
        COLOURS.vermillion,
        'dash',
        'diamond',
      ),
      line(
        'largest |y<sub>∞</sub> − ŷ<sub>H</sub>|',
        checks.map((c) => c.largestError),
        COLOURS.blue,
        'solid',
        'circle',
      ),
      line(
        'mean |y<sub>∞</sub> − ŷ<sub>H</sub>|',
        checks.map((c) => c.meanError),
        COLOURS.sky,
        'dot',
        'square',
      ),
    ],
    layout: {
      title: heading('What truncating the return at H slots costs'),
      margin: { t: 85 },
      legend: { orientation: 'h', x: 1, xanchor: 'right', y: 1.01, yanchor: 'bottom' },
      xaxis: { type: 'log', title: { text: 'window H [slots]' }, tickvals: x, ticktext: x.map(String) },
      yaxis: { type: 'log', title: { text: 'error of the return [reward]' }, exponentformat: 'power', dtick: 1 },
    },
  };
}
