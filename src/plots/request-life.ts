import type { InspectedRequest, Inspection, RequestIteration } from '../env/inspect';
import type { LatencyParts } from '../env/metrics';
import type { Figure } from './figure';
import { COLOURS, LATENCY_PARTS, fade, heading, megabytes, slotLines, span } from './marks';

/**
 * One request's way over the slots: a row per part of D_tot, then every decode iteration with its length, coloured by
 * what the server's KV cache held.
 *
 * @param iterations what `requestIterations` gives for the request.
 */
export function requestLifeFigure(
  run: Inspection,
  request: InspectedRequest,
  iterations: readonly RequestIteration[],
): Figure {
  const { slotSeconds } = run.config;
  const server = run.servers.at(request.server);
  const firstSlot = request.slot;
  const lastSlot = Math.floor(request.completedAt / slotSeconds) + 1;
  return {
    data: [...partBars(request), boundaryTicks(iterations), iterationDots(iterations)],
    layout: {
      title: {
        text:
          `Request ${request.id} on ${server?.name ?? ''}: ${request.inputTokens} tokens in, ` +
          `${request.outputTokens} out, ${span(request.total)}`,
      },
      width: 980,
      height: 560,
      barmode: 'overlay',
      showlegend: false,
      margin: { l: 185, r: 90, t: 60, b: 55 },
      xaxis: {
        title: { text: 'time [s]; dotted: slot boundaries' },
        range: [firstSlot * slotSeconds - 0.06, lastSlot * slotSeconds + 0.06],
        anchor: 'y2',
        dtick: slotSeconds,
      },
      yaxis: {
        domain: [0.44, 1],
        type: 'category',
        categoryarray: [...ROWS].reverse(),
        categoryorder: 'array',
        range: [-0.6, ROWS.length - 0.4],
      },
      yaxis2: { domain: [0, 0.36], title: { text: 'iteration time,<br>τ′(k) [ms]' }, rangemode: 'normal' },
      shapes: slotLines(lastSlot, slotSeconds).slice(firstSlot),
    },
  };
}

const ROWS: readonly string[] = LATENCY_PARTS.map((part) => part.label);

/** A bar per part, with its length in words behind it; a part too short to see still has a mark. */
function partBars(request: InspectedRequest): object[] {
  let from = request.arrivedAt;
  const starts = LATENCY_PARTS.map(({ field }) => {
    const start = from;
    from += request[field];
    return start;
  });
  const ends = LATENCY_PARTS.map(({ field }, i) => starts[i] + request[field]);
  const lengths = LATENCY_PARTS.map(({ field }) => span(request[field]));
  return [
    {
      type: 'bar',
      orientation: 'h',
      y: ROWS,
      x: LATENCY_PARTS.map(({ field }) => request[field]),
      base: starts,
      marker: { color: LATENCY_PARTS.map(({ colour }) => fade(colour, 0.65)) },
      width: 0.62,
      text: lengths,
      textposition: 'none',
      hovertemplate: '%{y}: %{text}, from %{base:.4f} s<extra></extra>',
    },
    {
      type: 'scatter',
      mode: 'markers+text',
      x: ends,
      y: ROWS,
      text: lengths.map((length) => `  ${length}`),
      textposition: 'middle right',
      cliponaxis: false,
      marker: {
        symbol: 'line-ns-open',
        size: 16,
        color: LATENCY_PARTS.map(({ colour }) => colour),
        line: { width: 2 },
      },
      hoverinfo: 'skip',
    },
  ];
}

/** Each iteration as a tick in the decode row. */
function boundaryTicks(iterations: readonly RequestIteration[]): object {
  return {
    type: 'scatter',
    mode: 'markers',
    x: iterations.map((row) => row.startsAt),
    y: iterations.map(() => 'decode'),
    marker: { symbol: 'line-ns', size: 22, line: { width: 1, color: fade(COLOURS.blue, 0.55) } },
    hoverinfo: 'skip',
  };
}

