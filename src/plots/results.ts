/** The figures of Section V: stored runs in, Plotly figures out. */
import type { UpdateLog } from '../lyreo/lyreo';
import {
  type Curve,
  type FigureSeries,
  type RunMetric,
  curveOf,
  deviation,
  isOverloaded,
  latency,
  learningCurve,
} from '../paper/results';
import { methodOf } from '../paper/methods';
import { publishedFacts } from '../paper/published';
import type { StoredRun } from '../paper/run-store';
import { quantileLevels } from '../paper/measure';
import { mean } from '../paper/statistics';
import type { Figure } from './figure';
import { axisSuffix, fade } from './marks';
import {
  NEUTRAL,
  PAPER,
  type PaperMark,
  intervalBars,
  legendRows,
  logAxis,
  needsLog,
  panelAxes,
  panelLayout,
  paperMarks,
  rangeBand,
  withSeeds,
} from './result-panels';

const DASHES = ['solid', 'dash', 'dot', 'dashdot', 'longdash', 'longdashdot'];
const SYMBOLS = ['circle', 'square', 'triangle-up', 'cross', 'pentagon', 'triangle-down', 'star'];

const LATENCY_TITLE = '(a) mean latency D<sub>tot</sub> [s]';
const DEVIATION_TITLE = '(b) mean deviation Y';
const OVER_SEEDS = 'mean and 95 % interval over n seeds';

const namesOf = (series: readonly FigureSeries[]): string[] => series.map((one) => withSeeds(one.label, countsOf(one)));
const countsOf = ({ points }: FigureSeries): number[] => points.map(({ runs }) => runs.length);
const hasRuns = ({ points }: FigureSeries): boolean => points.some(({ runs }) => runs.length > 0);
const runsOf = ({ points }: FigureSeries): readonly StoredRun[] => points.flatMap(({ runs }) => runs);

/** Share of a training after which its latency is drawn once more, in close-up, and how far above the best it shows. */
const CLOSE_UP = { from: 0.25, above: 0.15 };

/** With more learners than this their bands would hide one another. */
const MOST_BANDS = 4;

/** Fig. 2: latency, once more in close-up, and virtual queue while learning; mean and range over seeds. */
export function convergenceFigure(
  series: readonly FigureSeries[],
  title = 'Fig. 2: latency and virtual queue while learning',
): Figure {
  const { latency_s, mean_virtual_queue } = publishedFacts().fig2_convergence;
  const there = series.filter(hasRuns);
  const updates = Math.max(1, ...there.flatMap((one) => runsOf(one).map(({ log }) => log?.latency?.length ?? 0)));
  const panels: readonly { readonly field: keyof UpdateLog; readonly y: string; readonly stated: object }[] = [
    { field: 'latency', y: LATENCY_TITLE, stated: latency_s },
    { field: 'latency', y: '(a) in close-up [s]', stated: {} },
    { field: 'queue', y: '(b) mean virtual queue Z', stated: mean_virtual_queue },
  ];
  const slots = there.flatMap(runsOf).at(0)?.config.slots ?? 0;
  const drawn = panels.map(({ field, y, stated }, k) => {
    const curves = there.map((one) => learningCurve(runsOf(one), field));
    const marks = there.flatMap(({ label, colour }): PaperMark[] =>
      Object.entries(stated as Record<string, number>)
        .filter(([name]) => name === label)
        .map(([, value]) => ({ x: updates * 1.08, y: value, colour, label: String(value) })),
    );
    const values = [...curves.flatMap(({ min, max }) => [...min, ...max]), ...marks.map((mark) => mark.y)];
    const late = curves.flatMap(({ mean: means }) => means.slice(Math.floor(CLOSE_UP.from * updates)));
    const best = Math.min(...late);
    const top = Math.min(Math.max(...late), best * (1 + CLOSE_UP.above));
    const isCloseUp = k === 1 && late.length > 0;
    return {
      traces: [
        ...there.flatMap((one, i) => learningTraces(one, curves[i], i, k, there.length <= MOST_BANDS)),
        ...paperMarks(marks, k, k === 0),
      ],
      axes: {
        x: `update of ${slots} slots`,
        y,
        logY: !isCloseUp && needsLog(values),
        values,
        range: [0, updates * 1.3] as const,
        ...(isCloseUp ? { yRange: [best - 0.15 * (top - best), top + 0.15 * (top - best)] as const } : {}),
      },
    };
  });
  return {
    data: drawn.flatMap(({ traces }) => traces),
    layout: panelLayout(
      title,
      there.length <= MOST_BANDS ? 'lines: mean, bands: least to greatest of n seeds' : 'lines: mean of n seeds',
      drawn.map(({ axes }) => axes),
      { rows: legendRows([...namesOf(there), PAPER]) },
    ),
  };
}

