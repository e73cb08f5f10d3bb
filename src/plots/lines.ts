import { rangeBars } from './bars';
import { type Panel, type PanelOptions, groupPanel, note } from './panel';
import { type Row, type Rows, groupsOf, numbersOf, placesOf, recordsOf } from './rows';
import { fade } from './theme';

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
  return lines(rows, columns, options, 'lines');
}

/** Lines with a mark at each swept value, and a bar from low to high. */
export function sweep(rows: Rows, columns: LineColumns, options: PanelOptions = {}): Panel {
  const panel = lines(rows, columns, options, 'lines+markers');
  const places = [...new Set(placesOf(recordsOf(rows), columns.x))];
  if (places.some((place) => typeof place === 'string'))
    Object.assign(panel.x, { type: 'category', categoryarray: places, range: [-0.4, places.length - 0.6] });
  else if (places.length <= 8)
    Object.assign(panel.x, { tickmode: 'array', tickvals: places, ticktext: places.map(String) });
  return panel;
}

function lines(rows: Rows, columns: LineColumns, options: PanelOptions, mode: 'lines' | 'lines+markers'): Panel {
  const names = groupsOf(recordsOf(rows), columns.by).map(([name]) => name);
  if (names.length > DASHES.length)
    throw new RangeError(
      `a panel is to hold ${names.length} lines (${names.join(', ')}); allowed: ${DASHES.length}, more need a panel each`,
    );
  const [leftmost] = placesOf(recordsOf(rows), columns.x);
  const isOverloaded = (row: Row): boolean => Number(row[columns.overloaded ?? '']) > 0;
  return groupPanel(rows, columns.by, options, ({ name, rows: all, colour, rank }, panel) => {
    for (const row of all.filter(isOverloaded)) {
      const [x] = placesOf([row], columns.x);
      const mean = Number(row[columns.y]).toPrecision(3);
      const hovertext = `${name} is overloaded: the mean of its slots, ${mean}, is no steady state`;
      panel.notes.push({ ...edgeMark(panel, x, x === leftmost, colour), hovertext });
      panel.overloaded.push(x);
    }
    const own = all.filter((row) => !isOverloaded(row));
    const [x, y] = [placesOf(own, columns.x), numbersOf(own, columns.y)];
    const [low, high] = [columns.low, columns.high].map((column) =>
      column === undefined ? [] : numbersOf(own, column),
    );
    panel.values.push(...y, ...low, ...high);
    const last = y.filter(Number.isFinite).at(-1);
    if (last !== undefined && name !== '') panel.ends.push({ name, colour, y: last });
    const line = {
      type: 'scatter',
      mode,
      x,
      y,
      line: { color: colour, width: 2, dash: DASHES[rank] },
      hovertemplate: `%{x}: %{y:.4g}<extra>${name}</extra>`,
    };
    if (mode === 'lines+markers') {
      const bars = rangeBars('error_y', own, columns, y, { color: colour, thickness: 1.4 });
      return { ...line, marker: { size: 8, symbol: SYMBOLS[rank] }, ...bars };
    }
    const between = {
      type: 'scatter',
      mode: 'lines',
      showlegend: false,
      x: [...x, ...[...x].reverse()],
      y: [...high, ...low.reverse()],
      fill: 'toself',
      fillcolor: fade(colour, 0.18),
      line: { width: 0 },
      hoverinfo: 'skip',
    };
    return low.length * high.length === 0 ? line : [between, line];
  });
}

/** A mark under the panel's upper edge, below others at its place; beside the first stands a word, where there is room. */
function edgeMark({ overloaded }: Panel, x: number | string, isLeft: boolean, colour: string): Record<string, unknown> {
  const above = overloaded.filter((other) => other === x).length;
  const mark = `<span style="color: ${colour}">▲</span>`;
  const place = { xref: 'x', x, y: 0.97 - 0.045 * above, yanchor: 'middle' };
  if (overloaded.length > 0) return note(mark, place);
  return isLeft
    ? note(`${mark} overloaded`, { ...place, xanchor: 'left', xshift: -7 })
    : note(`overloaded ${mark}`, { ...place, xanchor: 'right', xshift: 7 });
}
