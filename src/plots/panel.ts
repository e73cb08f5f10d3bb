/** A figure is made of panels: each holds Plotly traces that its reader can see, change and add to. */
import type { Figure } from './figure';
import { INK, PAPER_COLOUR } from './theme';
import { axisSuffix, colourOf, heading, note } from './marks';
import { type Row, type Rows, groupsOf, recordsOf } from './rows';
import { type Scale, scaleOf } from './scale';

/** The words and scales of a panel's axes. */
export interface PanelOptions {
  /** Above the panel: the quantity on the y axis, with unit. */
  readonly title?: string;
  /** Below the panel: the quantity on the x axis, with unit. */
  readonly x?: string;
  readonly logX?: boolean;
  /** Default: logarithmic where the greatest value is more than six times the least one. */
  readonly logY?: boolean;
  readonly xRange?: readonly [number, number];
  readonly yRange?: readonly [number, number];
  /** Colours by name; methods have theirs. */
  readonly colours?: Readonly<Record<string, string>>;
}

/** One pair of axes with its traces. Traces, shapes and notes refer to `x` and `y`, whichever panel it becomes. */
export interface Panel {
  readonly title: string;
  readonly traces: object[];
  readonly x: Record<string, unknown>;
  readonly y: Record<string, unknown>;
  /** Plotly shapes and annotations. */
  readonly shapes: object[];
  readonly notes: object[];
  /** Numbers that the y axis has to show; empty where Plotly chooses. */
  readonly values: number[];
  readonly logY: boolean | undefined;
  /** The arrangement of bars at one place: beside each other, on one another, or over one another. */
  barmode: 'group' | 'relative' | 'overlay';
  /** The paper's statements without numbers: lines below the panel's title. */
  readonly remarks: string[];
  /** The right ends of the lines, where their names stand. */
  readonly ends: { readonly name: string; readonly colour: string; readonly y: number }[];
  /** Words of the horizontal lines of `limit`, above their right ends. */
  readonly limits: { readonly y: number; readonly label: string }[];
  /** Points of overloaded runs: they stand at the panel's upper edge. */
  readonly overloaded: {
    readonly name: string;
    readonly colour: string;
    readonly x: number | string;
    readonly y: number;
  }[];
}

/** Lines a panel may hold: more cannot be told apart. */
export const MOST_LINES = 6;

export function emptyPanel(options: PanelOptions): Panel {
  const { title = '', x, logX = false, logY, xRange, yRange } = options;
  return {
    title,
    traces: [],
    x: { ...(x && { title: { text: x } }), ...(logX && { type: 'log' }), ...(xRange && { range: [...xRange] }) },
    y: yRange ? { range: [...yRange] } : {},
    shapes: [],
    notes: [],
    remarks: [],
    values: [],
    logY,
    barmode: 'group',
    ends: [],
    limits: [],
    overloaded: [],
  };
}

/** Rows of one name and colour; the rank is among the groups. */
export interface Group {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly colour: string;
  readonly rank: number;
}

/** A panel of the traces that `traces` makes of each group of rows, by a column; they get the group's name. */
export function groupPanel(
  rows: Rows,
  by: string | undefined,
  options: PanelOptions,
  traces: (group: Group, panel: Panel) => object | object[],
): Panel {
  const panel = emptyPanel(options);
  groupsOf(recordsOf(rows), by).forEach(([name, own], rank) => {
    const group = { name, rows: own, colour: colourOf(name, rank, options.colours), rank };
    panel.traces.push(...[traces(group, panel)].flat().map((trace) => ({ name, legendgroup: name, ...trace })));
  });
  return panel;
}

export interface FigureOptions {
  readonly title: string;
  /** A line below the title. */
  readonly subtitle?: string;
  /** Panels in a row; default: all, at most three. */
  readonly columns?: number;
  /** Height of a panel [px]; default 300. */
  readonly rowHeight?: number;
  /** Names at the lines' ends (default, where panels have lines), a legend below, or neither. */
  readonly names?: 'ends' | 'legend' | 'none';
  /** Plotly's layout where it differs. */
  readonly layout?: object;
}

/** Pixels between rows of panels, above them and below. */
const SPACE = { row: 74, remark: 16, bottom: 56, legend: 34, side: 0.085 };

