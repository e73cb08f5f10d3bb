import type { InspectedIteration, InspectedRequest, Inspection } from '../env/inspect';
import type { Figure } from './figure';
import { endOf, followedTrace } from './followed-request';
import { axisSuffix, fade, heading, megabytes, packedPairs, slotLines } from './marks';
import { COLOURS } from './theme';

/** Slots that a window of the explorer shows. */
const WINDOW_SLOTS = 2;

/** Height of one run's panel, and what lies above, between and below the panels [px]. */
const SIZE = { panel: 330, between: 46, above: 130, below: 130 };

/** Options of {@link kvExplorerFigure}. */
export interface KvExplorerOptions {
  /** Names of the runs; default: how they batch. */
  readonly names?: readonly string[];
  /** Ids of the requests that the second menu offers, as "t3-7"; default: none, and no such menu. */
  readonly follow?: readonly string[];
}

/**
 * m_s(k, t) iteration by iteration, phases I and II shaded, ▲ admissions, ▼ completions and the pool's size, for every
 * server and slot: a menu chooses the server and a slider the slots. A second menu follows a request along the curve of
 * its server, from its slot to its last token. All of them work in the browser, without a kernel. Several runs of the
 * same requests stand under one another, on one clock and one scale.
 *
 * @param server the server shown at first.
 */
export function kvExplorerFigure(
  runs: Inspection | readonly Inspection[],
  server = 0,
  { names, follow = [] }: KvExplorerOptions = {},
): Figure {
  const list = Array.isArray(runs) ? (runs as readonly Inspection[]) : [runs as Inspection];
  const [{ servers, config }] = list;
  const labels = list.map((run, k) => names?.[k] ?? run.config.batching);
  const perServer = servers.map((_, s) => list.flatMap((run, k) => serverTraces(run, s, s === server, k)));
  const plotHeight = SIZE.panel * list.length + SIZE.between * (list.length - 1);
  const endsAt = Math.max(...list.flatMap(({ iterations }) => iterations.map(endOf)));
  const shown = list.map(() => server);
  const axes = list.flatMap((run, k): [string, object][] => {
    const above = 1 - (k * (SIZE.panel + SIZE.between)) / plotHeight;
    const suffix = axisSuffix(k);
    const isLast = k === list.length - 1;
    return [
      [
        `xaxis${suffix}`,
        {
          anchor: `y${suffix}`,
          range: [0, endsAt],
          ...(k > 0 && { matches: 'x' }),
          ...(isLast
            ? { title: { text: 'time [s]; dotted: slot boundaries', standoff: 2 } }
            : { showticklabels: false }),
        },
      ],
      [
        `yaxis${suffix}`,
        {
          domain: [Math.max(0, above - SIZE.panel / plotHeight), above],
          range: [0, topOf(list, shown)],
          title: { text: axisTitle(run, server, labels[k]) },
        },
      ],
    ];
  });
  const view: View = { runs: list, labels, follow, traces: perServer[0].length / list.length };
  const paths = follow.flatMap((id) => list.map((run, k) => followedTrace(run, id, k)));
  return {
    data: [...perServer.flat(), ...paths],
    layout: {
      title: heading(titleOf(view)),
      height: SIZE.above + plotHeight + SIZE.below,
      margin: { t: SIZE.above, b: SIZE.below, l: 60, r: 20 },
      legend: { orientation: 'h', x: 0, y: 1, yanchor: 'bottom' },
      ...Object.fromEntries(axes),
      shapes: slotLines(config.slots, config.slotSeconds),
      updatemenus: [serverMenu(view, server), ...(follow.length === 0 ? [] : [requestMenu(view, server)])],
      sliders: [slotSlider(config.slots, config.slotSeconds, endsAt)],
    },
  };
}

/** What the menus need to know. */
interface View {
  readonly runs: readonly Inspection[];
  readonly labels: readonly string[];
  readonly follow: readonly string[];
  /** Traces of one server in one panel. */
  readonly traces: number;
}

const titleOf = ({ labels }: View): string => `KV cache, iteration by iteration (${labels.join(', ')})`;

const axisTitle = (run: Inspection, server: number, label: string): string =>
  `m<sub>s</sub>(k, t) [MB], ${run.servers[server].name}, ${label}`;

/** The upper end of all panels that show the k-th server of `shown` for the k-th run, MB. */
const topOf = (runs: readonly Inspection[], shown: readonly number[]): number =>
  1.06 * Math.max(...runs.map((run, k) => megabytes(run.servers[shown[k]].kvCapacityBytes)));

/** The changes of Plotly's `update` after which the k-th panel shows the k-th server and, if any, one followed request. */
function showing({ runs, labels, follow, traces }: View, shown: readonly number[], followed?: string): object[] {
  const ofServers = runs[0].servers.flatMap((_, s) =>
    runs.flatMap((__, k) => Array.from({ length: traces }, () => s === shown[k])),
  );
  const ofRequests = follow.flatMap((id) => runs.map(() => id === followed));
  return [
    { visible: [...ofServers, ...ofRequests] },
    Object.fromEntries(
      runs.flatMap((run, k): [string, unknown][] => [
        [`yaxis${axisSuffix(k)}.range`, [0, topOf(runs, shown)]],
        [`yaxis${axisSuffix(k)}.title.text`, axisTitle(run, shown[k], labels[k])],
      ]),
    ),
  ];
}