/** A method's line over updates, with the band of its seeds if wanted. */
function learningTraces(
  { label, colour }: FigureSeries,
  curve: Curve,
  i: number,
  panel: number,
  withBand: boolean,
): object[] {
  const line = {
    type: 'scatter',
    mode: 'lines',
    name: withSeeds(label, curve.n.slice(0, 1)),
    legendgroup: label,
    showlegend: panel === 0,
    x: curve.x,
    y: curve.mean,
    line: { color: colour, width: 2, dash: DASHES[i % DASHES.length] },
    hovertemplate: 'update %{x}: %{y:.4g}<extra>%{fullData.name}</extra>',
    ...panelAxes(panel),
  };
  return [...(withBand && curve.n.some((n) => n > 1) ? [rangeBand(curve, colour, panel)] : []), line];
}

/** Fig. 3: how latencies of requests and deviations of slots are spread. */
export function distributionFigure(
  series: readonly FigureSeries[],
  title = 'Fig. 3: distributions over the held-out episodes',
): Figure {
  const there = series.filter(hasRuns);
  const quantities: readonly ((run: StoredRun) => readonly number[])[] = [
    ({ evaluation }) => evaluation.latencyQuantiles,
    ({ evaluation }) => evaluation.deviationQuantiles,
  ];
  const at = (q: number): number => quantileLevels.findIndex((level) => Math.abs(level - q) < 1e-9);
  const values: number[][] = [[], []];
  const data = quantities.flatMap((quantiles, k) =>
    there.flatMap((one): object[] => {
      const runs = runsOf(one);
      const quantile = (q: number): number => mean(runs.map((run) => quantiles(run)[at(q)]));
      const [low, q1, middle, q3, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map(quantile);
      values[k].push(low, high);
      const name = withSeeds(one.label, [runs.length]);
      const box = {
        type: 'box',
        orientation: 'h',
        name,
        y: [name],
        lowerfence: [low],
        q1: [q1],
        median: [middle],
        q3: [q3],
        upperfence: [high],
        line: { color: one.colour },
        showlegend: false,
        ...panelAxes(k),
      };
      const medians = {
        type: 'scatter',
        mode: 'markers',
        name: `${one.label}, median of a seed`,
        x: runs.map((run) => quantiles(run)[at(0.5)]),
        y: runs.map(() => name),
        marker: { color: one.colour, size: 5, symbol: 'circle-open' },
        showlegend: false,
        ...panelAxes(k),
      };
      return [box, medians];
    }),
  );
  const layout = panelLayout(
    title,
    'box: quartiles and median, whiskers: 5 to 95 %, averaged over n seeds; ○ medians of single seeds',
    [
      { x: '(a) latency D<sub>tot</sub> of a request [s]', y: '' },
      { x: '(b) deviation Y of a slot, mean over servers', y: '' },
    ],
    { rows: 0, height: 190 + 36 * there.length },
  );
  values.forEach((list, k) => {
    const suffix = axisSuffix(k);
    const isLog = needsLog(list);
    layout[`xaxis${suffix}`] = {
      ...(layout[`xaxis${suffix}`] as object),
      ...(k === 0 ? { domain: [0, 0.47] } : { domain: [0.53, 1] }),
      ...(isLog ? logAxis(list) : { rangemode: 'tozero' }),
    };
    layout[`yaxis${suffix}`] = { anchor: `x${suffix}`, autorange: 'reversed', showticklabels: k === 0, ticks: '' };
  });
  return { data, layout };
}

/** What of a swept figure is particular. */
interface SweepWords {
  readonly title: string;
  readonly x: string;
  readonly logX?: boolean;
  readonly categories?: readonly string[];
  /** Stated values of the two panels. */
  readonly stated?: readonly [readonly PaperMark[], readonly PaperMark[]];
}

/**
 * How far above the lowest point a sweep's close-up shows: the paper's contest is between methods a tenth apart, which
 * are one line on an axis that also holds those five times as slow.
 */
const SWEEP_CLOSE_UP = 1.5;

/** Latency, where it spreads once more in close-up, and deviation over what is swept; overloaded runs' points are open. */
function sweepFigure(series: readonly FigureSeries[], words: SweepWords): Figure {
  const { title, x, logX = false, categories, stated = [[], []] } = words;
  const there = series.filter(hasRuns);
  const latencies = there.flatMap((one) => curveOf(one, latency).mean);
  const best = Math.min(...latencies);
  const hasCloseUp = Math.max(...latencies) > SWEEP_CLOSE_UP * best;
  const panels: readonly { readonly metric: RunMetric; readonly y: string; readonly marks: readonly PaperMark[] }[] = [
    { metric: latency, y: LATENCY_TITLE, marks: stated[0] },
    ...(hasCloseUp ? [{ metric: latency, y: '(a) in close-up [s]', marks: [] }] : []),
    { metric: deviation, y: DEVIATION_TITLE, marks: stated[1] },
  ];
  const values: number[][] = panels.map(({ marks }) => marks.map(({ y }) => y));
  const traces = panels.flatMap(({ metric }, k) =>
    there.map((one, i) => {
      const curve = curveOf(one, metric);
      values[k].push(...curve.mean);
      const symbol = SYMBOLS[i % SYMBOLS.length];
      const symbols = one.points
        .filter(({ runs }) => runs.length > 0)
        .map(({ runs }) => (isOverloaded(runs) ? `${symbol}-open` : symbol));
      return {
        type: 'scatter',
        mode: 'lines+markers',
        name: withSeeds(one.label, countsOf(one)),
        legendgroup: one.label,
        showlegend: k === 0,
        x: curve.x,
        y: curve.mean,
        error_y: intervalBars(curve, one.colour),
        line: { color: one.colour, width: 2, dash: DASHES[i % DASHES.length] },
        marker: { color: one.colour, size: 8, symbol: symbols },
        text: curve.n.map((n) => `n = ${n}`),
        hovertemplate: '%{x}: %{y:.4g}, %{text}<extra>%{fullData.name}</extra>',
        ...panelAxes(k),
      };
    }),
  );
  const range = categories === undefined ? { range: sweptRange(series, logX) } : { categories };
  const axes = panels.map(({ y }, k) =>
    hasCloseUp && k === 1
      ? { x, y, logX, ...range, yRange: [0.97 * best, SWEEP_CLOSE_UP * best] as const }
      : { x, y, logX, ...range, logY: needsLog(values[k]), values: values[k] },
  );
  const firstMarked = panels.findIndex(({ marks }) => marks.length > 0);
  const anyOverloaded = there.some(({ points }) => points.some(({ runs }) => isOverloaded(runs)));
  const subtitle = [OVER_SEEDS, ...(anyOverloaded ? ['open marks: the backlog grows without end'] : [])].join('; ');
  const figure = {
    data: [...traces, ...panels.flatMap(({ marks }, k) => paperMarks(marks, k, k === firstMarked))],
    layout: panelLayout(title, subtitle, axes, {
      rows: legendRows([...namesOf(there), ...(firstMarked < 0 ? [] : [PAPER])]),
    }),
  };
  const last = panels.length - 1;
  return withTolerance(figure, there, last, needsLog(values[last]));
}

/** All that is swept, runs or not, with a margin. */
function sweptRange(series: readonly FigureSeries[], isLog: boolean): [number, number] {
  const xs = series.flatMap(({ points }) => points.map(({ x }) => (isLog ? Math.log10(Number(x)) : Number(x))));
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const margin = 0.06 * (high - low);
  return [low - margin, high + margin];
}

/** ε as a dotted line in the panel of the deviation. */
function withTolerance(figure: Figure, series: readonly FigureSeries[], panel: number, isLog: boolean): Figure {
  const epsilon = series.flatMap(runsOf).at(0)?.config.balanceTolerance;
  if (epsilon === undefined) return figure;
  const { xaxis, yaxis } = panelAxes(panel);
  const at = { xref: `${xaxis} domain`, yref: yaxis };
  const line = { color: NEUTRAL, width: 1.2, dash: 'dot' };
  return {
    ...figure,
    layout: {
      ...figure.layout,
      shapes: [{ type: 'line', ...at, x0: 0, x1: 1, y0: epsilon, y1: epsilon, line }],
      annotations: [
        {
          text: `ε = ${epsilon}`,
          ...at,
          x: 0.01,
          y: isLog ? Math.log10(epsilon) : epsilon,
          xanchor: 'left',
          yanchor: 'bottom',
          showarrow: false,
          font: { size: 11 },
        },
      ],
    },
  };
}

/** Fig. 4: latency and deviation over the number of users. */
export function usersFigure(
  series: readonly FigureSeries[],
  title = 'Fig. 4: latency and deviation over the number of users, 8 servers',
): Figure {
  const { users, latency_s } = publishedFacts().fig4_users;
  const marks = series.flatMap(({ label, colour }): PaperMark[] =>
    label in latency_s
      ? latency_s[label as keyof typeof latency_s].map((y, end) => ({ x: users[end], y, colour, label: String(y) }))
      : [],
  );
  return sweepFigure(series, { title, x: 'users U', stated: [marks, []] });
}

/** Fig. 5: latency and deviation over the number of servers. */
export function serversFigure(
  series: readonly FigureSeries[],
  title = 'Fig. 5: latency and deviation over the number of servers, 40 users',
): Figure {
  return sweepFigure(series, { title, x: 'edge servers S' });
}

/** Fig. 6: latency and deviation under the three mixes of GPUs; the paper shows the deviation. */
export function mixFigure(
  series: readonly FigureSeries[],
  title = 'Fig. 6: latency and deviation under three mixes of GPUs',
): Figure {
  const categories = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => String(x))))];
  return sweepFigure(series, { title, x: 'hardware mix', categories });
}

