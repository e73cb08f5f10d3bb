import type { CreditMove } from '../studies/credit-moves';
import type { TruncationCheck } from '../lyreo/truncation';
import type { Figure } from './figure';
import { COLOURS, axisSuffix, fade, heading } from './marks';

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

/**
 * Where credit moves when it is booked: one line per pair of slots from where the latency arrived (above) to where it
 * was decided (below), as thick as the seconds it carries. The shades tell assigning slots apart.
 */
export function creditMovesFigure(moves: readonly CreditMove[]): Figure {
  const most = Math.max(...moves.map(({ seconds }) => seconds));
  const shades = [COLOURS.blue, COLOURS.orange, COLOURS.green, COLOURS.purple];
  const slots = moves.flatMap((move) => [move.assignedSlot, move.completedSlot]);
  const [first, last] = [Math.min(...slots), Math.max(...slots)];
  const sums = (of: 'assignedSlot' | 'completedSlot'): Map<number, number> => {
    const sum = new Map<number, number>();
    for (const move of moves) sum.set(move[of], (sum.get(move[of]) ?? 0) + move.seconds);
    return sum;
  };
  const ends = (of: 'assignedSlot' | 'completedSlot', y: number, words: string): object => {
    const sum = [...sums(of)].sort(([a], [b]) => a - b);
    return {
      type: 'scatter',
      mode: 'markers+text',
      showlegend: false,
      x: sum.map(([slot]) => slot),
      y: sum.map(() => y),
      text: sum.map(([, seconds]) => seconds.toFixed(0)),
      textposition: y === 1 ? 'top center' : 'bottom center',
      cliponaxis: false,
      marker: { size: 9, color: COLOURS.grey },
      hovertemplate: `slot %{x}: %{text} s ${words}<extra></extra>`,
    };
  };
  return {
    data: [
      ...moves.map(({ assignedSlot, completedSlot, seconds, requests }) => ({
        type: 'scatter',
        mode: 'lines',
        showlegend: false,
        x: [completedSlot, (completedSlot + assignedSlot) / 2, assignedSlot],
        y: [1, 0.5, 0],
        line: { width: 1 + (11 * seconds) / most, color: fade(shades[assignedSlot % shades.length], 0.7) },
        hoverinfo: 'text',
        text: `${requests} requests of slot ${assignedSlot} completed in slot ${completedSlot}: ${seconds.toFixed(1)} s`,
      })),
      ends('completedSlot', 1, 'arrive'),
      ends('assignedSlot', 0, 'are booked'),
    ],
    layout: {
      title: heading('Where the latencies arrive, and which slot decided them (numbers: seconds)'),
      width: 980,
      height: 420,
      margin: { t: 60, l: 120 },
      hovermode: 'closest',
      xaxis: { title: { text: 'slot t' }, range: [first - 0.5, last + 0.5], dtick: 1, zeroline: false },
      yaxis: {
        range: [-0.18, 1.18],
        tickvals: [0, 1],
        ticktext: ['booked to<br>assigning slot', 'as printed:<br>at completion'],
        showgrid: false,
        zeroline: false,
      },
    },
  };
}

/** What a heat map of requests and servers shows. */
export interface RequestWorth {
  /** One name per request, from the top. */
  readonly requests: readonly string[];
  readonly servers: readonly string[];
  /** q_i(s) less the policy's mean, [requests][servers]. */
  readonly worth: readonly (readonly number[])[];
  /** The server each went to. */
  readonly chosen: readonly number[];
  /** Of the colours, with unit. */
  readonly unit: string;
  readonly title: string;
}

