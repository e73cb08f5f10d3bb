import { type Panel, type PanelOptions, emptyPanel } from './panel';
import { type Rows, numbersOf, placesOf, recordsOf, textsOf } from './rows';

/** Rows as coloured cells: one per pair of x and y. With `centred` the colours run from orange over white at 0 to blue. */
export function heatMap(
  rows: Rows,
  columns: { readonly x: string; readonly y: string; readonly value: string },
  options: PanelOptions & {
    /** Unit of the values. */
    readonly unit: string;
    readonly centred?: boolean;
    /** Ends of the colours; default: the values'. */
    readonly from?: number;
    readonly to?: number;
  },
): Panel {
  const records = recordsOf(rows);
  const values = numbersOf(records, columns.value);
  const largest = Math.max(...values.map(Math.abs));
  const { unit, centred = false, from = centred ? -largest : undefined, to = centred ? largest : undefined } = options;
  const panel = emptyPanel(options);
  const y = textsOf(records, columns.y);
  panel.traces.push({
    type: 'heatmap',
    x: placesOf(records, columns.x),
    y,
    z: values,
    ...(from !== undefined && { zmin: from }),
    ...(to !== undefined && { zmax: to }),
    // Orange to blue: told apart by every kind of colour vision.
    colorscale: centred ? ['#D55E00', '#f7f7f7', '#0072B2'].map((colour, k) => [k / 2, colour]) : 'Viridis',
    colorbar: { title: { text: unit }, thickness: 12 },
    xgap: 1,
    ygap: 1,
    hovertemplate: `%{y}, %{x}: %{z:.3g} ${unit.replace(/<br>/g, ' ')}<extra></extra>`,
  });
  Object.assign(panel.x, { showgrid: false });
  Object.assign(panel.y, { type: 'category', categoryarray: [...new Set(y)], autorange: 'reversed', showgrid: false });
  return panel;
}