/** Fig. 7: LYREO's latency and deviation over the weight ν. */
export function weightFigure(
  series: readonly FigureSeries[],
  title = 'Fig. 7: latency against balance, by the weight ν',
): Figure {
  const { latency_s, deviation: printed } = publishedFacts().fig7_nu;
  const { colour } = methodOf('lyreo');
  const stated = [latency_s, printed].map((values) =>
    Object.entries(values).map(([nu, y]): PaperMark => ({ x: Number(nu), y, colour, label: String(y) })),
  );
  const figure = sweepFigure(series, { title, x: 'weight of latency ν', logX: true, stated: [stated[0], stated[1]] });
  const ticks = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => Number(x))))];
  const layout = figure.layout as Record<string, object>;
  const axis = (name: string): object => ({
    ...layout[name],
    tickmode: 'array',
    tickvals: ticks,
    ticktext: ticks.map(String),
  });
  return { ...figure, layout: { ...layout, xaxis: axis('xaxis'), xaxis2: axis('xaxis2') } };
}

/** Table II's columns: words, and how a run has them. */
const TABLE_COLUMNS: readonly { readonly title: string; readonly metric: RunMetric; readonly scale: number }[] = [
  { title: 'mean latency [s]', metric: latency, scale: 1 },
  { title: 'mean deviation [10⁻²]', metric: deviation, scale: 100 },
  { title: 'P99 latency [s]', metric: ({ evaluation }) => evaluation.p99Latency, scale: 1 },
  { title: 'high-KV ratio [%]', metric: ({ evaluation }) => evaluation.highKvPercent, scale: 1 },
];

