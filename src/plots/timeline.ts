import { colourOf } from './marks';
import { type Panel, type PanelOptions, emptyPanel } from './panel';
import { type Rows, groupsOf, numbersOf, recordsOf } from './rows';

/** Which columns of the rows a timeline shows. */
export interface TimelineColumns {
  /** One line of the chart for each of its values, from the top. */
  readonly row: string;
  /** Begin and end, s. */
  readonly from: string;
  readonly to: string;
  /** A colour for each of its values. */
  readonly by?: string;
  /** Words for the hover. */
  readonly text?: string;
}

/** Bars from a begin to an end, one below the other: what happened when. */
export function timeline(rows: Rows, columns: TimelineColumns, options: PanelOptions = {}): Panel {
  const records = recordsOf(rows);
  const panel = emptyPanel({ x: 'time [s]', ...options });
  panel.barmode = 'overlay';
  groupsOf(records, columns.by).forEach(([name, own], rank) => {
    const from = numbersOf(own, columns.from);
    const to = numbersOf(own, columns.to);
    panel.traces.push({
      type: 'bar',
      orientation: 'h',
      name,
      legendgroup: name,
      y: own.map((row) => String(row[columns.row])),
      base: from,
      x: to.map((end, k) => end - from[k]),
      marker: { color: colourOf(name, rank, options.colours) },
      ...(columns.text !== undefined && {
        text: own.map((row) => String(row[columns.text ?? ''])),
        textposition: 'none',
      }),
      hovertemplate: `%{y}: from %{base:.4f} s for %{x:.4f} s${columns.text === undefined ? '' : '<br>%{text}'}<extra>${name}</extra>`,
    });
  });
  const names = [...new Set(records.map((row) => String(row[columns.row])))];
  Object.assign(panel.y, { type: 'category', categoryarray: names, range: [names.length - 0.4, -0.6], ticks: '' });
  return panel;
}
