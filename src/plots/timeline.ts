import { type Panel, type PanelOptions, categoriesFromTop, groupPanel } from './panel';
import { type Rows, numbersOf, recordsOf, textsOf } from './rows';

/**
 * Bars from a begin to an end, s, one below the other.
 *
 * @param columns `row` is the line of the chart, `by` the colour, `text` the words for the hover.
 */
export function timeline(
  rows: Rows,
  columns: {
    readonly row: string;
    readonly from: string;
    readonly to: string;
    readonly by?: string;
    readonly text?: string;
  },
  options: PanelOptions = {},
): Panel {
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
  categoriesFromTop(panel, textsOf(recordsOf(rows), row));
  return panel;
}
