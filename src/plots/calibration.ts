/** How the constants were fitted: the searches, what they fix, what no constants meet. */
import type { UnitTraining } from '../studies/balance-unit';
import {
  type Candidate,
  type ConstantName,
  type Score,
  type Sensitivity,
  type Target,
  bestOf,
  ranges,
} from '../studies/calibrate';
import { bestSoFar } from '../studies/calibration-log';
import { methodOf } from '../paper/methods';
import type { Figure } from './figure';
import { OKABE_ITO } from './theme';
import { COLOURS, axisSuffix, fade, heading } from './marks';
import { NEUTRAL, legendRows, logAxis, logTicks, panelAxes, panelLayout } from './result-panels';

/** A search with its name. */
export interface SearchSeries {
  readonly name: string;
  readonly candidates: readonly Candidate[];
}

/** The free constants as they are written: symbol and unit. */
const SYMBOLS: Readonly<Record<ConstantName | 'pathLossDb', string>> = {
  kvPoolFraction: 'κ',
  prefillSlowdown: 'w',
  sigmaInput: 'σ<sub>in</sub>',
  sigmaOutput: 'σ<sub>out</sub>',
  tau0Rtx3080: 'τ<sub>0</sub>, 3080 [s]',
  tau0Rtx3090: 'τ<sub>0</sub>, 3090 [s]',
  tau0Rtx4090: 'τ<sub>0</sub>, 4090 [s]',
  tau1: 'τ<sub>1</sub> [s]',
  exponent: 'exponent p',
  balanceUnit: 'unit of Y and Z',
  pathLossDb: 'path loss',
};

const colourOf = (k: number): string => OKABE_ITO[k % OKABE_ITO.length];

/** Every candidate's objective and the least so far, over the candidates. */
export function searchFigure(searches: readonly SearchSeries[]): Figure {
  const all = searches.flatMap(({ candidates }) => candidates.map(({ objective }) => objective));
  return {
    data: searches.flatMap(({ name, candidates }, k): object[] => {
      const x = candidates.map(({ index }) => index);
      return [
        {
          type: 'scatter',
          mode: 'markers',
          name: `${name}, every candidate`,
          x,
          y: candidates.map(({ objective }) => objective),
          marker: { color: fade(colourOf(k), 0.45), size: 4, symbol: k === 0 ? 'circle' : 'diamond' },
          hovertemplate: 'candidate %{x}: %{y:.4f}<extra>%{fullData.name}</extra>',
        },
        {
          type: 'scatter',
          mode: 'lines',
          name: `${name}, best so far`,
          x,
          y: bestSoFar(candidates),
          line: { color: colourOf(k), width: 2.5, shape: 'hv', dash: k === 0 ? 'solid' : 'dash' },
          hovertemplate: 'candidate %{x}: %{y:.4f}<extra>%{fullData.name}</extra>',
        },
      ];
    }),
    layout: {
      title: heading('The search: objective of every candidate, and the least so far'),
      width: 900,
      height: 440,
      margin: { t: 85 },
      legend: { orientation: 'h', x: 0, y: 1.01, yanchor: 'bottom' },
      xaxis: { title: { text: 'candidate' } },
      yaxis: { title: { text: 'objective' }, ...logAxis(all) },
    },
  };
}

/** A logarithmic axis for a narrow panel. */
function sparseLogAxis(ends: readonly number[]): object {
  const ticks = logTicks(ends).filter((tick) => tick >= ends[0] && tick <= ends[1]);
  const shown = ticks.length > 4 ? ticks.filter((_, i) => i % 2 === 1) : ticks;
  return { type: 'log', tickmode: 'array', tickvals: shown, ticktext: shown.map(String) };
}

/** Panels in a row of the small multiples. */
const COLUMNS = 3;

/**
 * The objective over each constant, a panel each: where the points end sharply on both sides the constant is fixed,
 * where they lie along the floor it is not.
 *
 * @param most objectives above are left out.
 */
