import type { Figure } from './figure';
import { OKABE_ITO } from './theme';
import { COLOURS, heading } from './marks';

/** A named line or group of bars: one value per place on the x axis. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** What a figure of series says about its axes. */
export interface SeriesLabels {
  readonly title: string;
  /** With unit. */
  readonly x: string;
  readonly y: string;
  readonly logY?: boolean;
}

/** A horizontal line with words on it: a printed value, a bound. */
export interface Reference {
  readonly value: number;
  readonly label: string;
  /** Where the words stand; default right. */
  readonly side?: 'left' | 'right';
}

/** Bars beside each other for every category, one colour per series, with their values. */
export function groupedBars(
  categories: readonly string[],
  series: readonly Series[],
  labels: SeriesLabels,
  references: readonly Reference[] = [],
): Figure {
  return {
    data: series.map(({ name, values }, i) => ({
      type: 'bar',
      name,
      x: categories,
      y: values,
      marker: { color: OKABE_ITO[i % OKABE_ITO.length] },
      texttemplate: '%{y:.2~r}',
      textposition: 'outside',
      textfont: { size: 11 },
      cliponaxis: false,
      hovertemplate: '%{x}: %{y:.4g}<extra>%{fullData.name}</extra>',
    })),
    layout: { ...seriesLayout(labels, references), barmode: 'group', bargap: 0.3 },
  };
}

/** Lines over a number on the x axis. */
export function lines(
  x: readonly number[],
  series: readonly Series[],
  labels: SeriesLabels,
  references: readonly Reference[] = [],
): Figure {
  const dashes = ['solid', 'dash', 'dot', 'dashdot', 'longdash'];
  return {
    data: series.map(({ name, values }, i) => ({
      type: 'scatter',
      mode: values.length > 30 ? 'lines' : 'lines+markers',
      name,
      x,
      y: values,
      line: { color: OKABE_ITO[i % OKABE_ITO.length], dash: dashes[i % dashes.length] },
      hovertemplate: '%{x}: %{y:.4g}<extra>%{fullData.name}</extra>',
    })),
    layout: seriesLayout(labels, references),
  };
}

function seriesLayout(labels: SeriesLabels, references: readonly Reference[]): Record<string, unknown> {
  const at = (value: number): number => (labels.logY === true ? Math.log10(value) : value);
  return {
    title: heading(labels.title),
    margin: { t: 80 },
    legend: { orientation: 'h', x: 1, xanchor: 'right', y: 1.01, yanchor: 'bottom' },
    xaxis: { title: { text: labels.x } },
    yaxis: {
      title: { text: labels.y },
      ...(labels.logY === true ? { type: 'log', dtick: 1 } : { rangemode: 'tozero' }),
    },
    shapes: references.map(({ value }) => ({
      type: 'line',
      xref: 'paper',
      x0: 0,
      x1: 1,
      y0: value,
      y1: value,
      line: { color: COLOURS.vermillion, width: 1.5, dash: 'dash' },
    })),
    annotations: references.map(({ value, label, side = 'right' }) => ({
      xref: 'paper',
      x: side === 'left' ? 0.01 : 0.99,
      xanchor: side,
      y: at(value),
      yanchor: 'bottom',
      text: label,
      showarrow: false,
      font: { color: COLOURS.vermillion, size: 12 },
    })),
  };
}

/** How many of a slot's requests each server receives, one bar per rule. */
export function batchSizesFigure(
  servers: readonly string[],
  rules: readonly { readonly name: string; readonly counts: readonly number[] }[],
  title: string,
): Figure {
  return {
    data: rules.map(({ name, counts }, i) => ({
      type: 'bar',
      name,
      x: servers,
      y: counts,
      marker: { color: OKABE_ITO[i % OKABE_ITO.length] },
      texttemplate: '%{y}',
      textposition: 'outside',
      cliponaxis: false,
      hovertemplate: '%{x}: %{y} requests<extra>%{fullData.name}</extra>',
    })),
    layout: seriesLayout({ title, x: 'edge server', y: 'requests of the slot, |Q<sub>s</sub>(t)|' }, []),
  };
}