type TableName = 'LYREO' | 'LYREO-Count' | 'LYREO-NoLB';

/** Table II as bars with the printed values. */
export function ablationFigure(
  series: readonly FigureSeries[],
  title = 'Table II: what balancing and its measure of workload are for',
): Figure {
  const facts = publishedFacts().table2;
  const there = series.filter(hasRuns);
  const short = ({ label }: FigureSeries): string => label.replace('LYREO-', '');
  const categories = there.map(short);
  const drawn = TABLE_COLUMNS.map(({ title: y, metric, scale }, k) => {
    const curves = there.map((one) => curveOf(one, (run) => scale * metric(run)));
    const printed = there.map((one) => scale * facts[one.label as TableName][k]);
    const text = { textposition: 'outside', textfont: { size: 10 }, constraintext: 'none', cliponaxis: false };
    const bars = there.flatMap((one, i): object[] => [
      {
        type: 'bar',
        name: withSeeds(one.label, countsOf(one)),
        legendgroup: one.label,
        showlegend: k === 0,
        offsetgroup: 'ours',
        x: [short(one)],
        y: curves[i].mean,
        marker: { color: one.colour },
        error_y: intervalBars(curves[i], NEUTRAL),
        hovertemplate: '%{x}: %{y:.4g}<extra>ours</extra>',
        ...panelAxes(k),
      },
      {
        type: 'bar',
        name: PAPER,
        legendgroup: PAPER,
        legendrank: 2000,
        showlegend: k === 0 && i === 0,
        offsetgroup: PAPER,
        x: [short(one)],
        y: [printed[i]],
        text: [String(Number(printed[i].toPrecision(4)))],
        ...text,
        marker: { color: fade(NEUTRAL, 0.12), line: { color: NEUTRAL, width: 1.5 } },
        hovertemplate: '%{x}: %{y}<extra>paper</extra>',
        ...panelAxes(k),
      },
    ]);
    const top = 1.25 * Math.max(0, ...printed, ...curves.flatMap(({ mean: means }) => means));
    return { bars, axes: { x: '', y, categories, ...(top > 0 ? { yRange: [0, top] as const } : {}) } };
  });
  return {
    data: drawn.flatMap(({ bars }) => bars),
    layout: {
      ...panelLayout(
        title,
        OVER_SEEDS,
        drawn.map(({ axes }) => axes),
        { height: 430 },
      ),
      barmode: 'group',
      bargap: 0.14,
      bargroupgap: 0.02,
    },
  };
}

