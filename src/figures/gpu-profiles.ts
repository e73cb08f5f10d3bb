import type { Figure } from '../notebook/figure';
import type { GpuProfile } from '../system/gpu-profiles';
import { megabytes } from './marks';

/** v_dec(m) of III-C2: decode iterations per second against the KV cache held, one curve per GPU, its points marked. */
export function decodeProfileFigure(profiles: readonly GpuProfile[]): Figure {
  const symbols = ['circle', 'square', 'diamond', 'triangle-up', 'x'];
  const dashes = ['solid', 'dash', 'dot', 'dashdot', 'longdash'];
  return {
    data: profiles.map(({ name, decodeProfile }, i) => ({
      type: 'scatter',
      mode: 'lines+markers',
      name,
      x: decodeProfile.map((point) => megabytes(point.kvBytes)),
      y: decodeProfile.map((point) => point.iterationsPerSecond),
      marker: { symbol: symbols[i % symbols.length], size: 7 },
      line: { dash: dashes[i % dashes.length] },
      hovertemplate: '%{x:.1f} MB held: %{y:.1f} iterations/s<extra>%{fullData.name}</extra>',
    })),
    layout: {
      title: { text: 'Decoding slows as the KV cache fills' },
      xaxis: { title: { text: 'KV cache held, m [MB]' }, rangemode: 'tozero' },
      yaxis: { title: { text: 'decode speed, v<sub>dec</sub>(m) [iterations/s]' }, rangemode: 'tozero' },
    },
  };
}