export function valleyFigure(
  searches: readonly SearchSeries[],
  names: readonly ConstantName[],
  most: number,
  title = 'The objective over each constant',
): Figure {
  const rows = Math.ceil(names.length / COLUMNS);
  const [gapX, gapY] = [0.05, 0.11];
  const [width, height] = [(1 - gapX * (COLUMNS - 1)) / COLUMNS, (1 - gapY * (rows - 1)) / rows];
  const layout: Record<string, unknown> = {
    title: heading(title),
    width: 980,
    height: 130 + 210 * rows,
    margin: { t: 85, l: 60, r: 15 },
    legend: { orientation: 'h', x: 0, y: 1.02, yanchor: 'bottom' },
  };
  const least = Math.min(...searches.map(({ candidates }) => bestOf(candidates).objective));
  names.forEach((name, k) => {
    const suffix = axisSuffix(k);
    const [column, row] = [k % COLUMNS, Math.floor(k / COLUMNS)];
    const [left, top] = [column * (width + gapX), 1 - row * (height + gapY)];
    const range = ranges[name];
    const ends = [range.least, range.greatest];
    layout[`xaxis${suffix}`] = {
      domain: [left, left + width],
      anchor: `y${suffix}`,
      title: { text: SYMBOLS[name] },
      ...(range.isLog ? { ...sparseLogAxis(ends), range: ends.map(Math.log10) } : { range: ends }),
    };
    layout[`yaxis${suffix}`] = {
      domain: [Math.max(0, top - height), top],
      anchor: `x${suffix}`,
      range: [least - 0.04 * (most - least), most],
      ...(column === 0 ? { title: { text: 'objective' } } : { showticklabels: false }),
    };
  });
  const data = names.flatMap((name, k) =>
    searches.flatMap(({ name: search, candidates }, n): object[] => {
      const near = candidates.filter(({ objective }) => objective <= most);
      const best = bestOf(candidates);
      const symbol = n === 0 ? 'circle' : 'diamond';
      const common = { type: 'scatter', mode: 'markers', showlegend: k === 0, ...panelAxes(k) };
      const hovertemplate = `${SYMBOLS[name]} %{x}: %{y:.4f}<extra>%{fullData.name}</extra>`;
      return [
        {
          ...common,
          name: search,
          legendgroup: search,
          x: near.map(({ constants }) => constants[name]),
          y: near.map(({ objective }) => objective),
          marker: { color: fade(colourOf(n), 0.5), size: 5, symbol },
          hovertemplate,
        },
        {
          ...common,
          name: `${search}, best`,
          legendgroup: `${search}, best`,
          x: [best.constants[name]],
          y: [best.objective],
          marker: { color: colourOf(n), size: 15, symbol: 'star', line: { color: '#ffffff', width: 1 } },
          hovertemplate,
        },
      ];
    }),
  );
  return { data, layout };
}

