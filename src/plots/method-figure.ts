import { type Box, arrow, drawing, path, rounded, text } from './drawing';
import type { Figure } from './figure';
import { COLOURS, INK } from './theme';

/** A part of the method; the numbers in titles are the sections of notebook 04. */
function part(box: Box, colour: string, title: string, label: string): object[] {
  const [x, y, width, height] = box;
  return [
    rounded(box, 0.8, colour, 0.15),
    text(x + width / 2, y + height - 3, `<b>${title}</b>`, 13),
    text(x + width / 2, y + (height - 3.5) / 2, label),
  ];
}

/** Algorithm 1 with request credit as a picture: state, draws, outcomes that arrive late, credit, PPO. */
export function methodFigure(): Figure {
  const { sky, orange, grey, blue, green } = COLOURS;
  return drawing(
    'LYREO (request credit): from a state to a step of the policy',
    440,
    [-5, 58],
    [
      path('M 98.5 32 L 98.5 2.5', INK),
      path('M 63.5 49 L 63.5 53.5 L 9.5 53.5', INK),
      arrow([27, 40.5], [19, 40.5], INK),
      arrow([54, 40.5], [46, 40.5], INK),
      arrow([81, 40.5], [73, 40.5], INK),
      arrow([86, 21.5], [86, 32], INK),
      arrow([97, 2.5], [98.6, 2.5], INK),
      arrow([66, 11], [74, 14], INK),
      arrow([66, 7], [74, 4], INK),
      arrow([43, 9], [50, 9], INK),
      arrow([35, 32], [35, 16.5], orange),
      arrow([9.5, 49], [9.5, 53.5], INK),
      text(23, 43, 's<sub>t</sub>'),
      text(50, 43, 'a<sub>t</sub>'),
      text(36.5, 55.3, 'the servers at the end of slot t are part of s<sub>t+1</sub>'),
      text(36, 24.5, 'new θ for the next episode', 12, 'left'),
      ...part([0, 32, 19, 17], sky, '1 State s<sub>t</sub>', 'servers, requests,<br>links, Z<sub>s</sub>'),
      ...part([27, 32, 19, 17], orange, '2 Policy π<sub>θ</sub>', 'draws a server<br>for each request'),
      ...part([54, 32, 19, 17], grey, '3 Slot t runs', 'prefill, decoding; Y<sub>s</sub>(t),<br>requests that wait'),
      ...part([81, 32, 19, 17], grey, '3, 4 Late outcomes', 'D<sub>tot</sub> of a request,<br>2 or 3 slots later'),
      ...part([74, 10.5, 23, 11], blue, '5, 6 Its own latency', 'counted in its own slot'),
      ...part([74, -3, 23, 11], green, '7, 8 Return predictor', 'effect on others and balance'),
      ...part([50, 1.5, 16, 15], blue, '9 Credit Â<sub>i</sub>', 'one number<br>per request'),
      ...part([27, 1.5, 16, 15], orange, '10 PPO', 'ten epochs,<br>clipped ratio'),
    ],
  );
}
