import { colourOf, fade } from './marks';
import { MOST_LINES, type Panel, type PanelOptions, emptyPanel } from './panel';
import { type Row, type Rows, groupsOf, numbersOf, placesOf, recordsOf } from './rows';

/** Which columns of the rows a panel of lines shows. */
export interface LineColumns {
  readonly x: string;
  /** Height of the line: a mean over seeds, say. */
  readonly y: string;
  /** Ends of the band or bar: the least and the greatest seed. */
  readonly low?: string;
  readonly high?: string;
  /** One line for each of its values; default: one line. */
  readonly by?: string;
  /** Above 0 where a point's runs are overloaded: the point stands at the panel's edge. */
  readonly overloaded?: string;
}

const DASHES = ['solid', 'dash', 'dot', 'dashdot', 'longdash', 'longdashdot'];
const SYMBOLS = ['circle', 'square', 'diamond', 'triangle-up', 'cross', 'pentagon'];

/** Lines over time with a band between low and high: learning curves. */
export function band(rows: Rows, columns: LineColumns, options: PanelOptions = {}): Panel {
  return lines(rows, columns, options, (line) => [
    ...(line.low === undefined || line.high === undefined ? [] : [bandTrace(line)]),
    lineTrace(line, 'lines'),
  ]);
}

/** Lines with a mark at each swept value, and a bar from low to high. */
export function sweep(rows: Rows, columns: LineColumns, options: PanelOptions = {}): Panel {
  const panel = lines(rows, columns, options, (line) => [{ ...lineTrace(line, 'lines+markers'), ...rangeBars(line) }]);
  const x = panel.traces.flatMap((trace) => (trace as { readonly x: readonly (number | string)[] }).x);
  const places = [...new Set([...x, ...panel.overloaded.map((point) => point.x)])];
  if (places.some((value) => typeof value === 'string'))
    Object.assign(panel.x, { type: 'category', categoryarray: places, range: [-0.4, places.length - 0.6] });
  else if (places.length <= 8)
    Object.assign(panel.x, { tickmode: 'array', tickvals: places, ticktext: places.map(String) });
  return panel;
}

interface Line {
  readonly name: string;
  readonly colour: string;
  readonly rank: number;
  readonly x: (number | string)[];
  readonly y: number[];
  readonly low: number[] | undefined;
  readonly high: number[] | undefined;
}

function lines(rows: Rows, columns: LineColumns, options: PanelOptions, traces: (line: Line) => object[]): Panel {
  const groups = groupsOf(recordsOf(rows), columns.by);
  if (groups.length > MOST_LINES)
    throw new RangeError(
      `a panel is to hold ${groups.length} lines (${groups.map(([name]) => name).join(', ')}); allowed: ${MOST_LINES}, more need a panel each`,
    );
  const panel = emptyPanel(options);
  groups.forEach(([name, all], rank) => {
    const colour = colourOf(name, rank, options.colours);
    const isOverloaded = (row: Row): boolean => columns.overloaded !== undefined && Number(row[columns.overloaded]) > 0;
    const steady = all.filter((row) => !isOverloaded(row));
    const line: Line = {
      name,
      colour,
      rank,
      x: placesOf(steady, columns.x),
      y: numbersOf(steady, columns.y),
      low: columns.low === undefined ? undefined : numbersOf(steady, columns.low),
      high: columns.high === undefined ? undefined : numbersOf(steady, columns.high),
    };
    panel.traces.push(...traces(line));
    panel.values.push(...line.y, ...(line.low ?? []), ...(line.high ?? []));
    for (const row of all.filter(isOverloaded))
      panel.overloaded.push({ name, colour, x: placesOf([row], columns.x)[0], y: Number(row[columns.y]) });
    const last = line.y.filter(Number.isFinite).at(-1);
    if (last !== undefined && name !== '') panel.ends.push({ name, colour, y: last });
  });
  return panel;
}

function lineTrace({ name, colour, rank, x, y }: Line, mode: 'lines' | 'lines+markers'): object {
  return {
    type: 'scatter',
    mode,
    name,
    legendgroup: name,
    x,
    y,
    line: { color: colour, width: 2, dash: DASHES[rank % DASHES.length] },
    ...(mode === 'lines' ? {} : { marker: { size: 8, symbol: SYMBOLS[rank % SYMBOLS.length] } }),
    hovertemplate: `%{x}: %{y:.4g}<extra>${name}</extra>`,
  };
}

function bandTrace({ name, colour, x, low = [], high = [] }: Line): object {
  return {
    type: 'scatter',
    mode: 'lines',
    name,
    legendgroup: name,
    showlegend: false,
    x: [...x, ...[...x].reverse()],
    y: [...high, ...[...low].reverse()],
    fill: 'toself',
    fillcolor: fade(colour, 0.18),
    line: { width: 0 },
    hoverinfo: 'skip',
  };
}

function rangeBars({ colour, y, low, high }: Line): object {
  if (low === undefined || high === undefined) return {};
  return {
    error_y: {
      type: 'data',
      symmetric: false,
      array: high.map((value, k) => value - y[k]),
      arrayminus: low.map((value, k) => y[k] - value),
      color: colour,
      thickness: 1.4,
      width: 4,
    },
  };
}