/** Panels side by side as one figure, as wide as the page. */
export function figure(panels: Panel | readonly Panel[], options: FigureOptions): Figure {
  const list = Array.isArray(panels) ? (panels as readonly Panel[]) : [panels as Panel];
  const { title, subtitle, rowHeight = 300, layout = {} } = options;
  const columns = Math.max(1, Math.min(options.columns ?? 3, list.length));
  const rows = Math.max(1, Math.ceil(list.length / columns));
  const hasEnds = list.some(({ ends }) => ends.length > 0);
  const names = options.names ?? (hasEnds ? 'ends' : 'legend');
  const remarks = Math.max(...list.map((panel) => panel.remarks.length));
  const between = SPACE.row + SPACE.remark * remarks;
  const plotHeight = rows * rowHeight + (rows - 1) * between;
  const text = [wrap(title, 84), ...(subtitle === undefined ? [] : [small(wrap(subtitle, 112))])].join('<br>');
  const titleLines = text.split('<br>').length;
  const top = 46 + 19 * (titleLines - 1) + SPACE.remark * remarks + (list.some((panel) => panel.title !== '') ? 22 : 0);
  const bottom = SPACE.bottom + (names === 'legend' ? SPACE.legend : 0);
  const longest = Math.max(0, ...list.flatMap(({ ends }) => ends.map(({ name }) => name.length)));
  const width = (1 - SPACE.side * (columns - 1)) / columns;
  const [xgap, ygap] = [SPACE.side / (width + SPACE.side), between / (rowHeight + between)];
  const drawn = list.map((panel, k) => {
    const isLast = k % columns === columns - 1 || k === list.length - 1;
    // Rows with the same names stand beside each other: the first panel names them.
    const rowsOf = ({ y }: Panel): string => JSON.stringify(y['categoryarray'] ?? null);
    const isRepeated = k % columns > 0 && rowsOf(panel) !== 'null' && rowsOf(panel) === rowsOf(list[k - 1]);
    const shown = isRepeated ? { ...panel, y: { ...panel.y, showticklabels: false, ticks: '' } } : panel;
    return place(shown, k, names === 'ends' && isLast ? rowHeight : 0);
  });
  return {
    data: oneEntryPerName(drawn.flatMap(({ traces }) => traces)),
    layout: {
      title: { ...heading(text), pad: { t: 6 + 10 * titleLines } },
      height: top + plotHeight + bottom,
      margin: { t: top, b: bottom, l: 56, r: names === 'ends' && hasEnds ? 30 + 7.4 * longest : 20 },
      showlegend: names === 'legend',
      legend: { orientation: 'h', x: 0, y: 0, yref: 'container', yanchor: 'bottom', traceorder: 'normal' },
      hovermode: 'closest',
      grid: { rows, columns, pattern: 'independent', xgap, ygap },
      barmode: list.find(({ barmode }) => barmode !== 'group')?.barmode ?? 'group',
      ...Object.fromEntries(drawn.flatMap(({ axes }) => Object.entries(axes))),
      shapes: drawn.flatMap(({ shapes }) => shapes),
      annotations: drawn.flatMap(({ notes }) => notes),
      ...layout,
    },
  };
}

/** A legend has each name once, where it appears first. */
function oneEntryPerName(traces: readonly object[]): object[] {
  const seen = new Set<string>();
  return traces.map((trace) => {
    const { name = '', showlegend } = trace as { readonly name?: string; readonly showlegend?: boolean };
    if (showlegend === false) return trace;
    const isFirst = !seen.has(name);
    seen.add(name);
    return { ...trace, showlegend: isFirst && name !== '' };
  });
}

