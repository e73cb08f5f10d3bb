import type { Figure } from './figure';
import { arrow, drawing, type Box, path, rounded, text } from './drawing';
import { fade } from './marks';
import { COLOURS, INK } from './theme';

interface Part extends Box {
  readonly title: string;
  readonly label: string;
  readonly colour: string;
}

/** Parts of the method; the numbers are the sections of notebook 04. */
const PARTS: readonly Part[] = [
  {
    x: 0,
    y: 32,
    width: 19,
    height: 17,
    title: '1 State s<sub>t</sub>',
    label: 'servers, requests,<br>links, Z<sub>s</sub>',
    colour: COLOURS.sky,
  },
  {
    x: 27,
    y: 32,
    width: 19,
    height: 17,
    title: '2 Policy π<sub>θ</sub>',
    label: 'draws a server<br>for each request',
    colour: COLOURS.orange,
  },
  {
    x: 54,
    y: 32,
    width: 19,
    height: 17,
    title: '3 Slot t runs',
    label: 'prefill, decoding; Y<sub>s</sub>(t),<br>requests that wait',
    colour: COLOURS.grey,
  },
  {
    x: 81,
    y: 32,
    width: 19,
    height: 17,
    title: '3, 4 Late outcomes',
    label: 'D<sub>tot</sub> of a request,<br>2 or 3 slots later',
    colour: COLOURS.grey,
  },
  {
    x: 74,
    y: 10.5,
    width: 23,
    height: 11,
    title: '5, 6 Its own latency',
    label: 'counted in its own slot',
    colour: COLOURS.blue,
  },
  {
    x: 74,
    y: -3,
    width: 23,
    height: 11,
    title: '7, 8 Return predictor',
    label: 'effect on others and balance',
    colour: COLOURS.green,
  },
  {
    x: 50,
    y: 1.5,
    width: 16,
    height: 15,
    title: '9 Credit Â<sub>i</sub>',
    label: 'one number<br>per request',
    colour: COLOURS.blue,
  },
  {
    x: 27,
    y: 1.5,
    width: 16,
    height: 15,
    title: '10 PPO',
    label: 'ten epochs,<br>clipped ratio',
    colour: COLOURS.orange,
  },
];

/** Algorithm 1 with request credit as a picture: state, draws, outcomes that arrive late, credit, PPO. */
export function methodFigure(): Figure {
  const arrows = [
    arrow([27, 40.5], [19, 40.5], INK),
    arrow([54, 40.5], [46, 40.5], INK),
    arrow([81, 40.5], [73, 40.5], INK),
    arrow([86, 21.5], [86, 32], INK),
    arrow([97, 2.5], [98.6, 2.5], INK),
    arrow([66, 11], [74, 14], INK),
    arrow([66, 7], [74, 4], INK),
    arrow([43, 9], [50, 9], INK),
    arrow([35, 32], [35, 16.5], COLOURS.orange),
    arrow([9.5, 49], [9.5, 53.5], INK),
  ];
  const words = [
    text(23, 43, 's<sub>t</sub>'),
    text(50, 43, 'a<sub>t</sub>'),
    text(36.5, 55.3, 'the servers at the end of slot t are part of s<sub>t+1</sub>'),
    { ...text(36, 24.5, 'new θ for the next episode'), xanchor: 'left' },
  ];
  return drawing('LYREO (request credit): from a state to a step of the policy', 440, [-5, 58], {
    shapes: [
      path('M 98.5 32 L 98.5 2.5', INK),
      path('M 63.5 49 L 63.5 53.5 L 9.5 53.5', INK),
      ...PARTS.map((part) => rounded(part, 0.8, part.colour, fade(part.colour, 0.15))),
    ],
    annotations: [
      ...arrows,
      ...words,
      ...PARTS.flatMap(({ x, y, width, height, title, label }) => [
        text(x + width / 2, y + height - 3, `<b>${title}</b>`, 13),
        text(x + width / 2, y + (height - 3.5) / 2, label),
      ]),
    ],
  });
}
