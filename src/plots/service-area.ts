import type { Figure } from './figure';
import { COLOURS, heading } from './marks';

/** Points of the service area, m. */
export interface Positions {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
}

/**
 * The service area from above: servers by name and the ways of the users, one array of points per user, the last one
 * being where it is now.
 */
export function serviceAreaFigure(
  servers: Positions & { readonly names: readonly string[] },
  ways: readonly Positions[],
  areaMeters: readonly [number, number],
): Figure {
  const last = (values: ArrayLike<number>): number => values[values.length - 1];
  const trails = ways.flatMap(({ x }) => [...Array.from(x), null]);
  const trailsY = ways.flatMap(({ y }) => [...Array.from(y), null]);
  return {
    data: [
      {
        type: 'scatter',
        mode: 'lines',
        name: 'way of a user',
        x: trails,
        y: trailsY,
        line: { color: COLOURS.sky, width: 1.5 },
        hoverinfo: 'skip',
      },
      {
        type: 'scatter',
        mode: 'markers',
        name: 'user',
        x: ways.map((way) => last(way.x)),
        y: ways.map((way) => last(way.y)),
        text: ways.map((_, u) => `user ${u}`),
        cliponaxis: false,
        marker: { color: COLOURS.blue, size: 8 },
        hovertemplate: '%{text}<br>(%{x:.0f} m, %{y:.0f} m)<extra></extra>',
      },
      {
        type: 'scatter',
        mode: 'markers+text',
        name: 'edge server',
        x: Array.from(servers.x),
        y: Array.from(servers.y),
        text: servers.names,
        textposition: 'top center',
        textfont: { color: COLOURS.vermillion },
        cliponaxis: false,
        marker: { color: COLOURS.vermillion, size: 13, symbol: 'square' },
        hovertemplate: '%{text}<br>(%{x:.0f} m, %{y:.0f} m)<extra></extra>',
      },
    ],
    layout: {
      title: heading('Users walk among the edge servers'),
      margin: { t: 80 },
      width: 680,
      height: 600,
      xaxis: { title: { text: 'x [m]' }, range: [0, areaMeters[0]], zeroline: false },
      yaxis: { title: { text: 'y [m]' }, range: [0, areaMeters[1]], scaleanchor: 'x', zeroline: false },
      legend: { orientation: 'h', x: 1, xanchor: 'right', y: 1.01, yanchor: 'bottom' },
    },
  };
}
