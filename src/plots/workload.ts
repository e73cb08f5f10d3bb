import type { Figure } from './figure';
import { COLOURS, fade, heading } from './marks';

/** Request lengths of one workload, tokens. */
export interface LengthSample {
  readonly name: string;
  readonly inputTokens: ArrayLike<number>;
  readonly outputTokens: ArrayLike<number>;
}

/** Histograms of input and output lengths, workloads over one another. The axis ends at `most` tokens. */
export function lengthHistograms(samples: readonly LengthSample[], most = 800): Figure {
  const colours = [COLOURS.blue, COLOURS.orange, COLOURS.green, COLOURS.purple];
  const histogram = (sample: LengthSample, i: number, isInput: boolean): object => ({
    type: 'histogram',
    histnorm: 'percent',
    name: sample.name,
    legendgroup: sample.name,
    showlegend: isInput,
    x: Array.from(isInput ? sample.inputTokens : sample.outputTokens),
    xbins: isInput ? { start: 0, end: most / 2, size: most / 80 } : { start: 0, end: most, size: most / 40 },
    xaxis: isInput ? 'x' : 'x2',
    yaxis: isInput ? 'y' : 'y2',
    marker: { color: fade(colours[i % colours.length], 0.5) },
    hovertemplate: '%{x} tokens: %{y:.1f} %<extra>%{fullData.name}</extra>',
  });
  return {
    data: samples.flatMap((sample, i) => [histogram(sample, i, true), histogram(sample, i, false)]),
    layout: {
      title: heading('Lengths of the requests'),
      margin: { t: 80 },
      barmode: 'overlay',
      bargap: 0.05,
      legend: { orientation: 'h', x: 1, xanchor: 'right', y: 1.02, yanchor: 'bottom' },
      xaxis: { title: { text: 'input, l<sub>in</sub> [tokens]' }, domain: [0, 0.46], range: [0, most / 2] },
      xaxis2: {
        title: { text: 'output, l<sub>out</sub> [tokens]' },
        domain: [0.56, 1],
        range: [0, most],
        anchor: 'y2',
      },
      yaxis: { title: { text: 'share of requests [%]' } },
      yaxis2: { title: { text: 'share of requests [%]' }, anchor: 'x2' },
    },
  };
}
