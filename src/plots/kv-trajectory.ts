import { type InspectedIteration, type Inspection, type KvByRequest } from '../env/inspect';
import type { Figure } from './figure';
import { OKABE_ITO } from './theme';
import { COLOURS, fade, heading, megabytes, packedPairs, slotLines } from './marks';

/** Which axes a panel's traces are drawn on, `x`, `y2`, …. */
interface Axes {
  readonly xaxis: string;
  readonly yaxis: string;
}

/** Slots that a window of the explorer shows. */
const WINDOW_SLOTS = 2;

/**
 * m_s(k, t) iteration by iteration, phases I and II shaded, ▲ admissions, ▼ completions and the pool's size, for every
 * server and slot: a menu chooses the server and a slider the slots. Both work in the browser, without a kernel.
 *
 * @param server the server shown at first.
 */
export function kvExplorerFigure(run: Inspection, server = 0): Figure {
  const panels = run.servers.map((_, s) => panelTraces(run, s, s === server, { xaxis: 'x', yaxis: 'y' }));
  const perPanel = panels.at(0)?.length ?? 0;
  const title = (s: number): string =>
    `KV cache of ${run.servers.at(s)?.name ?? ''}, iteration by iteration (${run.config.batching})`;
  const menu = run.servers.map((spec, s) => ({
    label: spec.name,
    method: 'update',
    args: [
      { visible: panels.flatMap((_, other) => Array.from({ length: perPanel }, () => other === s)) },
      { 'title.text': title(s) },
    ],
  }));
  return {
    data: panels.flat(),
    layout: {
      title: heading(title(server)),
      width: 980,
      height: 560,
      margin: { t: 100, b: 120 },
      legend: { orientation: 'h', x: 0, y: 1.01, yanchor: 'bottom' },
      xaxis: { title: { text: 'time [s]; dotted: slot boundaries', standoff: 2 } },
      yaxis: { title: { text: 'KV cache, m<sub>s</sub>(k, t) [MB]' }, rangemode: 'tozero' },
      shapes: slotLines(run.config.slots, run.config.slotSeconds),
      updatemenus: [
        {
          type: 'dropdown',
          buttons: menu,
          active: server,
          x: 1,
          xanchor: 'right',
          y: 1.16,
          yanchor: 'top',
          bgcolor: '#ffffff',
          font: { color: '#333333' },
        },
      ],
      sliders: [slotSlider(run, ['xaxis'])],
    },
  };
}

/**
 * Two runs of the same requests under one another, on one clock and one scale: DEED and static batching. The menu
 * chooses the server in both.
 */
export function kvCompareFigure(runs: readonly [Inspection, Inspection], server = 0): Figure {
  const axes: readonly [Axes, Axes] = [
    { xaxis: 'x', yaxis: 'y' },
    { xaxis: 'x2', yaxis: 'y2' },
  ];
  const [first] = runs;
  const panels = first.servers.map((_, s) =>
    runs.flatMap((run, i) =>
      panelTraces(run, s, s === server, axes[i]).map((trace) => (i === 0 ? trace : { ...trace, showlegend: false })),
    ),
  );
  const perPanel = panels.at(0)?.length ?? 0;
  const yRange = (s: number): [number, number] => [0, 1.06 * poolOrPeak(runs, s)];
  const menu = first.servers.map((spec, s) => ({
    label: spec.name,
    method: 'update',
    args: [
      { visible: panels.flatMap((_, other) => Array.from({ length: perPanel }, () => other === s)) },
      { 'yaxis.range': yRange(s), 'yaxis2.range': yRange(s) },
    ],
  }));
  const lastAt = Math.max(...runs.map((run) => endOf(run)));
  const range = [0, lastAt];
  const panelTitle = (y: number, text: string): object => ({
    x: 1,
    xref: 'paper',
    xanchor: 'right',
    y,
    yref: 'paper',
    yanchor: 'bottom',
    text: `<b>${text}</b>`,
    showarrow: false,
  });
  const y = { title: { text: 'm<sub>s</sub>(k, t) [MB]' }, range: yRange(server) };
  return {
    data: panels.flat(),
    layout: {
      title: heading('The same requests on the same servers, decoded in two ways'),
      width: 980,
      height: 700,
      margin: { t: 120, b: 60 },
      legend: { orientation: 'h', x: 0, y: 1.03, yanchor: 'bottom' },
      xaxis: { range, anchor: 'y', matches: 'x2', showticklabels: false },
      xaxis2: { range, anchor: 'y2', title: { text: 'time [s]; dotted: slot boundaries' } },
      yaxis: { ...y, domain: [0.54, 1] },
      yaxis2: { ...y, domain: [0, 0.46], anchor: 'x2' },
      shapes: slotLines(first.config.slots, first.config.slotSeconds),
      annotations: [panelTitle(1, runs[0].config.batching), panelTitle(0.46, runs[1].config.batching)],
      updatemenus: [
        {
          type: 'dropdown',
          buttons: menu,
          active: server,
          x: 1,
          xanchor: 'right',
          y: 1.13,
          yanchor: 'top',
          bgcolor: '#ffffff',
          font: { color: '#333333' },
        },
      ],
    },
  };
}