/** A row of Table II, ours and printed, with percentages against LYREO. */
export type AblationRow = Readonly<Record<string, string>>;

/** Table II as the paper prints it, ours above the printed row of each approach. */
export function ablationRows(series: readonly FigureSeries[]): AblationRow[] {
  const facts = publishedFacts().table2;
  const reference = series.find(({ method }) => method === 'lyreo');
  const against = (value: number, base: number): string => {
    const change = 100 * (value / base - 1);
    if (!Number.isFinite(change)) return '';
    return ` (${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %)`;
  };
  const row = (
    approach: string,
    values: readonly number[],
    base: readonly number[],
    isReference: boolean,
    digits: number,
  ): AblationRow =>
    Object.fromEntries<string>([
      ['approach', approach],
      ...TABLE_COLUMNS.map(({ title, scale }, k): [string, string] => {
        const text = Number.isFinite(values[k])
          ? String(Number((scale * values[k]).toPrecision(digits)))
          : 'no runs yet';
        return [title, `${text}${isReference ? ' (ref.)' : against(values[k], base[k])}`];
      }),
    ]);
  const ours = (one: FigureSeries | undefined): number[] =>
    TABLE_COLUMNS.map(({ metric }) => mean((one === undefined ? [] : runsOf(one)).map(metric)));
  return series.flatMap((one) => {
    const isReference = one.method === 'lyreo';
    return [
      row(`${one.label}, ours (n = ${runsOf(one).length})`, ours(one), ours(reference), isReference, 3),
      row(`${one.label}, paper`, facts[one.label as TableName], facts.LYREO, isReference, 4),
    ];
  });
}

/** From the shortest window to the longest, the same in both panels; line styles tell them apart without colour. */
const RAMP = ['#E69F00', '#D55E00', '#CC79A7', '#009E73', '#56B4E9', '#0072B2'];

/** Width of a legend "H = 300, n = 5" as a share of the figure's. */
const WINDOW_LEGEND = 0.15;

