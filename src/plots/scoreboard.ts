import type { Scoreboard, ScoreboardRow } from '../paper/scoreboard';
import type { Figure } from './figure';
import { COLOURS, heading } from './marks';

const VERDICTS: readonly {
  readonly name: string;
  readonly is: (row: ScoreboardRow) => boolean;
  readonly colour: string;
}[] = [
  { name: 'holds', is: ({ verdict }) => verdict === 'holds', colour: COLOURS.green },
  {
    name: 'does not hold: not shown',
    is: ({ verdict, isContradicted }) => verdict === 'does not hold' && !isContradicted,
    colour: COLOURS.orange,
  },
  { name: 'does not hold: contradicted', is: ({ isContradicted }) => isContradicted, colour: COLOURS.vermillion },
  { name: 'cannot be tested', is: ({ verdict }) => verdict === 'cannot be tested', colour: COLOURS.grey },
];

const NAMES: Readonly<Partial<Record<ScoreboardRow['artefact'], string>>> = {
  fig2: 'Fig. 2, convergence',
  fig3: 'Fig. 3, distributions',
  table2: 'Table II, ablation',
  fig4: 'Fig. 4, users',
  fig5: 'Fig. 5, servers',
  fig6: 'Fig. 6, hardware mixes',
  fig7: 'Fig. 7, weight ν',
  fig8: 'Fig. 8, window H',
  rho0: 'ϱ = 0',
  beyond: 'beyond the paper',
  extras: 'extras',
  settings: 'settings',
};

/** How many of each artefact's claims hold, do not, and cannot be tested. */
export function scoreboardFigure({ rows, profile }: Scoreboard): Figure {
  const artefacts = [...new Set(rows.map(({ artefact }) => artefact))];
  return {
    data: VERDICTS.map(({ name, is, colour }) => {
      const counts = artefacts.map((artefact) => rows.filter((row) => row.artefact === artefact && is(row)).length);
      return {
        type: 'bar',
        orientation: 'h',
        name: `${name} (${counts.reduce((a, b) => a + b, 0)})`,
        y: artefacts.map((artefact) => NAMES[artefact]),
        x: counts,
        text: counts.map((n) => (n === 0 ? '' : String(n))),
        textposition: 'inside',
        insidetextanchor: 'middle',
        textangle: 0,
        textfont: { color: '#ffffff', size: 13 },
        marker: { color: colour, line: { color: '#ffffff', width: 1 } },
        hovertemplate: '%{y}: %{x}<extra>%{fullData.name}</extra>',
      };
    }),
    layout: {
      title: heading(`The paper’s claims and settings, judged by stored runs (profile ${profile})`),
      barmode: 'stack',
      width: 900,
      height: 460,
      margin: { t: 90, l: 160 },
      legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom', traceorder: 'normal' },
      xaxis: { title: { text: 'claims, numbers and settings' } },
      yaxis: { autorange: 'reversed' },
    },
  };
}
