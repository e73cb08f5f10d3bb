/** How every figure looks: legible on a light and on a dark page, and to colour-blind readers. */

/** The colours of Okabe and Ito (https://jfly.uni-koeln.de/color/), yellow last: it is pale on white. */
export const OKABE_ITO: readonly string[] = [
  '#0072B2', // blue
  '#E69F00', // orange
  '#009E73', // bluish green
  '#D55E00', // vermillion
  '#56B4E9', // sky blue
  '#CC79A7', // reddish purple
  '#8C8C8C', // grey instead of black, which a dark page swallows
  '#F0E442', // yellow
];

/** Text and lines: contrast of at least 3.9 against both white and JupyterLab's dark page. */
const INK = '#7f7f7f';
const GRID = 'rgba(127, 127, 127, 0.25)';

const axis = {
  color: INK,
  gridcolor: GRID,
  linecolor: INK,
  zerolinecolor: GRID,
  ticks: 'outside',
  automargin: true,
  title: { standoff: 8 },
} as const;

/** Plotly's `layout.template` of all figures; what a figure sets itself wins. */
export const figureTemplate: Readonly<Record<string, unknown>> = {
  layout: {
    colorway: OKABE_ITO,
    paper_bgcolor: 'rgba(0, 0, 0, 0)',
    plot_bgcolor: 'rgba(0, 0, 0, 0)',
    font: { family: 'Open Sans, DejaVu Sans, Arial, sans-serif', size: 13, color: INK },
    title: { x: 0.02, xanchor: 'left', font: { size: 16 } },
    margin: { l: 60, r: 20, t: 50, b: 50 },
    legend: { bgcolor: 'rgba(0, 0, 0, 0)' },
    hoverlabel: { align: 'left' },
    colorscale: { sequential: 'Viridis', sequentialminus: 'Viridis' },
    xaxis: axis,
    yaxis: axis,
  },
};
