import type { ServerSpec } from '../system/scenario';
import { type Box, arrow, drawing, path, rectangle, rounded, text } from './drawing';
import type { Figure } from './figure';
import { COLOURS, INK, PAPER_COLOUR, fade } from './theme';

/**
 * Fig. 1 drawn anew: users send requests, the scheduler chooses a server for each, servers prefill and decode them in a
 * running batch whose KV cache grows; below, how one request overlaps several slots. The first server of each kind is
 * shown, at most three.
 */
export function systemModelFigure(servers: readonly ServerSpec[]): Figure {
  const isFirst = (server: ServerSpec, s: number): boolean => servers.map(kindOf).indexOf(kindOf(server)) === s;
  const shown = servers.filter(isFirst).slice(0, 3);
  const bottoms = shown.map((_, row) => 56.2 - 18.4 * row);
  const left = servers.length - shown.length;
  return drawing(
    'Fig. 1: requests, the scheduler, and edge servers with continuous batching',
    700,
    [-1.5, 74],
    [
      ...users(),
      rounded([8, 57.5, 24, 14.5], 0.8, COLOURS.orange, 0.22),
      text(20, 69.6, '<b>LLM service scheduler</b>', 14),
      text(
        20,
        63,
        'sees requests, links and servers;<br>as slot t starts, it chooses<br>a server for each request: x<sub>i,s</sub>(t)',
      ),
      arrow([5, 57], [5, 54.2], COLOURS.orange),
      arrow([35, 64], [32, 64], COLOURS.orange),
      ...radio(bottoms),
      ...shown.flatMap((server, row) => edgeServer(server, bottoms[row], BATCHES[row])),
      ...slots(),
      ...(left > 0 ? [text(74.5, 17.6, `… and ${left} more edge servers, S = ${servers.length}`)] : []),
    ],
  );
}

/** Names end in the GPU, "s1-rtx3080". */
function kindOf(server: ServerSpec): string {
  return server.name.replace(/^s\d+-/, '');
}

/** Mobile users, each a phone of body, screen and button. */
function users(): object[] {
  const row = (label: string, y: number): object[] => [
    { ...rounded([1.5, y, 3.6, 6.4], 0.6, INK, 1), fillcolor: fade(COLOURS.grey, 0.15) },
    rectangle([2, y + 1.4, 2.6, 4.2], COLOURS.sky, 0.45),
    rounded([2.9, y + 0.45, 0.8, 0.5], 0.2, INK, 1),
    text(8.6, y + 3, label),
    arrow([35, y + 3], [12, y + 3], COLOURS.sky),
  ];
  return [
    text(6, 52.5, '<b>Mobile users</b>', 14),
    ...row('user 1', 43.5),
    ...row('user 2', 35),
    text(3.3, 31.6, '⋮', 16),
    ...row('user U', 22.5),
    text(22.5, 49.2, 'request ⟨l<sub>in</sub>, l̂<sub>out</sub>, o⟩'),
    text(23, 41.9, 'β·l<sub>in</sub> bits at rate R<sub>i,s</sub>(t)'),
    arrow([12, 29.5], [35, 29.5], COLOURS.blue),
    text(23, 32, 'answer: l<sub>out</sub> tokens'),
  ];
}

/** The radio links under an antenna; requests cross them to the servers, answers come back. */
function radio(bottoms: readonly number[]): object[] {
  const lowest = Math.min(...bottoms);
  const label = 'radio links h<sub>i,s</sub>(t), band B<sub>s</sub> shared by |Q<sub>s</sub>(t)|';
  const wave = (r: number): object => {
    const [x, bend, height] = [38 + r, 38 + 1.6 * r, 1.2 * Math.abs(r)];
    return path(`M ${x} ${70.2 - height} Q ${bend} 70.2 ${x} ${70.2 + height}`, COLOURS.sky);
  };
  return [
    rounded([35, lowest, 6, 66 - lowest], 0.8, COLOURS.sky, 0.12),
    path('M 36.9 66 L 38 70.2 L 39.1 66', COLOURS.blue),
    ...[-1.1, 1.1, -1.9, 1.9].map(wave),
    { ...text(38, (lowest + 66) / 2, label), textangle: -90 },
    ...bottoms.flatMap((y) => [
      arrow([49, y + 9.6], [41, y + 9.6], COLOURS.sky),
      arrow([41, y + 6.2], [49, y + 6.2], COLOURS.blue),
    ]),
  ];
}

/** Prompt and generated tokens of the requests in each server's batch, in cells of the drawing. */
const BATCHES = [
  { prompt: [4, 3, 5], generated: [7, 4, 1] },
  { prompt: [3, 5, 4], generated: [8, 5, 2] },
  { prompt: [5, 3, 4], generated: [6, 6, 3] },
];

