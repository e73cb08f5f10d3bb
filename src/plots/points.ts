import { type Panel, type PanelOptions, groupPanel } from './panel';
import { type Rows, numbersOf, placesOf, recordsOf, textsOf } from './rows';
import { colourOf, fade } from './theme';

/** Rows as dots, one colour per group: single seeds, candidates, decisions. */
export function points(
  rows: Rows,
  columns: { readonly x: string; readonly y: string; readonly by?: string; readonly text?: string },
  options: PanelOptions & { readonly size?: number; readonly opacity?: number } = {},
): Panel {
  const { size = 5, opacity = 0.6 } = options;
  return groupPanel(rows, columns.by, options, ({ rows: own, colour, name }, panel) => {
    const y = placesOf(own, columns.y);
    panel.values.push(...y.filter((value) => typeof value === 'number'));
    return {
      type: 'scatter',
      mode: 'markers',
      x: placesOf(own, columns.x),
      y,
      ...(columns.text !== undefined && { text: textsOf(own, columns.text) }),
      marker: { color: fade(colour, opacity), size },
      hovertemplate: `%{x:.4g}, %{y:.4g}${columns.text === undefined ? '' : ' %{text}'}<extra>${name}</extra>`,
    };
  });
}

/** Steps filled down to the axis and stacked, one layer per group. */
export function layers(
  rows: Rows,
  columns: { readonly x: string; readonly y: string; readonly by: string; readonly colour?: string },
  options: PanelOptions = {},
): Panel {
  const heights = new Map<unknown, number>();
  for (const row of recordsOf(rows))
    heights.set(row[columns.x], (heights.get(row[columns.x]) ?? 0) + Number(row[columns.y]));
  const panel = groupPanel(rows, columns.by, options, ({ rows: own, name, rank }) => {
    const colour = colourOf(String(own[0][columns.colour ?? columns.by]), rank, options.colours);
    return {
      type: 'scatter',
      mode: 'lines',
      stackgroup: 'layers',
      showlegend: false,
      x: Float32Array.from(numbersOf(own, columns.x)),
      y: Float32Array.from(numbersOf(own, columns.y)),
      line: { shape: 'hv', width: 0.6, color: colour },
      fillcolor: fade(colour, 0.55),
      hovertemplate: `${name}: %{y:.3g}<extra></extra>`,
    };
  });
  panel.values.push(0, ...heights.values());
  return panel;
}