/** A panel on the k-th pair of axes, with the names of its lines if it is so high [px]; 0: without. */
function place(
  panel: Panel,
  k: number,
  labelsWithin: number,
): { traces: object[]; axes: object; shapes: object[]; notes: object[] } {
  const suffix = axisSuffix(k);
  const moved = (item: object): object =>
    Object.fromEntries(
      Object.entries(item).map(([key, value]: [string, unknown]) => [
        key,
        /ref$/.test(key) && typeof value === 'string' ? value.replace(/^[xy]/, `$&${suffix}`) : value,
      ]),
    );
  const scale = scaleOf(panel);
  const onAxes = { xaxis: `x${suffix}`, yaxis: `y${suffix}` };
  const words = [`<b>${panel.title}</b>`, ...panel.remarks.map((text) => small(`paper: ${text}`))].join('<br>');
  const title = note(words, { align: 'left', x: 0, y: 1, xanchor: 'left', yanchor: 'bottom', yshift: 6 });
  const labels = [...limitLabels(panel, scale), ...(labelsWithin === 0 ? [] : endLabels(panel, scale, labelsWithin))];
  return {
    traces: [...panel.traces, ...edgeMarks(panel, scale)].map((trace) => ({ ...trace, ...onAxes })),
    shapes: panel.shapes.map(moved),
    notes: [...(panel.title === '' ? [] : [title]), ...panel.notes, ...labels].map(moved),
    axes: {
      [`xaxis${suffix}`]: { anchor: `y${suffix}`, ...panel.x },
      [`yaxis${suffix}`]: { anchor: `x${suffix}`, ...scale.axis, ...panel.y },
    },
  };
}

/** Overloaded points below one another under the panel's upper edge, with one word on the side where there is room. */
function edgeMarks(panel: Panel, { valueAt }: Scale): object[] {
  const { overloaded, traces, x: axis } = panel;
  const places = [...overloaded, ...traces].flatMap(
    (item) => (item as { readonly x?: number | string | number[] }).x ?? [],
  );
  const order =
    (axis['categoryarray'] as string[] | undefined) ?? [...new Set(places)].sort((a, b) => Number(a) - Number(b));
  const isLeft = (x: number | string): boolean => order.indexOf(x) < order.length / 2 - 0.5;
  const seen = new Map<string, number>();
  return overloaded.map(({ name, colour, x, y }, k) => {
    const place = seen.get(String(x)) ?? 0;
    seen.set(String(x), place + 1);
    return {
      type: 'scatter',
      mode: k === 0 ? 'markers+text' : 'markers',
      name,
      legendgroup: name,
      showlegend: false,
      x: [x],
      y: [valueAt(0.97 - 0.045 * place)],
      text: [isLeft(x) ? ' overloaded' : 'overloaded '],
      textposition: isLeft(x) ? 'middle right' : 'middle left',
      textfont: { size: 11 },
      cliponaxis: false,
      marker: { symbol: 'triangle-up', size: 10, color: colour, line: { color: INK, width: 1 } },
      hovertemplate: `${name} is overloaded at %{x}: the mean of its slots, ${y.toPrecision(3)}, is no steady state<extra></extra>`,
    };
  });
}

/** The words of limits on the sheet's colour, so that curves do not strike them through. */
function limitLabels({ limits, values }: Panel, { at }: Scale): object[] {
  const [yref, heightOf] = values.length > 0 ? ['y domain', at] : ['y', (y: number): number => y];
  const look = { yref, font: { size: 11 }, bgcolor: PAPER_COLOUR, borderpad: 1 };
  return limits.map(({ y, label }) =>
    note(label, { ...look, x: 1, y: heightOf(y), xanchor: 'right', yanchor: 'bottom', yshift: 2 }),
  );
}

/** The names of the lines at their right ends, moved apart where they would overlap. */
function endLabels({ ends }: Panel, { at }: Scale, height: number): object[] {
  const step = 16 / height;
  const sorted = ends
    .map((end) => ({ ...end, place: Math.min(0.98, Math.max(0.02, at(end.y))) }))
    .sort((a, b) => b.place - a.place);
  const places = sorted.map(({ place }) => place);
  for (let k = 1; k < places.length; k++) places[k] = Math.min(places[k], places[k - 1] - step);
  const below = (places.at(-1) ?? 0) - 0.02;
  if (below < 0)
    for (let k = places.length - 1, floor = 0.02; k >= 0; k--, floor += step) places[k] = Math.max(places[k], floor);
  const look = { font: { size: 12 }, xanchor: 'left', yanchor: 'middle', xshift: 6 };
  return sorted.map(({ name, colour }, k) =>
    note(`<span style="color: ${colour}">■</span> ${name}`, { ...look, x: 1, y: places[k] }),
  );
}

/** Text in lines of at most so many characters, broken between words. */
function wrap(text: string, most: number): string {
  return text.replace(new RegExp(`(.{1,${most}})( |$)`, 'g'), '$1<br>').replace(/<br>$/, '');
}

const small = (text: string): string =>
  text
    .split('<br>')
    .map((line) => `<span style="font-size: 12px">${line}</span>`)
    .join('<br>');
