import type { Figure } from './figure';
import { decodeProfile, iterationSeconds } from '../system/decode-profile';
import type { GpuProfile } from '../system/gpu-profiles';
import { OKABE_ITO } from './theme';
import { megabytes } from './marks';

/** Points at which a curve is drawn; between the measured ones it is the time, not the speed, that is linear. */
const DRAWN = 60;

/** v_dec(m) of III-C2: decode iterations per second against the KV cache held, one curve per GPU, its points marked. */
export function decodeProfileFigure(profiles: readonly GpuProfile[]): Figure {
  const symbols = ['circle', 'square', 'diamond', 'triangle-up', 'x'];
  const dashes = ['solid', 'dash', 'dot', 'dashdot', 'longdash'];
  const hovertemplate = '%{x:.1f} MB held: %{y:.1f} iterations/s<extra>%{fullData.name}</extra>';
  return {
    data: profiles.flatMap(({ name, decodeProfile: points }, i) => {
      const profile = decodeProfile(points);
      const first = points[0].kvBytes;
      const last = points[points.length - 1].kvBytes;
      const drawn = Array.from({ length: DRAWN + 1 }, (_, n) => first + (n / DRAWN) * (last - first));
      const color = OKABE_ITO[i % OKABE_ITO.length];
      return [
        {
          type: 'scatter',
          mode: 'lines',
          name,
          legendgroup: name,
          x: drawn.map(megabytes),
          y: drawn.map((kvBytes) => 1 / iterationSeconds(profile, kvBytes)),
          line: { color, dash: dashes[i % dashes.length] },
          hovertemplate,
        },
        {
          type: 'scatter',
          mode: 'markers',
          name,
          legendgroup: name,
          showlegend: false,
          x: points.map((point) => megabytes(point.kvBytes)),
          y: points.map((point) => point.iterationsPerSecond),
          marker: { color, symbol: symbols[i % symbols.length], size: 9 },
          cliponaxis: false,
          hovertemplate,
        },
      ];
    }),
    layout: {
      title: { text: 'Decoding slows as the KV cache fills; marked: the points of the profile' },
      xaxis: { title: { text: 'KV cache held, m [MB]' }, rangemode: 'tozero' },
      yaxis: { title: { text: 'decode speed, v<sub>dec</sub>(m) [iterations/s]' }, rangemode: 'tozero' },
    },
  };
}
