/** The conditions that the paper leaves out: figure and words. */
import { type ConditionName, conditionOf } from '../paper/conditions';
import { intervalText } from '../paper/judgement';
import {
  type FigureSeries,
  type RunMetric,
  curveOf,
  deviation,
  isOverloaded,
  isUndecided,
  latency,
} from '../paper/results';
import type { StoredRun } from '../paper/run-store';
import { meanInterval } from '../paper/statistics';
import type { Figure } from './figure';
import { axisSuffix } from './marks';
import { NEUTRAL, intervalBars, logAxis, needsLog, panelAxes, panelLayout, withSeeds } from './result-panels';

/** A method's runs in a condition, and at the default. */
interface Pair {
  readonly series: FigureSeries;
  readonly runs: readonly StoredRun[];
  readonly usual: readonly StoredRun[];
}

/** The methods that have runs in a condition. */
function pairsOf(series: readonly FigureSeries[], name: ConditionName): Pair[] {
  const runsAt = ({ points }: FigureSeries, x: string): readonly StoredRun[] =>
    points.find((point) => point.x === x)?.runs ?? [];
  return series
    .map((one) => ({ series: one, runs: runsAt(one, name), usual: runsAt(one, 'default') }))
    .filter(({ runs }) => runs.length > 0);
}

/** Whether an artefact's series have runs in a condition. */
export function hasCondition(series: readonly FigureSeries[], name: ConditionName): boolean {
  return pairsOf(series, name).length > 0;
}

/**
 * Latency and deviation of every method in a condition, beside the default's: one row per method, a mark with its 95 %
 * interval over seeds, a grey tick at the default.
 *
 * @param series those of `figureRuns('beyond', …)`.
 */
export function conditionFigure(
  series: readonly FigureSeries[],
  name: ConditionName,
  title = `Beyond the paper: ${conditionOf(name).label}`,
): Figure {
  const pairs = pairsOf(series, name);
  const values: number[][] = [[], []];
  const rows = pairs.map(({ series: { label }, runs }) => withSeeds(label, [runs.length]));
  const data = [latency, deviation].flatMap((metric, k) =>
    pairs.flatMap(({ series: one, runs, usual }, i): object[] => {
      const at = (list: readonly StoredRun[]) => curveOf({ ...one, points: [{ x: 0, runs: list }] }, metric);
      const [here, there] = [at(runs), at(usual)];
      values[k].push(...here.mean, ...there.mean);
      const tick = {
        type: 'scatter',
        mode: 'markers',
        name: 'default',
        legendgroup: 'default',
        showlegend: k === 0 && i === 0,
        x: there.mean,
        y: there.mean.map(() => rows[i]),
        error_x: intervalBars(there, NEUTRAL),
        marker: { color: NEUTRAL, symbol: 'line-ns-open', size: 14, line: { width: 2 } },
        hovertemplate: `${one.label}: %{x:.4g}<extra>default</extra>`,
        ...panelAxes(k),
      };
      const mark = {
        type: 'scatter',
        mode: 'markers',
        name: one.label,
        showlegend: false,
        x: here.mean,
        y: here.mean.map(() => rows[i]),
        error_x: intervalBars(here, one.colour),
        marker: {
          color: one.colour,
          size: 10,
          symbol: isOverloaded(runs) ? 'circle-open' : 'circle',
          line: { width: 2, color: one.colour },
        },
        hovertemplate: `${one.label}: %{x:.4g}, n = ${runs.length}<extra>${conditionOf(name).label}</extra>`,
        ...panelAxes(k),
      };
      return there.mean.length === 0 ? [mark] : [tick, mark];
    }),
  );
  const subtitle = [
    '● here, grey tick at the default; mean and 95 % interval over n seeds',
    ...(pairs.some(({ runs }) => isOverloaded(runs)) ? ['○ backlog grows without end'] : []),
  ].join('; ');
  const layout = panelLayout(
    title,
    subtitle,
    [
      { x: '(a) mean latency D<sub>tot</sub> [s]', y: '' },
      { x: '(b) mean deviation Y', y: '' },
    ],
    { rows: 0, height: 190 + 30 * pairs.length },
  );
  values.forEach((list, k) => {
    const suffix = axisSuffix(k);
    layout[`xaxis${suffix}`] = {
      ...(layout[`xaxis${suffix}`] as object),
      domain: k === 0 ? [0, 0.47] : [0.53, 1],
      ...(needsLog(list) ? logAxis(list) : { rangemode: 'tozero' }),
    };
    layout[`yaxis${suffix}`] = {
      anchor: `x${suffix}`,
      type: 'category',
      categoryorder: 'array',
      categoryarray: rows,
      range: [rows.length - 0.5, -0.5],
      showticklabels: k === 0,
      ticks: '',
    };
  });
  layout['showlegend'] = false;
  const epsilon = pairs.at(0)?.runs.at(0)?.config.balanceTolerance;
  if (epsilon === undefined) return { data, layout };
  const x = needsLog(values[1]) ? Math.log10(epsilon) : epsilon;
  const line = { color: NEUTRAL, width: 1.2, dash: 'dot' };
  const words = { xref: 'x2', yref: 'y2 domain', y: 1, yanchor: 'bottom', showarrow: false, font: { size: 11 } };
  return {
    data,
    layout: {
      ...layout,
      shapes: [{ type: 'line', xref: 'x2', yref: 'y2 domain', x0: epsilon, x1: epsilon, y0: 0, y1: 1, line }],
      annotations: [{ ...words, x, text: `ε = ${epsilon}` }],
    },
  };
}

