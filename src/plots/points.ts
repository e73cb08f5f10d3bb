import { colourOf, fade } from './marks';
import { type Panel, type PanelOptions, emptyPanel } from './panel';
import { type Rows, groupsOf, numbersOf, placesOf, recordsOf } from './rows';

/** Rows as dots, one colour per group: single seeds, candidates, decisions. */
export function points(
  rows: Rows,
  columns: { readonly x: string; readonly y: string; readonly by?: string; readonly text?: string },
  options: PanelOptions & { readonly size?: number; readonly opacity?: number } = {},
): Panel {
  const { size = 5, opacity = 0.6 } = options;
  const panel = emptyPanel(options);
  groupsOf(recordsOf(rows), columns.by).forEach(([name, own], rank) => {
    const y = placesOf(own, columns.y);
    panel.values.push(...y.filter((value) => typeof value === 'number'));
    panel.traces.push({
      type: 'scatter',
      mode: 'markers',
      name,
      legendgroup: name,
      x: placesOf(own, columns.x),
      y,
      ...(columns.text !== undefined && { text: own.map((row) => String(row[columns.text ?? ''])) }),
      marker: { color: fade(colourOf(name, rank, options.colours), opacity), size },
      hovertemplate: `%{x:.4g}, %{y:.4g}${columns.text === undefined ? '' : ' %{text}'}<extra>${name}</extra>`,
    });
  });
  return panel;
}

/** Steps filled down to the axis and stacked, one layer per group: who holds how much. */
export function layers(
  rows: Rows,
  columns: { readonly x: string; readonly y: string; readonly by: string; readonly colour?: string },
  options: PanelOptions = {},
): Panel {
  const panel = emptyPanel(options);
  groupsOf(recordsOf(rows), columns.by).forEach(([name, own], rank) => {
    const group = columns.colour === undefined ? name : String(own[0][columns.colour]);
    const colour = colourOf(group, rank, options.colours);
    panel.traces.push({
      type: 'scatter',
      mode: 'lines',
      stackgroup: 'layers',
      name,
      showlegend: false,
      x: Float32Array.from(numbersOf(own, columns.x)),
      y: Float32Array.from(numbersOf(own, columns.y)),
      line: { shape: 'hv', width: 0.6, color: colour },
      fillcolor: fade(colour, 0.55),
      hovertemplate: `${name}: %{y:.3g}<extra></extra>`,
    });
  });
  const heights = new Map<unknown, number>();
  for (const row of recordsOf(rows))
    heights.set(row[columns.x], (heights.get(row[columns.x]) ?? 0) + Number(row[columns.y]));
  panel.values.push(0, ...heights.values());
  return panel;
}
