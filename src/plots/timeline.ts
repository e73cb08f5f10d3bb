import { type Panel, type PanelOptions, groupPanel } from './panel';
import { type Rows, numbersOf, recordsOf, textsOf } from './rows';

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
  const { row, from, to, by, text } = columns;
  const panel = groupPanel(rows, by, { x: 'time [s]', ...options }, ({ rows: own, colour, name }) => {
    const base = numbersOf(own, from);
    return {
      type: 'bar',
      orientation: 'h',
      y: textsOf(own, row),
      base,
      x: numbersOf(own, to).map((end, k) => end - base[k]),
      marker: { color: colour },
      ...(text !== undefined && { text: textsOf(own, text), textposition: 'none' }),
      hovertemplate: `%{y}: from %{base:.4f} s for %{x:.4f} s${text === undefined ? '' : '<br>%{text}'}<extra>${name}</extra>`,
    };
  });
  panel.barmode = 'overlay';
  const names = [...new Set(textsOf(recordsOf(rows), row))];
  Object.assign(panel.y, { type: 'category', categoryarray: names, range: [names.length - 0.4, -0.6], ticks: '' });
  return panel;
}