/** "+12 %", with a minus sign that is one. */
function percentText(change: number): string {
  const percent = Math.round(100 * change);
  return `${percent < 0 ? '−' : percent > 0 ? '+' : ''}${Math.abs(percent)} %`;
}

/**
 * What a condition's runs say, in sentences of Markdown: the fastest, LYREO against the default, who changes most and
 * least, what went wrong.
 *
 * @param series those of `figureRuns('beyond', …)`.
 */
export function conditionText(series: readonly FigureSeries[], name: ConditionName): string {
  const pairs = pairsOf(series, name);
  if (pairs.length === 0) return `No runs of this condition are stored: ${conditionOf(name).label}.`;
  const meanOf = (runs: readonly StoredRun[], metric: RunMetric): number => meanInterval(runs.map(metric)).mean;
  const byLatency = [...pairs].sort((a, b) => meanOf(a.runs, latency) - meanOf(b.runs, latency));
  const text = (runs: readonly StoredRun[], metric: RunMetric): string => {
    const interval = meanInterval(runs.map(metric));
    return interval.n > 1 ? intervalText(interval) : String(Number(interval.mean.toPrecision(3)));
  };
  const named = ({ series: { label }, runs }: Pair): string => `${label} (${text(runs, latency)} s)`;
  const [first, second] = byLatency;
  const ownFirst = byLatency.find(({ series: { published } }) => published);
  const sentences = [
    `Lowest mean latency: ${named(first)}${byLatency.length > 1 ? `, then ${named(second)}` : ''}.`,
    ...(ownFirst === undefined || ownFirst === first ? [] : [`Of the paper’s methods: ${named(ownFirst)}.`]),
    ...pairs
      .filter(({ series: { method }, usual }) => /^lyreo/.test(method) && usual.length > 0)
      .map(({ series: { label }, runs, usual }) => {
        const change = percentText(meanOf(runs, latency) / meanOf(usual, latency) - 1);
        return `${label}: ${text(runs, latency)} s against ${text(usual, latency)} s at the default (${change}), deviation ${text(runs, deviation)} against ${text(usual, deviation)}.`;
      }),
  ];
  const changes = pairs
    .filter(({ usual }) => usual.length > 0)
    .map(({ series: { label }, runs, usual }) => ({
      label,
      change: meanOf(runs, latency) / meanOf(usual, latency) - 1,
    }))
    .sort((a, b) => a.change - b.change);
  const [least, most] = [changes.at(0), changes.at(-1)];
  if (least !== undefined && most !== undefined && changes.length > 1)
    sentences.push(
      `Against the default the latency changes from ${percentText(least.change)} (${least.label}) to ${percentText(most.change)} (${most.label}).`,
    );
  const overloaded = pairs.filter(({ runs }) => isOverloaded(runs)).map(({ series: { label } }) => label);
  if (overloaded.length > 0) sentences.push(`The backlog grows without end under ${overloaded.join(', ')}.`);
  const open = pairs.filter(({ runs }) => isUndecided(runs)).map(({ series: { label } }) => label);
  if (open.length > 0)
    sentences.push(`The runs are too short to tell whether the servers keep up under ${open.join(', ')}.`);
  const refused = Math.max(
    ...pairs.flatMap(({ runs }) =>
      runs.map(({ evaluation: { rejected, completed } }) => rejected / (rejected + completed)),
    ),
  );
  if (refused > 0)
    sentences.push(
      `Requests that no pool can hold are refused: at most ${Number((100 * refused).toPrecision(2))} % of a run’s.`,
    );
  return sentences.join(' ');
}
