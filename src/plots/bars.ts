import { briefly, colourOf, fade } from './marks';
import { type Panel, type PanelOptions, emptyPanel } from './panel';
import { logTicks } from './scale';
import { type Rows, groupsOf, numbersOf, recordsOf } from './rows';
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

/** Bars with their values written on them, zeros too. */
export function bars(
  rows: Rows,
  columns: BarColumns,
  options: PanelOptions & {
    /** Whether the bars at one place stand on one another; default: beside each other. */
    readonly stacked?: boolean;
    readonly horizontal?: boolean;
  } = {},
): Panel {
  const { stacked = false, horizontal = false } = options;
  const records = recordsOf(rows);
  const panel = emptyPanel({ ...options, logY: options.logY ?? false });
  if (stacked) panel.barmode = 'relative';
  const [along, across] = horizontal ? ['y', 'x'] : ['x', 'y'];
  groupsOf(records, columns.by).forEach(([name, own], rank) => {
    const values = numbersOf(own, columns.value);
    const category = own.map((row) => String(row[columns.category]));
    const ends = [columns.low, columns.high].map((column) =>
      column === undefined ? [] : own.map((row) => Number(row[column] ?? Number.NaN)),
    );
    const colour =
      columns.by === undefined
        ? category.map((place, k) => colourOf(place, options.colours === undefined ? 0 : k, options.colours))
        : colourOf(name, rank, options.colours);
    panel.traces.push({
      type: 'bar',
      name,
      legendgroup: name,
      ...(horizontal && { orientation: 'h' }),
      ...(!stacked && { offsetgroup: name }),
      [along]: category,
      [across]: values,
      marker: { color: colour },
      ...(stacked ? {} : { text: values.map(briefly), textposition: 'outside', textangle: 0, constraintext: 'none' }),
      textfont: { size: 11, color: INK },
      cliponaxis: false,
      ...(ends[0].length > 0 && {
        [`error_${across}`]: {
          type: 'data',
          symmetric: false,
          array: ends[1].map((end, k) => (Number.isFinite(end) ? end - values[k] : 0)),
          arrayminus: ends[0].map((end, k) => (Number.isFinite(end) ? values[k] - end : 0)),
          color: INK,
          thickness: 1.2,
          width: 4,
        },
      }),
      hovertemplate: `%{${along}}: %{${across}:.4g}<extra>${name}</extra>`,
    });
  });
  const places = [...new Set(records.map((row) => String(row[columns.category])))];
  if (!horizontal) {
    const tops = numbersOf(records, columns.high ?? columns.value).map((top, k) =>
      Number.isFinite(top) ? top : Number(records[k][columns.value]),
    );
    const sums = places.map((place) =>
      tops.filter((_, k) => records[k][columns.category] === place).reduce((a, b) => a + b, 0),
    );
    // Room for the values above the bars.
    panel.values.push(...(options.logY === true ? [] : [0]), ...(stacked ? sums : tops).map((top) => 1.06 * top));
  }
  const axis = { type: 'category', categoryarray: places, ticks: '' };
  if (horizontal) Object.assign(panel.y, axis, { autorange: 'reversed', showgrid: false });
  else Object.assign(panel.x, axis);
  if (horizontal) Object.assign(panel.x, { rangemode: 'tozero' });
  return panel;
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
  const panel = emptyPanel(options);
  records.forEach((row, rank) => {
    const name = String(row[columns.name]);
    const valueOf = (column: string): number[] => numbersOf([row], column);
    const colour = colourOf(name, rank, options.colours);
    panel.traces.push({
      type: 'box',
      orientation: 'h',
      name,
      y: [name],
      lowerfence: valueOf(columns.q05),
      q1: valueOf(columns.q25),
      median: valueOf(columns.q50),
      q3: valueOf(columns.q75),
      upperfence: valueOf(columns.q95),
      line: { color: colour },
      fillcolor: fade(colour, 0.25),
      showlegend: false,
    });
  });
  if (options.logX === true) {
    const ticks = logTicks(records.flatMap((row) => [Number(row[columns.q05]), Number(row[columns.q95])]));
    Object.assign(panel.x, { tickmode: 'array', tickvals: ticks, ticktext: ticks.map(String) });
  }
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
  const panel = emptyPanel({ xRange: [0, most], ...options });
  panel.barmode = 'overlay';
  groupsOf(recordsOf(rows), columns.by).forEach(([name, own], rank) => {
    panel.traces.push({
      type: 'histogram',
      histnorm: 'percent',
      name,
      legendgroup: name,
      x: numbersOf(own, columns.value),
      xbins: { start: 0, end: most, size: bin },
      marker: { color: fade(colourOf(name, rank, options.colours), 0.5) },
      hovertemplate: `%{x}: %{y:.1f} %<extra>${name}</extra>`,
    });
  });
  return panel;
}
