/** Shapes and annotations of a drawing in the coordinates of its axes, as Plotly takes them. */
import type { Figure } from './figure';
import { fade } from './theme';

/** A box by its lower left corner. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/**
 * A figure without axes, in coordinates from 0 to 100 from left to right.
 *
 * @param range the lowest and the highest y.
 * @param parts shapes, which have a type, and annotations; later ones lie above earlier ones.
 */
export function drawing(
  title: string,
  height: number,
  range: readonly [number, number],
  parts: readonly object[],
): Figure {
  const axis = { visible: false, fixedrange: true };
  return {
    data: [{ type: 'scatter', mode: 'markers', x: [0, 100], y: range, marker: { opacity: 0 }, hoverinfo: 'skip' }],
    layout: {
      title: { text: title },
      height,
      showlegend: false,
      margin: { l: 8, r: 8, t: 44, b: 6 },
      xaxis: { ...axis, range: [-1, 101] },
      yaxis: { ...axis, range },
      shapes: parts.filter((part) => 'type' in part),
      annotations: parts.filter((part) => !('type' in part)),
    },
  };
}

/** A filled rectangle with a border of the same colour. */
export function rectangle([x, y, width, height]: Box, colour: string, opacity: number, line = 1.2): object {
  const corners = { x0: x, x1: x + width, y0: y, y1: y + height };
  return { type: 'rect', ...corners, line: { color: colour, width: line }, fillcolor: fade(colour, opacity) };
}

/** A filled box whose corners are round with radius r in units of x. */
export function rounded([x, y, width, height]: Box, r: number, colour: string, opacity: number): object {
  const [right, top] = [x + width, y + height];
  const outline =
    `M ${x + r} ${y} L ${right - r} ${y} Q ${right} ${y} ${right} ${y + r} L ${right} ${top - r} ` +
    `Q ${right} ${top} ${right - r} ${top} L ${x + r} ${top} Q ${x} ${top} ${x} ${top - r} ` +
    `L ${x} ${y + r} Q ${x} ${y} ${x + r} ${y} Z`;
  return { ...path(outline, colour), fillcolor: fade(colour, opacity) };
}

/** A line or a filled shape from the commands M, L, Q and Z of an SVG path. */
export function path(d: string, colour: string, dash = 'solid'): object {
  return { type: 'path', path: d, line: { color: colour, width: 1.6, dash } };
}

/** Text centred at a point; with an `xanchor` it begins or ends there. */
export function text(x: number, y: number, label: string, size = 12, xanchor = 'auto'): object {
  return { x, y, text: label, showarrow: false, font: { size }, xanchor, ...(xanchor === 'left' && { align: 'left' }) };
}

/** An arrow from tail to head; annotations are the only shapes of Plotly that end in a head. */
export function arrow([x, y]: readonly [number, number], [ax, ay]: readonly [number, number], colour: string): object {
  const head = { arrowhead: 2, arrowsize: 1.1, arrowwidth: 1.8, arrowcolor: colour, standoff: 2 };
  return { x, y, ax, ay, axref: 'x', ayref: 'y', text: '', ...head };
}
