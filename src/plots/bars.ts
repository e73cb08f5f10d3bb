import { colourOf, fade } from './marks';
import { type Panel, type PanelOptions, groupPanel } from './panel';
import { type Row, type Rows, numbersOf, recordsOf } from './rows';
import { logTicks, ticksAt } from './scale';
import { INK } from './theme';

/** Which columns of the rows a panel of bars shows. */
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
  const { stacked = false, horizontal = false, logY = false } = options;
  const records = recordsOf(rows);
  const placeOf = (row: Row): string => String(row[columns.category]);
  const [along, across] = horizontal ? ['y', 'x'] : ['x', 'y'];
  const panel = groupPanel(records, columns.by, { ...options, logY }, ({ rows: own, colour, name }) => {
    const values = numbersOf(own, columns.value);
    const colours = own.map((row, k) => colourOf(placeOf(row), options.colours === undefined ? 0 : k, options.colours));
    const place = {
      type: 'bar',
      ...(horizontal && { orientation: 'h' }),
      ...(!stacked && { offsetgroup: name }),
      [along]: own.map(placeOf),
    };
    const written = {
      text: values.map((value) => (Number.isFinite(value) ? String(Number(value.toPrecision(3))) : '')),
      textposition: 'outside',
      textangle: 0,
      constraintext: 'none',
      textfont: { size: 11, color: INK },
      cliponaxis: false,
    };
    const bar = {
      ...place,
      [across]: values,
      marker: { color: columns.by === undefined ? colours : colour },
      ...rangeBars(`error_${across}`, own, columns, values, { color: INK, thickness: 1.2 }),
      hovertemplate: `%{${along}}: %{${across}:.4g}<extra>${name}</extra>`,
    };
    if (stacked) return bar;
    if (columns.low === undefined || columns.high === undefined) return { ...bar, ...written };
    // A bar that is not seen carries the value.
    const { high } = columns;
    const tops = own.map((row, k) => Math.max(Number(row[high] ?? values[k]), values[k]));
    const hidden = { marker: { color: 'rgba(0, 0, 0, 0)' }, showlegend: false, hoverinfo: 'skip' };
    return [bar, { ...place, [across]: tops, ...written, ...hidden }];
  });
  if (stacked) panel.barmode = 'relative';
  const places = [...new Set(records.map(placeOf))];
  const axis = { type: 'category', categoryarray: places, ticks: '' };
  if (horizontal) {
    Object.assign(panel.y, axis, { autorange: 'reversed', showgrid: false });
    Object.assign(panel.x, { rangemode: 'tozero' });
    return panel;
  }
  Object.assign(panel.x, axis);
  const values = numbersOf(records, columns.value);
  const tops = numbersOf(records, columns.high ?? columns.value).map((top, k) =>
    Number.isFinite(top) ? top : values[k],
  );
  const sums = places.map((place) => tops.filter((_, k) => placeOf(records[k]) === place).reduce((a, b) => a + b, 0));
  // Room for the values above the bars.
  panel.values.push(...(logY ? [] : [0]), ...(stacked ? sums : tops).map((top) => 1.06 * top));
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
  // A group may have no range at all.
  const ends = [high, low].map((column) => rows.map((row) => Number(row[column] ?? Number.NaN)));
  // A word draws nothing, while Plotly takes null for 0 and draws a range of no height.
  const [array, arrayminus] = ends.map((end) =>
    end.map((at, k) => (Number.isFinite(at) && ends[0][k] !== ends[1][k] ? Math.abs(at - values[k]) : 'none')),
  );
  return { [name]: { type: 'data', symmetric: false, array, arrayminus, ...style, width: 4 } };
}

/** Which columns of the rows a panel of boxes shows: the quantiles of each row. */
export interface BoxColumns {
  readonly name: string;
  readonly q05: string;
  readonly q25: string;
  readonly q50: string;
  readonly q75: string;
  readonly q95: string;
}

/** Horizontal boxes, one per row: quartiles and median, whiskers from 5 to 95 %. */
export function box(rows: Rows, columns: BoxColumns, options: PanelOptions = {}): Panel {
  const records = recordsOf(rows);
  const panel = groupPanel(records, columns.name, options, ({ rows: own, colour, name }) => ({
    type: 'box',
    orientation: 'h',
    y: [name],
    lowerfence: numbersOf(own, columns.q05),
    q1: numbersOf(own, columns.q25),
    median: numbersOf(own, columns.q50),
    q3: numbersOf(own, columns.q75),
    upperfence: numbersOf(own, columns.q95),
    line: { color: colour },
    fillcolor: fade(colour, 0.25),
    showlegend: false,
  }));
  if (options.logX === true)
    Object.assign(panel.x, ticksAt(logTicks([columns.q05, columns.q95].flatMap((end) => numbersOf(records, end)))));
  const names = records.map((row) => String(row[columns.name]));
  Object.assign(panel.y, { type: 'category', categoryarray: names, range: [names.length - 0.5, -0.5], ticks: '' });
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
