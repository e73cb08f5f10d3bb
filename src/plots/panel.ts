/** A figure is made of panels: each holds Plotly traces that its reader can see, change and add to. */
import type { Figure } from './figure';
import { type Row, type Rows, groupsOf, recordsOf } from './rows';
import { type Scale, logAxis, scaleOf } from './scale';
import { colourOf } from './theme';

export interface PanelOptions {
  /** Above the panel: the quantity on the y axis, with unit. */
  readonly title?: string;
  /** Below the panel: the quantity on the x axis, with unit. */
  readonly x?: string;
  readonly logX?: boolean;
  /** Default: logarithmic where the greatest value is more than six times the least one. */
  readonly logY?: boolean;
  /** Ends of the axes; of a logarithmic one exponents of 10. */
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
  readonly shapes: object[];
  /** Plotly's annotations; their places on an axis are values, on a logarithmic axis too. */
  readonly notes: Record<string, unknown>[];
  /** Numbers that the y axis has to show; empty where Plotly chooses. */
  readonly values: number[];
  readonly logY: boolean | undefined;
  /** The arrangement of bars at one place: beside each other, on one another, or over one another. */
  barmode: 'group' | 'relative' | 'overlay';
  /** The paper's statements without numbers: lines below the panel's title. */
  readonly remarks: string[];
  /** The right ends of the lines, where their names stand. */
  readonly ends: { readonly name: string; readonly colour: string; readonly y: number }[];
  /** Places of overloaded points on the x axis: they have marks at the panel's upper edge. */
  readonly overloaded: (number | string)[];
}

/** A panel of the traces that `traces` makes of each group of rows, by a column; they get the group's name. */
export function groupPanel(
  rows: Rows,
  by: string | undefined,
  { title = '', x, logX, logY, xRange, yRange, colours }: PanelOptions,
  traces: (
    group: { name: string; rows: readonly Row[]; colour: string; rank: number },
    panel: Panel,
  ) => object | object[],
): Panel {
  const panel: Panel = {
    title,
    traces: [],
    x: { ...(x && { title: { text: x } }), ...(logX && logAxis()), ...(xRange && { range: xRange }) },
    y: yRange ? { range: yRange } : {},
    shapes: [],
    notes: [],
    remarks: [],
    values: [],
    logY,
    barmode: 'group',
    ends: [],
    overloaded: [],
  };
  groupsOf(recordsOf(rows), by).forEach(([name, own], rank) => {
    const group = { name, rows: own, colour: colourOf(name, rank, colours), rank };
    panel.traces.push(...[traces(group, panel)].flat().map((trace) => ({ name, legendgroup: name, ...trace })));
  });
  return panel;
}

/** Sets the y axis of a panel to categories, from the top. */
export function categoriesFromTop(panel: Panel, names: readonly string[]): void {
  const categoryarray = [...new Set(names)];
  const range = [categoryarray.length - 0.5, -0.5];
  Object.assign(panel.y, { type: 'category', categoryarray, range, ticks: '' });
}

/** Words on a panel; without other references its place is a share of the panel's width and height. */
export function note(text: string, fields: object): Record<string, unknown> {
  return { text, xref: 'x domain', yref: 'y domain', showarrow: false, ...fields };
}

/** The ending of the names of the k-th panel's axes in Plotly: "", "2", "3", … */
export function axisSuffix(k: number): string {
  return k === 0 ? '' : String(k + 1);
}