/** All windows of some series, ascending. */
const windowsOf = (series: readonly FigureSeries[]): number[] =>
  [...new Set(series.flatMap(({ points }) => points.map(({ x }) => Number(x))))].sort((a, b) => a - b);

/** Fig. 8: latency while learning, by the window H, one panel per variant of LYREO. */
export function windowFigure(
  series: readonly FigureSeries[],
  title = 'Fig. 8: latency while learning, by the window H',
): Figure {
  const there = series.filter(hasRuns);
  const windows = windowsOf(series);
  const values: number[][] = there.map(() => []);
  const data = there.flatMap(({ label, points }, k) =>
    points
      .filter(({ runs }) => runs.length > 0)
      .flatMap(({ x, runs }) => {
        const curve = learningCurve(runs, 'latency');
        const rank = windows.indexOf(Number(x));
        const colour = RAMP[Math.round((rank * (RAMP.length - 1)) / Math.max(1, windows.length - 1))];
        values[k].push(...curve.mean);
        const line = {
          type: 'scatter',
          mode: 'lines',
          name: withSeeds(`H = ${x}`, [runs.length]),
          legend: `legend${axisSuffix(k)}`,
          x: curve.x,
          y: curve.mean,
          line: { color: colour, width: 2, dash: DASHES[rank % DASHES.length] },
          hovertemplate: `${label}, H = ${x}, update %{x}: %{y:.4g} s<extra></extra>`,
          ...panelAxes(k),
        };
        return [...(runs.length > 1 ? [rangeBand(curve, colour, k)] : []), line];
      }),
  );
  const layout = panelLayout(
    title,
    'lines: mean, bands: least to greatest of n seeds',
    there.map(({ label }, k) => ({
      x: 'update',
      y: `(${'abc'[k]}) ${label}: mean latency [s]`,
      logY: needsLog(values[k]),
      values: values[k],
    })),
    { rows: 0 },
  );
  there.forEach((_, k) => {
    const suffix = axisSuffix(k);
    const xaxis = layout[`xaxis${suffix}`] as { readonly domain: readonly [number, number] };
    const [start, end] = xaxis.domain;
    // To the right of its panel: a curve that has not fallen yet, or rises again, may be anywhere within.
    const right = end - WINDOW_LEGEND;
    layout[`xaxis${suffix}`] = { ...xaxis, domain: [start, right] };
    layout[`legend${suffix}`] = { x: right + 0.01, xanchor: 'left', y: 1, yanchor: 'top' };
    layout[`yaxis${suffix}`] = { ...(layout[`yaxis${suffix}`] as object), rangemode: 'normal' };
  });
  return { data, layout };
}

/** Fig. 8, summed up: where each variant ends, over H. */
export function windowEndFigure(
  series: readonly FigureSeries[],
  metric: RunMetric,
  title = 'Where training ends, by the window H',
): Figure {
  const there = series.filter(hasRuns);
  const values: number[] = [];
  const data = there.map((one, i) => {
    const curve = curveOf(one, metric);
    values.push(...curve.mean);
    return {
      type: 'scatter',
      mode: 'lines+markers',
      name: withSeeds(one.label, countsOf(one)),
      x: curve.x,
      y: curve.mean,
      error_y: intervalBars(curve, one.colour),
      line: { color: one.colour, width: 2, dash: DASHES[i] },
      marker: { size: 8, symbol: SYMBOLS[i] },
      hovertemplate: 'H = %{x}: %{y:.4g} s<extra>%{fullData.name}</extra>',
    };
  });
  const ticks = windowsOf(there);
  const layout = panelLayout(
    title,
    `latency over the last quarter of the training, ${OVER_SEEDS}`,
    [{ x: 'window H [slots]', y: 'mean latency [s]', logX: true, logY: needsLog(values), values }],
    { height: 420 },
  );
  const xaxis = { ...(layout['xaxis'] as object), tickmode: 'array', tickvals: ticks, ticktext: ticks.map(String) };
  const yaxis = { ...(layout['yaxis'] as object), rangemode: 'normal' };
  return { data, layout: { ...layout, xaxis, yaxis } };
}