const MENU = { type: 'dropdown', xanchor: 'right', y: 1, yanchor: 'bottom', bgcolor: '#ffffff' } as const;

/** The menu of servers: it shows the traces of one and hides all others. */
function serverMenu(view: View, active: number): object {
  const [{ servers }] = view.runs;
  const buttons = servers.map(({ name }, s) => ({
    label: name,
    method: 'update',
    args: showing(
      view,
      view.runs.map(() => s),
    ),
  }));
  return { ...MENU, buttons, active, x: 1, pad: { b: 30 } };
}

/** The menu of requests: each panel shows the server that the request went to in its run, and its path. */
function requestMenu(view: View, server: number): object {
  const none = showing(
    view,
    view.runs.map(() => server),
  );
  const buttons = view.follow.map((id) => {
    const shown = view.runs.map((run) => run.requests.find((request) => request.id === id)?.server ?? server);
    return { label: id, method: 'update', args: showing(view, shown, id) };
  });
  const first = { label: 'follow a request', method: 'update', args: none };
  return { ...MENU, buttons: [first, ...buttons], active: 0, x: 0.84, pad: { b: 30 } };
}

/** The slider of slots: all, then two at a time. */
function slotSlider(slots: number, slotSeconds: number, endsAt: number): object {
  const view = (label: string, from: number, to: number): object => ({
    label,
    method: 'relayout',
    args: [{ 'xaxis.range': [from, to] }],
  });
  const windows = Array.from({ length: slots }, (_, t) => {
    const last = Math.min(t + WINDOW_SLOTS, slots) - 1;
    return view(last === t ? String(t) : `${t}–${last}`, t * slotSeconds, (t + WINDOW_SLOTS) * slotSeconds);
  });
  return {
    active: 0,
    steps: [view('all', 0, endsAt), ...windows],
    currentvalue: { prefix: 'slots shown: ', font: { size: 13 } },
    pad: { t: 45, b: 0 },
    len: 1,
  };
}

/** The traces of one server in the k-th panel, the same number for every server. */
function serverTraces(run: Inspection, server: number, visible: boolean, k: number): object[] {
  const rows = run.iterations.filter((row) => row.server === server);
  const requests = run.requests.filter((request) => request.server === server);
  const suffix = axisSuffix(k);
  return [
    phaseArea(rows, 'I', COLOURS.orange),
    phaseArea(rows, 'II', COLOURS.blue),
    eventMarks(rows, requests, 'joins'),
    eventMarks(rows, requests, 'leaves'),
    poolLine(megabytes(run.servers[server].kvCapacityBytes), Math.max(0, ...run.iterations.map(endOf))),
  ].map((trace) => ({ ...trace, visible, showlegend: k === 0, xaxis: `x${suffix}`, yaxis: `y${suffix}` }));
}

/** Whether an iteration begins when the other ends. */
const follows = (before: InspectedIteration, next: InspectedIteration): boolean => next.startsAt - endOf(before) < 1e-9;

/** The steps of one phase, shaded down to zero; at zero wherever the other phase or nothing runs. */
function phaseArea(rows: readonly InspectedIteration[], phase: 'I' | 'II', colour: string): object {
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
    if (i === 0 || !follows(own[i - 1], row)) add(row.startsAt, 0, row);
    add(row.startsAt, row.kvBytes, row);
    const next = own.at(i + 1);
    if (next !== undefined && follows(row, next)) return;
    add(endOf(row), row.kvBytes, row);
    add(endOf(row), 0, row);
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
  };
}

/** ▲ at the level that a request's first iteration reaches, ▼ at the level of its last one. */
function eventMarks(
  rows: readonly InspectedIteration[],
  requests: readonly InspectedRequest[],
  event: 'joins' | 'leaves',
): object {
  const isJoin = event === 'joins';
  const timeOf = (request: InspectedRequest): number => (isJoin ? request.joinedAt : request.completedAt);
  const sorted = [...requests].sort((a, b) => timeOf(a) - timeOf(b));
  let i = 0;
  const level = sorted.map((request) => {
    const until = timeOf(request);
    while (i + 1 < rows.length && (isJoin ? rows[i + 1].startsAt <= until : rows[i + 1].startsAt < until)) i++;
    return megabytes(rows.at(i)?.kvBytes ?? 0);
  });
  return {
    type: 'scatter',
    mode: 'markers',
    name: isJoin ? 'admitted' : 'completed',
    x: Float32Array.from(sorted, timeOf),
    y: Float32Array.from(level),
    text: sorted.map(({ id }) => id),
    marker: {
      symbol: isJoin ? 'triangle-up' : 'triangle-down',
      size: 9,
      color: isJoin ? COLOURS.green : COLOURS.purple,
    },
    hovertemplate: `%{text} ${event} at %{x:.3f} s<extra></extra>`,
  };
}

function poolLine(pool: number, endsAt: number): object {
  return {
    type: 'scatter',
    mode: 'lines',
    name: 'KV pool κ·M',
    x: [0, endsAt],
    y: [pool, pool],
    line: { color: COLOURS.vermillion, width: 2, dash: 'dash' },
    hovertemplate: `pool: ${pool.toFixed(1)} MB<extra></extra>`,
  };
}