/** Request × server: what going there would have been worth. A ring marks where each went: say so in the title. */
export function requestWorthFigure({ requests, servers, worth, chosen, unit, title }: RequestWorth): Figure {
  const largest = Math.max(...worth.flat().map(Math.abs));
  return {
    data: [
      {
        type: 'heatmap',
        x: servers,
        y: requests,
        z: worth,
        zmin: -largest,
        zmax: largest,
        // Orange to blue: told apart by every kind of colour vision.
        colorscale: [
          [0, '#D55E00'],
          [0.5, '#f7f7f7'],
          [1, '#0072B2'],
        ],
        colorbar: { title: { text: unit, side: 'right' } },
        xgap: 1,
        ygap: 1,
        hovertemplate: '%{y} to %{x}: %{z:.3g}<extra></extra>',
      },
      {
        type: 'scatter',
        mode: 'markers',
        showlegend: false,
        x: chosen.map((s) => servers[s]),
        y: requests,
        marker: { symbol: 'circle-open', size: 13, color: '#000000', line: { width: 2 } },
        hovertemplate: '%{y} went to %{x}<extra></extra>',
      },
    ],
    layout: {
      title: heading(title),
      width: 980,
      height: 120 + 20 * requests.length,
      margin: { t: 60, l: 190 },
      xaxis: { title: { text: 'edge server' }, type: 'category', range: [-0.5, servers.length - 0.5], showgrid: false },
      yaxis: {
        title: { text: 'request of the slot' },
        type: 'category',
        range: [requests.length - 0.5, -0.5],
        showgrid: false,
      },
    },
  };
}

/** A kind of credit beside the truth, decision by decision. */
export interface TruthPanel {
  readonly label: string;
  readonly colour: string;
  readonly truth: ArrayLike<number>;
  readonly credit: ArrayLike<number>;
  readonly correlation: number;
}

/** Scatters of credit over the true effect of the same decisions, one panel per kind of credit. */
export function truthFigure(panels: readonly TruthPanel[], title: string, truthAxis: string): Figure {
  const columns = Math.min(4, panels.length);
  const rows = Math.ceil(panels.length / columns);
  const gapX = 0.07;
  const gapY = 0.24;
  const width = (1 - gapX * (columns - 1)) / columns;
  const height = (1 - gapY * (rows - 1)) / rows;
  const layout: Record<string, unknown> = {
    title: heading(title),
    width: 980,
    height: 120 + 260 * rows,
    margin: { t: 90 },
    showlegend: false,
  };
  const annotations: object[] = [];
  panels.forEach(({ label, correlation }, k) => {
    const left = (k % columns) * (width + gapX);
    const top = 1 - Math.floor(k / columns) * (height + gapY);
    layout[`xaxis${axisSuffix(k)}`] = {
      domain: [left, left + width],
      anchor: `y${axisSuffix(k)}`,
      title: { text: truthAxis },
      zeroline: true,
      nticks: 5,
    };
    layout[`yaxis${axisSuffix(k)}`] = {
      domain: [Math.max(0, top - height), top],
      anchor: `x${axisSuffix(k)}`,
      zeroline: true,
      ...(k % columns === 0 ? { title: { text: 'credit [standard deviations]' } } : {}),
    };
    annotations.push({
      text: `${label}<br><b>r = ${correlation.toFixed(2)}</b>`,
      xref: 'paper',
      yref: 'paper',
      x: left,
      y: top,
      xanchor: 'left',
      yanchor: 'bottom',
      align: 'left',
      showarrow: false,
      font: { size: 12 },
    });
  });
  return {
    data: panels.map(({ label, colour, truth, credit }, k) => ({
      type: 'scatter',
      mode: 'markers',
      name: label,
      x: Float64Array.from(truth),
      y: inDeviations(credit),
      xaxis: `x${axisSuffix(k)}`,
      yaxis: `y${axisSuffix(k)}`,
      marker: { color: fade(colour, 0.6), size: 5 },
      hovertemplate: 'truth %{x:.3g}, credit %{y:.2f}<extra>%{fullData.name}</extra>',
    })),
    layout: { ...layout, annotations },
  };
}

/** Every kind of credit has a scale of its own; PPO standardises them too. */
function inDeviations(credit: ArrayLike<number>): Float64Array {
  const values = Float64Array.from(credit);
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((a, b) => a + (b - mean) ** 2, 0) / values.length);
  return values.map((x) => (deviation === 0 ? 0 : (x - mean) / deviation));
}
