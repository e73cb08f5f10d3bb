import type { InspectedIteration, InspectedRequest, Inspection } from '../env/inspect';
import { requestIterations } from '../env/inspect-request';
import { type Figure, encodeTyped } from './figure';
import { axisSuffix, heading } from './panel';
import { COLOURS, INK, fade } from './theme';

/** Height of one run's panel, and the space above, between and below the panels [px]. */
const SIZE = { panel: 330, between: 46, above: 130, below: 130 };

const MENU = { type: 'dropdown', xanchor: 'right', y: 1, yanchor: 'bottom', bgcolor: '#ffffff', pad: { b: 30 } };

/**
 * m_s(k, t) iteration by iteration, phases I and II shaded, ▲ admissions, ▼ completions and the pool's size, for every
 * server and slot: a menu chooses the server and a slider the slots. A second menu follows a request along the curve of
 * its server, from its slot to its last token. All of them work in the browser, without a kernel. Several runs of the
 * same requests stand under one another, on one clock and one scale.
 *
 * @param server the server shown at first.
 * @param options names of the runs, by default how they batch; ids of the requests to follow, as "t3-7".
 */
export function kvExplorerFigure(
  runs: Inspection | readonly Inspection[],
  server = 0,
  options: { readonly names?: readonly string[]; readonly follow?: readonly string[] } = {},
): Figure {
  const { names, follow = [] } = options;
  const list = [runs].flat();
  const [{ servers, config }] = list;
  const labels = list.map((run, k) => names?.[k] ?? run.config.batching);
  const plotHeight = SIZE.panel * list.length + SIZE.between * (list.length - 1);
  const endsAt = Math.max(...list.flatMap(({ iterations }) => iterations.map(endOf)));
  /** All traces, each of a server in a panel or of a followed request. */
  const layers: readonly { trace: object; k: number; s?: number; id?: string }[] = list.flatMap((run, k) => [
    ...servers.flatMap((_, s) => serverTraces(run, s, endsAt).map((trace) => ({ trace, k, s }))),
    ...follow.map((id) => ({ trace: followedTrace(run, id), k, id })),
  ]);
  const isVisible = (shown: readonly number[], followed?: string): boolean[] =>
    layers.map(({ s, k, id }) => (id === undefined ? s === shown[k] : id === followed));
  const titleOf = (s: number, k: number): string => `m<sub>s</sub>(k, t) [MB], ${servers[s].name}, ${labels[k]}`;
  /** A button after which the k-th panel shows the server `shown[k]` and, if any, one followed request. */
  const button = (label: string, shown: readonly number[], followed?: string): object => {
    const titles = shown.map((s, k) => [`yaxis${axisSuffix(k)}.title.text`, titleOf(s, k)]);
    return { label, method: 'update', args: [{ visible: isVisible(shown, followed) }, Object.fromEntries(titles)] };
  };
  const everywhere = (s: number): number[] => list.map(() => s);
  const goesTo = (id: string): number[] => list.map((run) => requestOf(run, id)?.server ?? server);
  const requests = [button('follow a request', everywhere(server)), ...follow.map((id) => button(id, goesTo(id), id))];
  const visible = isVisible(everywhere(server));
  return {
    data: layers.map(({ trace, k }, i) => ({
      ...trace,
      visible: visible[i],
      yaxis: `y${axisSuffix(k)}`,
      ...(k > 0 && { showlegend: false }),
    })),
    layout: {
      title: heading(`KV cache, iteration by iteration (${labels.join(', ')})`, 14),
      height: SIZE.above + plotHeight + SIZE.below,
      margin: { t: SIZE.above, b: SIZE.below, l: 60, r: 20 },
      legend: { orientation: 'h', x: 0, y: 1, yanchor: 'bottom' },
      grid: { rows: list.length, columns: 1, pattern: 'coupled', ygap: SIZE.between / (SIZE.panel + SIZE.between) },
      xaxis: {
        range: [0, endsAt],
        title: { text: 'time [s]; dotted: slot boundaries', standoff: 2 },
        ...{ dtick: config.slotSeconds, ticklabelstep: Math.ceil(config.slots / 20) },
        ...{ griddash: 'dot', gridcolor: 'rgba(127, 127, 127, 0.55)' },
      },
      ...Object.fromEntries(
        list.map((_, k) => [
          `yaxis${axisSuffix(k)}`,
          { rangemode: 'tozero', title: { text: titleOf(server, k) }, ...(k > 0 && { matches: 'y' }) },
        ]),
      ),
      updatemenus: [
        { ...MENU, buttons: servers.map(({ name }, s) => button(name, everywhere(s))), active: server, x: 1 },
        { ...MENU, buttons: requests, active: 0, x: 0.84 },
      ].slice(0, follow.length === 0 ? 1 : 2),
      sliders: [slotSlider(config.slots, config.slotSeconds, endsAt)],
    },
  };
}

/** The slider of slots: all, then two at a time. */
function slotSlider(slots: number, slotSeconds: number, endsAt: number): object {
  const step = (label: string, from: number, to: number): object => ({
    label,
    method: 'relayout',
    args: [{ 'xaxis.range': [from, to] }],
  });
  const windows = Array.from({ length: slots }, (_, t) =>
    step(`${t}–${t + 1}`, t * slotSeconds, (t + 2) * slotSeconds),
  );
  return {
    steps: [step('all', 0, endsAt), ...windows],
    currentvalue: { prefix: 'slots shown: ', font: { size: 13 } },
    pad: { t: 45 },
  };
}