/** m_s(k, t) taken apart: one layer per request, coloured by its slot of arrival. */
export function kvByRequestFigure(run: Inspection, parts: KvByRequest, fromAt: number, toAt: number): Figure {
  const x = parts.iterations.map((row) => row.startsAt);
  const server = run.servers.at(parts.iterations.at(0)?.server ?? 0);
  const seen = new Set<number>();
  const layers = parts.requests.map(({ request, kvBytes }) => {
    const isFirst = !seen.has(request.slot);
    seen.add(request.slot);
    const colour = OKABE_ITO[request.slot % OKABE_ITO.length];
    return {
      type: 'scatter',
      mode: 'lines',
      stackgroup: 'kv',
      name: `arrived in slot ${request.slot}`,
      legendgroup: String(request.slot),
      showlegend: isFirst,
      x: Float32Array.from(x),
      y: Float32Array.from(kvBytes, megabytes),
      line: { shape: 'hv', width: 0.6, color: colour },
      fillcolor: fade(colour, 0.55),
      hovertemplate: `${request.id}, ${request.inputTokens} in, ${request.outputTokens} out: %{y:.2f} MB<extra></extra>`,
    };
  });
  const capacity = megabytes(server?.kvCapacityBytes ?? 0);
  return {
    data: [...layers, capacityLine(capacity, fromAt, toAt, { xaxis: 'x', yaxis: 'y' })],
    layout: {
      title: heading(`Who holds the KV cache of ${server?.name ?? ''} (${run.config.batching})`),
      width: 980,
      height: 480,
      margin: { t: 90 },
      legend: { orientation: 'h', x: 0, y: 1.01, yanchor: 'bottom' },
      xaxis: { title: { text: 'time [s]; dotted: slot boundaries' }, range: [fromAt, toAt] },
      yaxis: { title: { text: 'KV cache, m<sub>s</sub>(k, t) [MB]' }, rangemode: 'tozero' },
      shapes: slotLines(run.config.slots, run.config.slotSeconds),
    },
  };
}

