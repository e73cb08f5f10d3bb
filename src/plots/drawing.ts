/** Shapes and annotations of a drawing in the coordinates of its axes, as Plotly takes them. */
import type { Figure } from './figure';
import { fade } from './marks';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A figure without axes, in coordinates from 0 to 100 from left to right.
 *
 * @param yRange the lowest and the highest y.
 */
export function drawing(
  title: string,
  height: number,
  yRange: readonly [number, number],
  parts: { readonly shapes: readonly object[]; readonly annotations: readonly object[] },
): Figure {
  return {
    data: [{ type: 'scatter', mode: 'markers', x: [0, 100], y: yRange, marker: { opacity: 0 }, hoverinfo: 'skip' }],
    layout: {
      title: { text: title },
      height,
      showlegend: false,
      margin: { l: 8, r: 8, t: 44, b: 6 },
      xaxis: { visible: false, range: [-1, 101], fixedrange: true },
      yaxis: { visible: false, range: yRange, fixedrange: true },
      ...parts,
    },
  };
}

/** A filled rectangle with a border of the same colour. */
export function rectangle({ x, y, width, height }: Box, colour: string, opacity = 0.22, line = 1.2): object {
  return {
    type: 'rect',
    x0: x,
    x1: x + width,
    y0: y,
    y1: y + height,
    line: { color: colour, width: line },
    fillcolor: fade(colour, opacity),
  };
}

/** A box whose corners are round with radius r in units of x. */
export function rounded({ x, y, width, height }: Box, r: number, colour: string, fillcolor: string): object {
  const [right, top] = [x + width, y + height];
  return {
    ...path(
      `M ${x + r} ${y} L ${right - r} ${y} Q ${right} ${y} ${right} ${y + r} L ${right} ${top - r} ` +
        `Q ${right} ${top} ${right - r} ${top} L ${x + r} ${top} Q ${x} ${top} ${x} ${top - r} ` +
        `L ${x} ${y + r} Q ${x} ${y} ${x + r} ${y} Z`,
      colour,
    ),
    fillcolor,
  };
}

/** A line or a filled shape from the commands M, L, Q and Z of an SVG path. */
export function path(d: string, colour: string, dash = 'solid'): object {
  return { type: 'path', path: d, line: { color: colour, width: 1.6, dash } };
}

/** Text centred at a point. */
export function text(x: number, y: number, label: string, size = 12): object {
  return { x, y, text: label, showarrow: false, font: { size } };
}

/** Text that begins at a point. */
export function leftText(x: number, y: number, label: string, size = 12): object {
  return { ...text(x, y, label, size), xanchor: 'left', align: 'left' };
}

/** An arrow from tail to head; annotations are the only shapes of Plotly that end in a head. */
export function arrow(head: readonly [number, number], tail: readonly [number, number], colour: string): object {
  return {
    x: head[0],
    y: head[1],
    ax: tail[0],
    ay: tail[1],
    xref: 'x',
    yref: 'y',
    axref: 'x',
    ayref: 'y',
    text: '',
    showarrow: true,
    arrowhead: 2,
    arrowsize: 1.1,
    arrowwidth: 1.8,
    arrowcolor: colour,
    standoff: 2,
  };
}