/** Ours over printed of every target, on a logarithmic axis; outside the band a number counts no more. */
export function fitFigure(
  targets: readonly Target[],
  fits: readonly { readonly name: string; readonly values: readonly number[] }[],
): Figure {
  const names = targets.map(({ name, isBound }) => `${name}${isBound ? ' (at most)' : ''}`);
  const ratio = (values: readonly number[]): number[] =>
    targets.map(({ printed, floor }, i) => Math.max(values[i], floor) / printed);
  const ratios = fits.flatMap(({ values }) => ratio(values));
  const ends = [Math.min(0.5, ...ratios) / 1.1, Math.max(2, ...ratios) * 1.1];
  const symbols = ['circle-open', 'star', 'diamond'];
  return {
    data: fits.map(({ name, values }, k) => ({
      type: 'scatter',
      mode: 'markers',
      name,
      x: ratio(values),
      y: names,
      customdata: values,
      marker: {
        color: k === 0 ? NEUTRAL : colourOf(k - 1),
        size: k === 0 ? 10 : 11,
        symbol: symbols[k % symbols.length],
      },
      hovertemplate: '%{y}: ours %{customdata:.4g}, %{x:.2f} × printed<extra>%{fullData.name}</extra>',
    })),
    layout: {
      title: heading('The fit: ours over printed; beyond the band, a factor of two, an error counts no more'),
      width: 900,
      height: 150 + 27 * names.length,
      margin: { t: 85, l: 270 },
      legend: { orientation: 'h', x: 0, y: 1.01, yanchor: 'bottom' },
      xaxis: { title: { text: 'ours / printed' }, ...logAxis(ends), range: ends.map(Math.log10) },
      yaxis: { categoryorder: 'array', categoryarray: [...names].reverse(), range: [-0.6, names.length - 0.4] },
      shapes: [
        {
          type: 'rect',
          xref: 'x',
          yref: 'paper',
          x0: 0.5,
          x1: 2,
          y0: 0,
          y1: 1,
          fillcolor: fade(COLOURS.green, 0.1),
          line: { width: 0 },
        },
        {
          type: 'line',
          xref: 'x',
          yref: 'paper',
          x0: 1,
          x1: 1,
          y0: 0,
          y1: 1,
          line: { color: COLOURS.vermillion, width: 1.5, dash: 'dash' },
        },
      ],
    },
  };
}

/**
 * By how much the objective changes with less and with more of each constant, the most sensitive on top. A bar with an
 * overloaded run, which costs more than any error, is cut; its value says how long it is.
 *
 * @param centre the objective at the constants themselves.
 */
export function sensitivityFigure(rows: readonly Sensitivity[], centre: number, title: string): Figure {
  const change = (of: Score): number => of.objective - centre;
  const reach = ({ less, more }: Sensitivity): number => Math.max(Math.abs(change(less)), Math.abs(change(more)));
  const sorted = [...rows].sort((a, b) => reach(b) - reach(a));
  const scores = sorted.flatMap(({ less, more }) => [less, more]);
  const borne = scores.filter(({ overloaded }) => overloaded.length === 0).map(change);
  const longest = 1.25 * Math.max(...borne.map(Math.abs));
  const y = sorted.map(({ name, change: by }) => `${SYMBOLS[name].replace(' [s]', '')}  ${by}`);
  const side = (name: string, of: 'less' | 'more', colour: string): object => ({
    type: 'bar',
    orientation: 'h',
    name,
    y,
    x: sorted.map((row) => Math.min(change(row[of]), longest)),
    customdata: sorted.map((row) => row[of].objective),
    text: sorted.map((row) =>
      row[of].overloaded.length === 0
        ? ''
        : `+${Number(change(row[of]).toPrecision(2))} ▸ overloaded: ${row[of].overloaded.join(', ')}`,
    ),
    textposition: 'inside',
    insidetextanchor: 'end',
    textangle: 0,
    constraintext: 'none',
    insidetextfont: { color: '#ffffff', size: 12 },
    marker: { color: colour },
    hovertemplate: '%{y}: objective %{customdata:.4f}<extra>%{fullData.name}</extra>',
  });
  return {
    data: [side('less of it', 'less', COLOURS.blue), side('more of it', 'more', COLOURS.orange)],
    layout: {
      title: heading(title),
      width: 900,
      height: 150 + 36 * rows.length,
      margin: { t: 85, l: 150 },
      barmode: 'group',
      bargap: 0.2,
      legend: { orientation: 'h', x: 0, y: 1.01, yanchor: 'bottom', traceorder: 'normal' },
      xaxis: {
        title: { text: `change of the objective from ${Number(centre.toPrecision(3))}` },
        range: [Math.min(0, ...borne) - 0.02 * longest, 1.02 * longest],
      },
      yaxis: { autorange: 'reversed' },
    },
  };
}