/** η_s(t) and the peak, server by slot. */
export function occupationHeatMaps(run: Inspection): Figure {
  const names = run.servers.map((server) => server.name);
  const slots = Array.from({ length: run.config.slots }, (_, t) => t);
  const grid = (field: 'eta' | 'peak'): number[][] =>
    names.map((_, s) => run.slots.filter((row) => row.server === s).map((row) => 100 * row[field]));
  const map = (field: 'eta' | 'peak', axes: Axes, x: number): object => ({
    type: 'heatmap',
    x: slots,
    y: names,
    z: grid(field),
    zmin: 0,
    zmax: 100,
    colorscale: 'Viridis',
    xgap: 1,
    ygap: 1,
    showscale: x > 0.5,
    colorbar: { title: { text: '% of the<br>pool' }, thickness: 12 },
    hovertemplate: `%{y}, slot %{x}: %{z:.1f} %<extra>${field === 'eta' ? 'η' : 'peak'}</extra>`,
    ...axes,
  });
  const panelTitle = (x: number, text: string): object => ({
    x,
    xref: 'paper',
    xanchor: 'center',
    y: 1.01,
    yref: 'paper',
    yanchor: 'bottom',
    text,
    showarrow: false,
  });
  return {
    data: [map('eta', { xaxis: 'x', yaxis: 'y' }, 0), map('peak', { xaxis: 'x2', yaxis: 'y2' }, 1)],
    layout: {
      title: heading(`How full each pool is, slot by slot (${run.config.batching})`),
      width: 980,
      height: 190 + 26 * names.length,
      margin: { t: 80 },
      xaxis: { title: { text: 'slot t' }, domain: [0, 0.48], showgrid: false },
      xaxis2: { title: { text: 'slot t' }, domain: [0.52, 1], anchor: 'y2', showgrid: false },
      yaxis: { autorange: 'reversed', title: { text: 'edge server' } },
      yaxis2: { autorange: 'reversed', anchor: 'x2', showticklabels: false, matches: 'y' },
      annotations: [panelTitle(0.24, 'memory-time η<sub>s</sub>(t)'), panelTitle(0.76, 'peak M<sub>pk</sub>(t)')],
    },
  };
}

/** Where the axis of a server ends, MB. */
function poolOrPeak(runs: readonly Inspection[], server: number): number {
  return Math.max(...runs.map((run) => megabytes(run.servers.at(server)?.kvCapacityBytes ?? 0)));
}

function endOf(run: Inspection): number {
  return Math.max(0, ...run.iterations.map(endOfIteration));
}

/** "3–4": the slots of a window. */
function slotsFrom(slot: number, slots: number): string {
  const last = Math.min(slot + WINDOW_SLOTS, slots) - 1;
  return last === slot ? String(slot) : `${slot}–${last}`;
}

function slotSlider(run: Inspection, axes: readonly string[]): object {
  const { slots, slotSeconds } = run.config;
  const view = (label: string, from: number, to: number): object => ({
    label,
    method: 'relayout',
    args: [Object.fromEntries(axes.map((axis) => [`${axis}.range`, [from, to]]))],
  });
  const windows = Array.from({ length: slots }, (_, t) =>
    view(slotsFrom(t, slots), t * slotSeconds, (t + WINDOW_SLOTS) * slotSeconds),
  );
  return {
    active: 0,
    steps: [view('all', 0, endOf(run)), ...windows],
    currentvalue: { prefix: 'slots shown: ', font: { size: 13 } },
    pad: { t: 45, b: 0 },
    len: 1,
  };
}

/** The five traces of one server: two phases, admissions, completions, pool; the same number for every server. */
function panelTraces(run: Inspection, server: number, visible: boolean, axes: Axes): object[] {
  const rows = run.iterations.filter((row) => row.server === server);
  const capacity = megabytes(run.servers.at(server)?.kvCapacityBytes ?? 0);
  return [
    phaseArea(rows, 'I', COLOURS.orange, axes),
    phaseArea(rows, 'II', COLOURS.blue, axes),
    admissions(run, rows, server, axes),
    completions(run, rows, server, axes),
    capacityLine(capacity, 0, endOf(run), axes),
  ].map((trace) => ({ ...trace, visible }));
}

