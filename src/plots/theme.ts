/** The look of every figure: a white sheet with dark ink, on light and dark pages alike, and for colour-blind readers. */
import { methods } from '../paper/methods';

/** The colours of Okabe and Ito (https://jfly.uni-koeln.de/color/), yellow last: it is pale on white. */
export const COLOURS = {
  blue: '#0072B2',
  orange: '#E69F00',
  green: '#009E73',
  vermillion: '#D55E00',
  sky: '#56B4E9',
  purple: '#CC79A7',
  grey: '#8C8C8C',
  yellow: '#F0E442',
} as const;

/** The palette in the order in which groups without a colour of their own take it. */
export const OKABE_ITO: readonly string[] = Object.values(COLOURS);

/** Text and axes: contrast 12.6 on the sheet. No method has this colour, so the paper's marks have it too. */
export const INK = '#333333';

export const PAPER_COLOUR = '#ffffff';

/** The colour of a name: the one given, a method's own, or the next of the palette. */
export function colourOf(name: string, rank: number, colours: Readonly<Partial<Record<string, string>>> = {}): string {
  const method = Object.values(methods).find(({ label }) => label === name);
  return colours[name] ?? method?.colour ?? OKABE_ITO[rank % OKABE_ITO.length];
}

export function fade(colour: string, opacity: number): string {
  const [r, g, b] = [1, 3, 5].map((from) => Number.parseInt(colour.slice(from, from + 2), 16));
  return `rgba(${r}, ${g}, ${b}, ${opacity})`;
}

const axis = {
  color: INK,
  gridcolor: '#e2e2e2',
  linecolor: INK,
  zerolinecolor: '#bbbbbb',
  ticks: 'outside',
  automargin: true,
  title: { standoff: 8, font: { size: 13 } },
} as const;

/** Plotly's `layout.template` of all figures; a figure's own fields win. The width follows the page. */
export const figureTemplate: Readonly<Record<string, unknown>> = {
  layout: {
    autosize: true,
    colorway: OKABE_ITO,
    paper_bgcolor: PAPER_COLOUR,
    plot_bgcolor: PAPER_COLOUR,
    font: { family: 'Open Sans, DejaVu Sans, Arial, sans-serif', size: 13, color: INK },
    title: { x: 0.01, xanchor: 'left', font: { size: 16 } },
    margin: { l: 60, r: 20, t: 50, b: 50 },
    legend: { bgcolor: 'rgba(255, 255, 255, 0)' },
    hoverlabel: { align: 'left' },
    colorscale: { sequential: 'Viridis', sequentialminus: 'Viridis' },
    xaxis: axis,
    yaxis: axis,
  },
};