/** Two quantities of every candidate against each other. */
export interface TradeOff {
  readonly x: string;
  readonly y: string;
  readonly at: (candidate: Candidate) => readonly [number, number];
  /** What the paper prints for both. */
  readonly printed: readonly [number, number];
  readonly xRange?: readonly [number, number];
  readonly yRange?: readonly [number, number];
}

/** Candidates as points, a panel per pair of quantities; those that keep up with the load are told from the others. */
export function tradeOffFigure(candidates: readonly Candidate[], panels: readonly TradeOff[], title: string): Figure {
  const kinds = [
    { name: 'some run overloaded', colour: fade(COLOURS.orange, 0.55), symbol: 'x-thin-open', isOverloaded: true },
    { name: 'every run keeps up', colour: fade(COLOURS.blue, 0.55), symbol: 'circle', isOverloaded: false },
  ];
  const layout = panelLayout(title, 'every candidate of both searches is a point', panels, { height: 470 });
  panels.forEach(({ xRange, yRange }, k) => {
    const suffix = axisSuffix(k);
    const inRange = (axis: string, range?: readonly [number, number]): object => ({
      ...(layout[axis + suffix] as object),
      ...(range === undefined ? {} : { range }),
    });
    layout[`xaxis${suffix}`] = inRange('xaxis', xRange);
    layout[`yaxis${suffix}`] = inRange('yaxis', yRange);
  });
  const data = panels.flatMap(({ at, printed }, k): object[] => [
    ...kinds.map(({ name, colour, symbol, isOverloaded }) => {
      const points = candidates.filter(({ overloaded }) => overloaded.length > 0 === isOverloaded).map(at);
      return {
        type: 'scatter',
        mode: 'markers',
        name,
        legendgroup: name,
        showlegend: k === 0,
        x: points.map(([x]) => x),
        y: points.map(([, y]) => y),
        marker: { color: colour, symbol, size: 6, line: { color: colour, width: 1 } },
        hovertemplate: '%{x:.3g}, %{y:.3g}<extra>%{fullData.name}</extra>',
        ...panelAxes(k),
      };
    }),
    {
      type: 'scatter',
      mode: 'markers',
      name: 'printed',
      legendgroup: 'printed',
      showlegend: k === 0,
      x: [printed[0]],
      y: [printed[1]],
      marker: { color: COLOURS.vermillion, symbol: 'star', size: 15, line: { color: '#ffffff', width: 1 } },
      cliponaxis: false,
      hovertemplate: '%{x:.3g}, %{y:.3g}<extra>printed</extra>',
      ...panelAxes(k),
    },
  ]);
  return { data, layout };
}

/** A way of assigning requests over pools of several sizes. */
export interface PoolCurve {
  readonly name: string;
  /** κ, and what came of it. */
  readonly points: readonly {
    readonly kvPoolFraction: number;
    readonly deviation: number;
    readonly highKvPercent: number;
    readonly isOverloaded: boolean;
  }[];
}