/** A server: requests arrive, are prefilled, wait for KV room, and decode one token per iteration in the batch. */
function edgeServer(server: ServerSpec, y: number, { prompt, generated }: (typeof BATCHES)[number]): object[] {
  const [low, middle, cell] = [y + 4.6, y + 8.4, 1.15];
  const lengths = prompt.map((count, r) => count + generated[r]);
  const tokens = lengths.flatMap((length, r) =>
    Array.from({ length }, (_, k) => {
      const place: Box = [83.4 + cell * k, low + 5.3 - 2.15 * r, cell, 1.6];
      return rectangle(place, COLOURS.blue, k < prompt[r] ? 0.75 : 0.25, 0.6);
    }),
  );
  const share = 24 / 44;
  const fills = lengths.map((length, r) => {
    const before = lengths.slice(0, r).reduce((sum, other) => sum + other, 0);
    return rectangle([75 + share * before, y + 1.1, share * length, 2], COLOURS.blue, 0.55 - 0.15 * r);
  });
  const name = kindOf(server).toUpperCase().replace('RTX', 'RTX ');
  const pool = Number((server.kvCapacityBytes / 1e6).toPrecision(4));
  const speed = `v<sub>pre</sub> ${server.prefillTokensPerSecond} tokens/s`;
  return [
    rounded([49, y, 51, 16.5], 0.8, COLOURS.grey, 0.06),
    text(74.5, y + 14.5, `<b>${name}</b>   KV pool ${pool} MB, ${speed}`, 13),
    rounded([50.2, low, 10, 7.6], 0.5, COLOURS.sky, 0.22),
    text(55.2, middle, 'receive<br>D<sub>tx</sub>, D<sub>sy</sub>'),
    rounded([63, low, 9, 7.6], 0.5, COLOURS.green, 0.22),
    text(67.5, middle, 'prefill<br>D<sub>pre</sub>'),
    rounded([75, low, 24, 7.6], 0.5, COLOURS.blue, 0.08),
    text(75.6, middle, 'running<br>batch,<br>D<sub>dec</sub>', 12, 'left'),
    ...tokens,
    rectangle([75, y + 1.1, 24, 2], COLOURS.grey, 0),
    ...fills,
    text(74.4, y + 2.1, 'KV cache in pool κ·M<sub>s</sub>', 12, 'right'),
    arrow([63, middle], [60.2, middle], INK),
    arrow([75, middle], [72, middle], INK),
  ];
}

/** The stages of a request's life in the row of slots: their colours and where their names stand. */
const STAGES = [
  ['transmission, synchronisation', COLOURS.sky, 20],
  ['prefill', COLOURS.green, 44],
  ['waiting for KV room', COLOURS.yellow, 54],
  ['decoding', COLOURS.blue, 72],
] as const;

/** Slots in a row: decisions at their starts, and two requests that overlap several slots. */
function slots(): object[] {
  const at = (t: number): number => 20 + 16 * t;
  const slot = (t: number): object[] => [
    path(`M ${at(t)} 2.4 L ${at(t)} 13.1`, COLOURS.grey, 'dot'),
    text(at(t) + 8, 11.9, t === 0 ? 'slot t' : `slot t + ${t}`),
    arrow([at(t), 11.5], [at(t), 14.5], COLOURS.orange),
  ];
  /** A request's stages from the start of a slot, slots each. */
  const life = (label: string, y: number, from: number, stages: readonly number[]): object[] => {
    const ends = stages.map((_, k) => stages.slice(0, k + 1).reduce((sum, length) => sum + length, from));
    const bar = (length: number, k: number): object =>
      rectangle([at(ends[k] - length), y, 16 * length, 2.6], STAGES[k][1], 0.5);
    const known = text(at(ends[3]) + 0.4, y + 1.3, 'D<sub>tot</sub> is known here', 12, 'left');
    return [...stages.map(bar), text(0, y + 1.3, label, 12, 'left'), { ...known, bgcolor: PAPER_COLOUR }];
  };
  return [
    text(0, 12.1, '<b>Requests overlap</b>', 14, 'left'),
    ...[0, 1, 2, 3, 4].flatMap(slot),
    path(`M 20 2.4 L ${at(4.9)} 2.4`, INK),
    ...life('request (u, t)', 7.6, 0, [0.1, 0.16, 0.22, 2.05]),
    ...life('request (u, t + 1)', 3.6, 1, [0.1, 0.2, 0.85, 1.5]),
    ...STAGES.flatMap(([label, colour, x]) => [
      rectangle([x, -0.8, 1.8, 1.6], colour, 0.5),
      text(x + 2.2, 0, label, 12, 'left'),
    ]),
  ];
}
