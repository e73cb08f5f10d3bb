import { type Panel, type PanelOptions, categoriesFromTop, groupPanel } from './panel';
import { type Row, type Rows, numbersOf, recordsOf, textsOf } from './rows';
import { INK, colourOf, fade } from './theme';

export interface BarColumns {
  /** One place on the axis for each of its values. */
  readonly category: string;
  readonly value: string;
  /** Bars of a colour each at every place; default: one. */
  readonly by?: string;
  /** Ends of a bar's range: the least and the greatest seed. */
  readonly low?: string;
  readonly high?: string;
}

/** Bars with their values written on them, zeros too; the value of a bar with a range stands beyond its upper end. */
export function bars(
  rows: Rows,
  columns: BarColumns,
  options: PanelOptions & {
    /** Whether the bars at one place stand on one another; default: beside each other. */
    readonly stacked?: boolean;
    readonly horizontal?: boolean;
  } = {},
): Panel {
  const { stacked = false, horizontal = false, logY = false, colours } = options;
  const { category, by, low, high } = columns;
  const [along, across] = horizontal ? ['y', 'x'] : ['x', 'y'];
  const panel = groupPanel(rows, by, { ...options, logY }, ({ rows: own, colour, name }, panel) => {
    const values = numbersOf(own, columns.value);
    const names = textsOf(own, category);
    const place = {
      type: 'bar',
      ...(horizontal && { orientation: 'h' }),
      ...(!stacked && { offsetgroup: name }),
      [along]: names,
    };
    const bar = {
      ...place,
      [across]: values,
      marker: { color: by === undefined ? names.map((of) => colourOf(of, 0, colours)) : colour },
      ...rangeBars(`error_${across}`, own, columns, values, { color: INK, thickness: 1.2 }),
      hovertemplate: `%{${along}}: %{${across}:.4g}<extra>${name}</extra>`,
    };
    if (stacked) return bar;
    const written = {
      text: values.map((value) => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '')),
      textposition: 'outside',
      textangle: 0,
      constraintext: 'none',
      textfont: { size: 11, color: INK },
      cliponaxis: false,
    };
    const hasRange = low !== undefined && high !== undefined;
    const tops = values.map((value, k) => (hasRange ? Math.max(Number(own[k][high] ?? value), value) : value));
    // Room for the values above the bars.
    if (!horizontal) panel.values.push(...(logY ? [] : [0]), ...tops.map((top) => 1.06 * top));
    if (!hasRange) return { ...bar, ...written };
    // A bar that is not seen carries the value.
    const hidden = { marker: { color: 'rgba(0, 0, 0, 0)' }, showlegend: false, hoverinfo: 'skip' };
    return [bar, { ...place, [across]: tops, ...written, ...hidden }];
  });
  if (stacked) panel.barmode = 'relative';
  const places = textsOf(recordsOf(rows), category);
  if (horizontal) {
    categoriesFromTop(panel, places);
    Object.assign(panel.x, { rangemode: 'tozero' });
  } else Object.assign(panel.x, { type: 'category', categoryarray: [...new Set(places)], ticks: '' });
  return panel;
}

/**
 * The bars of a trace from the least to the greatest seed, as its `error_x` or `error_y`; none without such columns, and
 * none where a row has no range.
 */
export function rangeBars(
  name: string,
  rows: readonly Row[],
  { low, high }: { readonly low?: string; readonly high?: string },
  values: readonly number[],
  style: object,
): object {
  if (low === undefined || high === undefined) return {};
  // A word draws nothing, while Plotly takes null for 0 and draws a range of no height. A group may have no range at all.
  const lengths = (column: string): (number | string)[] =>
    rows.map((row, k) => {
      const hasRange = row[low] !== row[high] && Number.isFinite(row[column]);
      return hasRange ? Math.abs(Number(row[column]) - values[k]) : 'none';
    });
  const [array, arrayminus] = [high, low].map(lengths);
  return { [name]: { type: 'data', symmetric: false, array, arrayminus, ...style, width: 4 } };
}

/** Horizontal boxes, one per row: quartiles and median, whiskers from 5 to 95 %: the columns q05, q25, q50, q75, q95. */
export function box(rows: Rows, columns: { readonly name: string }, options: PanelOptions = {}): Panel {
  const panel = groupPanel(rows, columns.name, options, ({ rows: own, colour, name }) => ({
    type: 'box',
    orientation: 'h',
    y: [name],
    lowerfence: numbersOf(own, 'q05'),
    q1: numbersOf(own, 'q25'),
    median: numbersOf(own, 'q50'),
    q3: numbersOf(own, 'q75'),
    upperfence: numbersOf(own, 'q95'),
    line: { color: colour },
    fillcolor: fade(colour, 0.25),
    showlegend: false,
  }));
  categoriesFromTop(panel, textsOf(recordsOf(rows), columns.name));
  return panel;
}

/** The share of the values in each bin, percent, one colour per group. */
export function histogram(
  rows: Rows,
  columns: { readonly value: string; readonly by?: string },
  options: PanelOptions & { readonly bin: number; readonly most: number },
): Panel {
  const { bin, most } = options;
  const panel = groupPanel(rows, columns.by, { xRange: [0, most], ...options }, ({ rows: own, colour, name }) => ({
    type: 'histogram',
    histnorm: 'percent',
    x: numbersOf(own, columns.value),
    xbins: { start: 0, end: most, size: bin },
    marker: { color: fade(colour, 0.5) },
    hovertemplate: `%{x}: %{y:.1f} %<extra>${name}</extra>`,
  }));
  panel.barmode = 'overlay';
  return panel;
}