/** Deviation and high-KV ratio against the pool's size, with the printed values; hollow: overloaded. */
export function poolFigure(
  curves: readonly PoolCurve[],
  printed: { readonly deviation: number; readonly highKvPercent: number },
  title: string,
): Figure {
  const kappas = curves.flatMap(({ points }) => points.map(({ kvPoolFraction }) => kvPoolFraction));
  const panels = [
    { y: '(a) mean deviation Y', of: 'deviation' as const },
    { y: '(b) high-KV ratio [%]', of: 'highKvPercent' as const },
  ];
  const x = 'reserved share of the memory, κ';
  const names = [...curves.map(({ name }) => name), `printed: ${printed.deviation}; ${printed.highKvPercent} %`];
  const symbols = ['circle', 'square', 'diamond'];
  const dashes = ['solid', 'dashdot', 'dot'];
  return {
    data: panels.flatMap(({ of }, k): object[] => [
      ...curves.map(({ name, points }, i) => ({
        type: 'scatter',
        mode: 'lines+markers',
        name,
        legendgroup: name,
        showlegend: k === 0,
        x: points.map(({ kvPoolFraction }) => kvPoolFraction),
        y: points.map((point) => point[of]),
        line: { color: colourOf(i), dash: dashes[i % dashes.length] },
        marker: {
          color: colourOf(i),
          size: 8,
          symbol: points.map(({ isOverloaded }) => `${symbols[i % symbols.length]}${isOverloaded ? '-open' : ''}`),
        },
        hovertemplate: 'κ = %{x:.4f}: %{y:.3g}<extra>%{fullData.name}</extra>',
        ...panelAxes(k),
      })),
      { ...printedLine(names[curves.length], kappas, printed[of], COLOURS.vermillion, k), showlegend: k === 0 },
    ]),
    layout: panelLayout(
      title,
      'hollow: the backlog grows without end',
      panels.map(({ y }) => ({ x, y })),
      {
        rows: legendRows(names),
      },
    ),
  };
}

/** Mean Z and deviation of short trainings over the unit of Y and Z, with the printed values. */
export function unitFigure(
  trainings: readonly UnitTraining[],
  printed: { readonly queues: Readonly<Record<UnitTraining['method'], number>>; readonly deviation: number },
  title: string,
): Figure {
  const methods = [...new Set(trainings.map(({ method }) => method))];
  const units = [...new Set(trainings.map(({ balanceUnit }) => balanceUnit))];
  const panels = [
    { x: 'unit of Y and Z', y: '(a) mean virtual queue Z', of: 'queue' as const, logY: true },
    { x: 'unit of Y and Z', y: '(b) mean deviation Y', of: 'deviation' as const },
  ];
  const queues = [...trainings.map(({ queue }) => queue), ...Object.values(printed.queues)];
  const layout = panelLayout(
    title,
    'means over the last quarter of each training',
    panels.map((panel) => ({ ...panel, values: queues })),
  );
  const axis = { type: 'log', tickmode: 'array', tickvals: units, ticktext: units.map(String) };
  for (const name of ['xaxis', 'xaxis2']) layout[name] = { ...(layout[name] as object), ...axis };
  const curves = panels.flatMap(({ of }, k) =>
    methods.map((method) => {
      const own = trainings.filter((training) => training.method === method);
      const { label, colour } = methodOf(method);
      return {
        type: 'scatter',
        mode: 'lines+markers',
        name: label,
        legendgroup: label,
        showlegend: k === 0,
        x: own.map(({ balanceUnit }) => balanceUnit),
        y: own.map((training) => training[of]),
        line: { color: colour },
        marker: { color: colour, size: 9 },
        hovertemplate: 'unit %{x}: %{y:.3g}<extra>%{fullData.name}</extra>',
        ...panelAxes(k),
      };
    }),
  );
  const printedLines = methods.map((method) => {
    const { label, colour } = methodOf(method);
    return printedLine(`${label}, printed Z: ${printed.queues[method]}`, units, printed.queues[method], colour, 0);
  });
  const { label, colour } = methodOf('lyreo');
  const deviation = printedLine(`${label}, printed Y: ${printed.deviation}`, units, printed.deviation, colour, 1);
  return { data: [...curves, ...printedLines, deviation], layout };
}

/** A dashed line at a printed value, over the whole of a panel's points. */
function printedLine(name: string, x: readonly number[], value: number, colour: string, panel: number): object {
  return {
    type: 'scatter',
    mode: 'lines',
    name,
    legendgroup: name,
    x: [Math.min(...x), Math.max(...x)],
    y: [value, value],
    line: { color: colour, width: 1.5, dash: 'dash' },
    hovertemplate: '%{y}<extra>%{fullData.name}</extra>',
    ...panelAxes(panel),
  };
}