const megabytes = (bytes: number): number => bytes / 1e6;

const requestOf = ({ requests }: Inspection, id: string): InspectedRequest | undefined =>
  requests.find((request) => request.id === id);

/** The traces of one server, the same number for every server. */
function serverTraces(run: Inspection, server: number, endsAt: number): object[] {
  const rows = run.iterations.filter((row) => row.server === server);
  const requests = run.requests.filter((request) => request.server === server);
  const pool = megabytes(run.servers[server].kvCapacityBytes);
  return [
    phaseArea(rows, 'I', COLOURS.orange),
    phaseArea(rows, 'II', COLOURS.blue),
    eventMarks(rows, requests, 'joins'),
    eventMarks(rows, requests, 'leaves'),
    {
      type: 'scatter',
      mode: 'lines',
      name: 'KV pool κ·M',
      x: [0, endsAt],
      y: [pool, pool],
      line: { color: COLOURS.vermillion, width: 2, dash: 'dash' },
      hovertemplate: `pool: ${pool.toFixed(1)} MB<extra></extra>`,
    },
  ];
}

const endOf = (row: InspectedIteration): number => row.startsAt + row.seconds;

/** Rounding between an iteration's end and the start of the next one, s. */
const ROUNDING = 1e-9;

/** m_s of the iteration that runs at a time, or of the one that ends then; 0 between iterations, MB. */
function levelAt(rows: readonly InspectedIteration[], at: number, ends = false): number {
  const running = rows.filter((row) => (ends ? row.startsAt < at : row.startsAt <= at) && endOf(row) > at - ROUNDING);
  return megabytes(running.at(-1)?.kvBytes ?? 0);
}

/** The steps of one phase, shaded down to zero; at zero wherever the other phase or nothing runs. */
function phaseArea(rows: readonly InspectedIteration[], phase: 'I' | 'II', colour: string): object {
  const own = rows.filter((row) => row.phase === phase);
  const points = own.flatMap((row, i) => {
    const step = { at: row.startsAt, kvBytes: row.kvBytes, row };
    const isFollowed = i + 1 < own.length && own[i + 1].startsAt - endOf(row) < ROUNDING;
    return isFollowed ? [step] : [step, { at: endOf(row), kvBytes: 0, row }];
  });
  const pairs = points.flatMap(({ row }) => [row.k, row.active]);
  return {
    type: 'scatter',
    mode: 'lines',
    name: phase === 'I' ? 'phase I: backlog only' : 'phase II: backlog and new',
    x: Float32Array.from(points, ({ at }) => at),
    y: Float32Array.from(points, ({ kvBytes }) => megabytes(kvBytes)),
    // Packed, for there are thousands.
    customdata: { ...encodeTyped(Uint16Array.from(pairs)), shape: `${points.length}, 2` },
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
  const [name, symbol, color] = isJoin
    ? ['admitted', 'triangle-up', COLOURS.green]
    : ['completed', 'triangle-down', COLOURS.purple];
  return {
    type: 'scatter',
    mode: 'markers',
    name,
    x: Float32Array.from(sorted, timeOf),
    y: Float32Array.from(sorted, (request) => levelAt(rows, timeOf(request), !isJoin)),
    text: sorted.map(({ id }) => id),
    marker: { symbol, size: 9, color },
    hovertemplate: `%{text} ${event} at %{x:.3f} s<extra></extra>`,
  };
}

/**
 * A request's way along the curve of its server: sent, prefilled, admitted, decoded and completed. Between two changes of
 * the batch the level rises evenly, so that iterations where the rise changes are enough.
 */
function followedTrace(run: Inspection, id: string): object {
  const request = requestOf(run, id);
  if (request === undefined) return { type: 'scatter' };
  const own = requestIterations(run, request);
  const rises = own.map(({ kvBytes }, i) => kvBytes - (own.at(i - 1)?.kvBytes ?? 0));
  const turns = own.filter((_, i) => i === 0 || rises[i] !== rises.at(i + 1));
  const rows = run.iterations.filter(({ server }) => server === request.server);
  /** Time, words in the hover text and words beside the point. */
  const points: readonly (readonly [at: number, event: string, label?: string])[] = [
    [request.arrivedAt, 'the slot starts', id],
    [request.transmittedAt, 'it is sent'],
    [request.synchronisedAt, 'the slowest request of its batch is sent'],
    [request.prefillStartAt, 'its prefill starts'],
    [request.prefillEndAt, 'its prefill ends'],
    [request.joinedAt, 'it joins the running batch'],
    ...turns.map(({ startsAt }) => [startsAt, ''] as const),
    [request.completedAt, 'its last token', `last token after ${request.total.toFixed(2)} s`],
  ];
  return {
    type: 'scatter',
    mode: 'lines+markers+text',
    name: id,
    showlegend: false,
    x: Float32Array.from(points, ([at]) => at),
    y: Float32Array.from(points, ([at]) => levelAt(rows, at)),
    text: points.map(([, , label = '']) => label),
    customdata: points.map(([, event]) => event),
    textposition: 'top right',
    textfont: { size: 12, color: INK },
    cliponaxis: false,
    line: { color: INK, width: 3 },
    marker: { color: INK, size: points.map(([, event]) => (event === '' ? 0.1 : 9)) },
    hovertemplate: `${id}, %{x:.3f} s: %{customdata}<extra></extra>`,
  };
}
