/** Additions to a panel beside its data: the paper's values and words, and limits. */
import { type Panel, note } from './panel';
import { INK, PAPER_COLOUR } from './theme';

/** Adds values that the paper states as open diamonds of the colour of the ink, with labels such as "Ly-PPO 3.9". */
export function stated(
  panel: Panel,
  values: readonly { readonly x: number | string; readonly y: number; readonly label: string }[],
): Panel {
  if (values.length === 0) return panel;
  // Words stand inside the panel.
  const last = Math.max(...values.map(({ x }) => Number(x)));
  panel.values.push(...values.map(({ y }) => y));
  panel.traces.push({
    type: 'scatter',
    mode: 'markers+text',
    name: 'stated in the paper',
    x: values.map(({ x }) => x),
    y: values.map(({ y }) => y),
    text: values.map(({ label }) => ` ${label} `),
    textposition: values.map(({ x }) => (Number(x) === last ? 'middle left' : 'middle right')),
    textfont: { size: 11, color: INK },
    cliponaxis: false,
    marker: { symbol: 'diamond-open', size: 11, color: INK, line: { width: 2 } },
    hovertemplate: '%{x}: %{y}<extra>stated in the paper</extra>',
  });
  return panel;
}

/** Adds a dotted line at a value of the y axis (or the x axis) with a word: ε, a bound. */
export function limit(panel: Panel, value: number, label: string, axis: 'x' | 'y' = 'y'): Panel {
  const line = { type: 'line', line: { color: INK, width: 1.4, dash: 'dot' } };
  const font = { size: 11 };
  if (axis === 'y') {
    if (panel.values.length > 0) panel.values.push(value);
    // On the sheet's colour, so that curves do not strike the word through.
    const look = { font, bgcolor: PAPER_COLOUR, borderpad: 1, yshift: 2 };
    panel.notes.push(note(label, { ...look, yref: 'y', x: 1, y: value, xanchor: 'right', yanchor: 'bottom' }));
    panel.shapes.push({ ...line, xref: 'x domain', yref: 'y', x0: 0, x1: 1, y0: value, y1: value });
  } else {
    panel.notes.push(note(label, { font, xref: 'x', x: value, y: 1, xanchor: 'left', yanchor: 'top' }));
    panel.shapes.push({ ...line, xref: 'x', yref: 'y domain', y0: 0, y1: 1, x0: value, x1: value });
  }
  return panel;
}

/** Adds a statement of the paper without numbers, an order or a trend, below the panel's title. */
export function says(panel: Panel, ...texts: readonly string[]): Panel {
  panel.remarks.push(...texts);
  return panel;
}