function iterationDots(iterations: readonly RequestIteration[]): object {
  return {
    type: 'scatter',
    mode: 'markers',
    yaxis: 'y2',
    x: iterations.map((row) => row.startsAt),
    y: iterations.map((row) => 1000 * row.seconds),
    customdata: iterations.map((row) => [row.token, row.active, row.slot, row.k]),
    marker: {
      size: 6,
      symbol: iterations.map((row) => (row.prefillRuns ? 'diamond-open' : 'circle')),
      color: iterations.map((row) => megabytes(row.kvBytes)),
      colorscale: 'Viridis',
      colorbar: { title: { text: 'm(k, t)<br>[MB]' }, len: 0.45, y: 0.18, thickness: 12 },
    },
    hovertemplate:
      'token %{customdata[0]}: %{y:.2f} ms, %{customdata[1]} requests in the batch<br>' +
      'slot %{customdata[2]}, iteration %{customdata[3]}, %{marker.color:.1f} MB<extra></extra>',
  };
}

/** A row of {@link latencyPartsFigure}. */
export interface LatencyRow {
  readonly name: string;
  readonly parts: LatencyParts;
}

/** D_tot of requests or means of methods as bars of its parts, one above the other. */
export function latencyPartsFigure(rows: readonly LatencyRow[], title = 'Where the time goes'): Figure {
  return {
    data: LATENCY_PARTS.map(({ field, label, colour }) => ({
      type: 'bar',
      orientation: 'h',
      name: label,
      y: rows.map((row) => row.name),
      x: rows.map((row) => row.parts[field]),
      marker: { color: fade(colour, 0.8) },
      hovertemplate: '%{y}<br>%{fullData.name}: %{x:.4f} s<extra></extra>',
    })),
    layout: {
      title: heading(title),
      barmode: 'stack',
      width: 900,
      height: 210 + 34 * rows.length,
      margin: { t: 105 },
      xaxis: { title: { text: 'latency, D<sub>tot</sub> [s]' }, rangemode: 'tozero' },
      yaxis: { autorange: 'reversed', ticks: '' },
      legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom', traceorder: 'normal' },
    },
  };
}

/**
 * Who decoded beside a request: a bar per request from joining to leaving, the chosen one in blue.
 *
 * @param others what `companions` gives, in order of joining.
 */
export function companionsFigure(
  run: Inspection,
  request: InspectedRequest,
  others: readonly InspectedRequest[],
): Figure {
  const colour = (other: InspectedRequest): string => {
    if (other.id === request.id) return COLOURS.blue;
    return fade(other.slot % 2 === 0 ? COLOURS.orange : COLOURS.purple, 0.55);
  };
  const { slotSeconds } = run.config;
  const last = Math.ceil(Math.max(...others.map((other) => other.completedAt)) / slotSeconds);
  const first = Math.floor(Math.min(...others.map((other) => other.joinedAt)) / slotSeconds);
  return {
    data: [
      {
        type: 'bar',
        orientation: 'h',
        y: others.map((other) => other.id),
        x: others.map((other) => other.completedAt - other.joinedAt),
        base: others.map((other) => other.joinedAt),
        marker: { color: others.map(colour) },
        customdata: others.map((other) => [other.inputTokens, other.outputTokens, other.user]),
        hovertemplate:
          '%{y} of user %{customdata[2]}: %{customdata[0]} tokens in, %{customdata[1]} out<br>' +
          'decodes for %{x:.3f} s<extra></extra>',
      },
    ],
    layout: {
      title: { text: `In the batch with ${request.id} (blue); colours alternate with the slot of arrival` },
      width: 900,
      height: 150 + 15 * others.length,
      bargap: 0.25,
      xaxis: { title: { text: 'time [s]; dotted: slot boundaries' }, range: [first * slotSeconds, last * slotSeconds] },
      yaxis: { type: 'category', autorange: 'reversed', title: { text: 'request' }, tickfont: { size: 10 }, dtick: 1 },
      shapes: slotLines(last, slotSeconds).slice(first),
    },
  };
}
