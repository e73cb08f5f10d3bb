import { type Panel, type PanelOptions, categoriesFromTop, groupPanel } from './panel';
import { type Rows, numbersOf, placesOf, textsOf } from './rows';
import { COLOURS } from './theme';

/**
 * Rows as coloured cells: one per pair of x and y. With `centred` the colours run from orange over white at 0 to blue.
 *
 * @param options `unit` is that of the values; `from` and `to` are the ends of the colours, by default the values'.
 */
export function heatMap(
  rows: Rows,
  columns: { readonly x: string; readonly y: string; readonly value: string },
  options: PanelOptions & {
    readonly unit: string;
    readonly centred?: boolean;
    readonly from?: number;
    readonly to?: number;
  },
): Panel {
  const { unit, centred = false, from, to } = options;
  return groupPanel(rows, undefined, options, ({ rows: own }, panel) => {
    const y = textsOf(own, columns.y);
    categoriesFromTop(panel, y);
    Object.assign(panel.x, { showgrid: false });
    return {
      type: 'heatmap',
      x: placesOf(own, columns.x),
      y,
      z: numbersOf(own, columns.value),
      ...(from !== undefined && { zmin: from }),
      ...(to !== undefined && { zmax: to }),
      // Orange to blue: told apart by every kind of colour vision.
      ...(centred
        ? { zmid: 0, colorscale: [COLOURS.vermillion, '#f7f7f7', COLOURS.blue].map((colour, k) => [k / 2, colour]) }
        : { colorscale: 'Viridis' }),
      colorbar: { title: { text: unit }, thickness: 12 },
      xgap: 1,
      ygap: 1,
      hovertemplate: `%{y}, %{x}: %{z:.3g} ${unit.replace(/<br>/g, ' ')}<extra></extra>`,
    };
  });
}