/** A title at the very top, so that a legend has its place between it and the plot. */
export function heading(text: string, pad: number): object {
  return { text, yref: 'container', y: 1, yanchor: 'top', pad: { t: pad } };
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

/** Pixels between rows of panels, of a line of words, below them; and between panels as a share of the width. */
const SPACE = { row: 74, remark: 16, bottom: 56, legend: 34, side: 0.085 };

/** Panels side by side as one figure, as wide as the page. */
export function figure(panels: Panel | readonly Panel[], options: FigureOptions): Figure {
  const list: readonly Panel[] = [panels].flat();
  const { title, subtitle, rowHeight = 300, layout } = options;
  const columns = Math.max(1, Math.min(options.columns ?? 3, list.length));
  const rows = Math.max(1, Math.ceil(list.length / columns));
  const lineNames = list.flatMap(({ ends }) => ends.map(({ name }) => name));
  const names = options.names ?? (lineNames.length > 0 ? 'ends' : 'legend');
  const longest = Math.max(0, ...lineNames.map((name) => name.length));
  const remarks = SPACE.remark * Math.max(...list.map((panel) => panel.remarks.length));
  const between = SPACE.row + remarks;
  const lines = [...wrap(title, 84), ...wrap(subtitle ?? '', 112).map(small)];
  const top = 27 + 19 * lines.length + remarks + (list.some((panel) => panel.title !== '') ? 22 : 0);
  const bottom = SPACE.bottom + (names === 'legend' ? SPACE.legend : 0);
  const width = (1 - SPACE.side * (columns - 1)) / columns;
  const drawn = list.map((panel, k) => {
    const isLast = k % columns === columns - 1 || k === list.length - 1;
    // Rows with the same names stand beside each other: the first panel names them.
    const namesOf = ({ y }: Panel): string => ((y['categoryarray'] ?? []) as string[]).join();
    const isRepeated = k % columns > 0 && namesOf(panel) !== '' && namesOf(panel) === namesOf(list[k - 1]);
    return place(panel, k, isRepeated, names === 'ends' && isLast ? rowHeight : Infinity);
  });
  return {
    data: oneEntryPerName(drawn.flatMap(({ traces }) => traces)),
    layout: {
      title: heading(lines.join('<br>'), 6 + 10 * lines.length),
      height: top + rows * rowHeight + (rows - 1) * between + bottom,
      margin: { t: top, b: bottom, l: 56, r: names === 'ends' && longest > 0 ? 30 + 7.4 * longest : 20 },
      showlegend: names === 'legend',
      legend: { orientation: 'h', x: 0, y: 0, yref: 'container', yanchor: 'bottom', traceorder: 'normal' },
      hovermode: 'closest',
      grid: {
        ...{ rows, columns, pattern: 'independent' },
        xgap: SPACE.side / (width + SPACE.side),
        ygap: between / (rowHeight + between),
      },
      barmode: list.find(({ barmode }) => barmode !== 'group')?.barmode ?? 'group',
      ...Object.fromEntries(drawn.flatMap(({ axes }) => Object.entries(axes))),
      shapes: drawn.flatMap(({ shapes }) => shapes),
      annotations: drawn.flatMap(({ notes }) => notes),
      ...layout,
    },
  };
}

/** A legend has each name once, where it appears first. */
function oneEntryPerName(traces: readonly { readonly name?: string; readonly showlegend?: boolean }[]): object[] {
  const seen = new Set(['']);
  return traces.map((trace) => {
    if (trace.showlegend === false) return trace;
    const showlegend = !seen.has(trace.name ?? '');
    seen.add(trace.name ?? '');
    return { ...trace, showlegend };
  });
}

/** A panel on the k-th pair of axes; names stand at its lines' ends where its height [px] is finite. */
function place(
  panel: Panel,
  k: number,
  hidesNames: boolean,
  height: number,
): { traces: object[]; axes: object; shapes: object[]; notes: object[] } {
  const suffix = axisSuffix(k);
  const scale = scaleOf(panel);
  const moved = (item: object): object =>
    Object.fromEntries(
      Object.entries(item).map(([key, value]: [string, unknown]) => [
        key,
        /ref$/.test(key) ? String(value).replace(/^[xy]/, `$&${suffix}`) : value,
      ]),
    );
  const atExponent = (item: Record<string, unknown>): object => ({
    ...item,
    ...(panel.x['type'] === 'log' && item['xref'] === 'x' && { x: Math.log10(Number(item['x'])) }),
    ...(scale.isLog && item['yref'] === 'y' && { y: Math.log10(Number(item['y'])) }),
  });
  const words = [`<b>${panel.title}</b>`, ...panel.remarks.map((text) => small(`paper: ${text}`))].join('<br>');
  const title = note(words, { align: 'left', x: 0, y: 1, xanchor: 'left', yanchor: 'bottom', yshift: 6 });
  const names = Number.isFinite(height) ? endLabels(panel, scale, height) : [];
  return {
    traces: panel.traces.map((trace) => ({ ...trace, xaxis: `x${suffix}`, yaxis: `y${suffix}` })),
    shapes: panel.shapes.map(moved),
    notes: [...(panel.title === '' ? [] : [title]), ...panel.notes.map(atExponent), ...names].map(moved),
    axes: {
      [`xaxis${suffix}`]: { anchor: `y${suffix}`, ...panel.x },
      [`yaxis${suffix}`]: {
        anchor: `x${suffix}`,
        ...scale.axis,
        ...panel.y,
        ...(hidesNames && { showticklabels: false, ticks: '' }),
      },
    },
  };
}

/** The names of the lines at their right ends, moved apart where they would overlap. */
function endLabels({ ends }: Panel, { at }: Scale, height: number): object[] {
  const [step, lowest] = [16 / height, 0.02];
  const heightOf = (y: number): number => Math.min(0.98, Math.max(lowest, at(y)));
  const sorted = [...ends].sort((a, b) => heightOf(b.y) - heightOf(a.y));
  const places = sorted.map(({ y }) => heightOf(y));
  for (let k = 1; k < places.length; k++) places[k] = Math.min(places[k], places[k - 1] - step);
  for (let k = 1; k <= places.length; k++)
    places[places.length - k] = Math.max(places[places.length - k], lowest + (k - 1) * step);
  const look = { font: { size: 12 }, xanchor: 'left', yanchor: 'middle', xshift: 6 };
  return sorted.map(({ name, colour }, k) =>
    note(`<span style="color: ${colour}">■</span> ${name}`, { ...look, x: 1, y: places[k] }),
  );
}

/** Lines of at most so many characters, broken between words; none of an empty text. */
function wrap(text: string, most: number): string[] {
  return (text.match(new RegExp(`.{1,${most}}(?= |$)`, 'g')) ?? []).map((line) => line.trimStart());
}

const small = (line: string): string => `<span style="font-size: 12px">${line}</span>`;