/** The steps of one phase, shaded down to zero; at zero wherever the other phase or nothing runs. */
function phaseArea(rows: readonly InspectedIteration[], phase: 'I' | 'II', colour: string, axes: Axes): object {
  const x: number[] = [];
  const y: number[] = [];
  const about: (readonly [number, number])[] = [];
  const add = (at: number, kvBytes: number, { k, active }: InspectedIteration): void => {
    x.push(at);
    y.push(megabytes(kvBytes));
    about.push([k, active]);
  };
  const own = rows.filter((row) => row.phase === phase);
  own.forEach((row, i) => {
    const before = i === 0 ? undefined : own[i - 1];
    if (before === undefined || !follows(before, row)) add(row.startsAt, 0, row);
    add(row.startsAt, row.kvBytes, row);
    const next = own.at(i + 1);
    if (next !== undefined && follows(row, next)) return;
    add(endOfIteration(row), row.kvBytes, row);
    add(endOfIteration(row), 0, row);
  });
  return {
    type: 'scatter',
    mode: 'lines',
    name: phase === 'I' ? 'phase I: backlog only' : 'phase II: backlog and new',
    x: Float32Array.from(x),
    y: Float32Array.from(y),
    customdata: packedPairs(about),
    line: { shape: 'hv', width: 1, color: colour },
    fill: 'tozeroy',
    fillcolor: fade(colour, 0.4),
    hovertemplate: '%{x:.3f} s: %{y:.1f} MB, iteration %{customdata[0]}, %{customdata[1]} requests<extra></extra>',
    ...axes,
  };
}

function endOfIteration(row: InspectedIteration): number {
  return row.startsAt + row.seconds;
}

/** Whether an iteration begins when the other ends. */
function follows(before: InspectedIteration, next: InspectedIteration): boolean {
  return next.startsAt - endOfIteration(before) < 1e-9;
}

/** ▲ where requests join, at the level that their first iteration reaches. */
function admissions(run: Inspection, rows: readonly InspectedIteration[], server: number, axes: Axes): object {
  const level = new Map(rows.map((row) => [row.startsAt, megabytes(row.kvBytes)]));
  const joins = run.requests.filter((request) => request.server === server);
  return {
    type: 'scatter',
    mode: 'markers',
    name: 'admitted',
    x: Float32Array.from(joins, (request) => request.joinedAt),
    y: Float32Array.from(joins, (request) => level.get(request.joinedAt) ?? Number.NaN),
    text: joins.map((request) => request.id),
    marker: { symbol: 'triangle-up', size: 9, color: COLOURS.green },
    hovertemplate: '%{text} joins at %{x:.3f} s<extra></extra>',
    ...axes,
  };
}

/** ▼ where requests leave, at the level of their last iteration. */
function completions(run: Inspection, rows: readonly InspectedIteration[], server: number, axes: Axes): object {
  const leaves = run.requests
    .filter((request) => request.server === server)
    .sort((a, b) => a.completedAt - b.completedAt);
  let i = 0;
  const level = leaves.map(({ completedAt }) => {
    while (i + 1 < rows.length && rows[i + 1].startsAt < completedAt) i++;
    return megabytes(rows.at(i)?.kvBytes ?? 0);
  });
  return {
    type: 'scatter',
    mode: 'markers',
    name: 'completed',
    x: Float32Array.from(leaves, (request) => request.completedAt),
    y: Float32Array.from(level),
    text: leaves.map((request) => request.id),
    marker: { symbol: 'triangle-down', size: 9, color: COLOURS.purple },
    hovertemplate: '%{text} leaves at %{x:.3f} s<extra></extra>',
    ...axes,
  };
}

function capacityLine(capacity: number, fromAt: number, toAt: number, axes: Axes): object {
  return {
    type: 'scatter',
    mode: 'lines',
    name: 'KV pool κ·M',
    x: [fromAt, toAt],
    y: [capacity, capacity],
    line: { color: COLOURS.vermillion, width: 2, dash: 'dash' },
    hovertemplate: `pool: ${capacity.toFixed(1)} MB<extra></extra>`,
    ...axes,
  };
}
