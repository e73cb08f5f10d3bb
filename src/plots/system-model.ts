import type { ServerSpec } from '../system/scenario';
import type { Figure } from './figure';
import { arrow, type Box, drawing, leftText, path, rectangle, rounded, text } from './drawing';
import { fade } from './marks';
import { COLOURS, INK, PAPER_COLOUR } from './theme';

interface Drawing {
  readonly shapes: readonly object[];
  readonly annotations: readonly object[];
}

/** Height of a server's panel and from one to the next. */
const PANEL = 16.5;
const STEP = 18.4;

/** Top of the slots' row, and the width of a slot in it. */
const SLOTS_TOP = 15.5;
const SLOT = 16;

/**
 * Fig. 1 drawn anew: users send requests, the scheduler chooses a server for each, servers prefill and decode them in a
 * running batch whose KV cache grows; below, how one request overlaps several slots. The first server of each kind is
 * shown, at most three.
 */
export function systemModelFigure(servers: readonly ServerSpec[]): Figure {
  const shown = firstOfEachKind(servers).slice(0, 3);
  const boxes = shown.map((_, row): Box => ({ x: 49, y: 56.2 - STEP * row, width: 51, height: PANEL }));
  const parts = [
    users(),
    scheduler(),
    radio(boxes),
    ...shown.map((server, row) => edgeServer(server, boxes[row], row)),
    slots(),
  ];
  const left = servers.length - shown.length;
  const note = left > 0 ? [text(74.5, 17.6, `… and ${left} more edge servers, S = ${servers.length}`)] : [];
  return drawing('Fig. 1: requests, the scheduler, and edge servers with continuous batching', 700, [-1.5, 74], {
    shapes: parts.flatMap((part) => part.shapes),
    annotations: [...parts.flatMap((part) => part.annotations), ...note],
  });
}

/** Names end in the GPU, "s1-rtx3080". */
function kindOf(server: ServerSpec): string {
  return server.name.replace(/^s\d+-/, '');
}

function firstOfEachKind(servers: readonly ServerSpec[]): ServerSpec[] {
  const kinds = new Map<string, ServerSpec>();
  for (const server of servers) if (!kinds.has(kindOf(server))) kinds.set(kindOf(server), server);
  return [...kinds.values()];
}

function users(): Drawing {
  const rows = [
    { label: 'user 1', y: 43.5 },
    { label: 'user 2', y: 35 },
    { label: 'user U', y: 22.5 },
  ];
  return {
    shapes: rows.flatMap(({ y }) => phone(1.5, y)),
    annotations: [
      text(6, 52.5, '<b>Mobile users</b>', 14),
      ...rows.map(({ label, y }) => text(8.6, y + 3, label)),
      text(3.3, 31.6, '⋮', 16),
      ...rows.map(({ y }) => arrow([35, y + 3], [12, y + 3], COLOURS.sky)),
      text(22.5, 49.2, 'request ⟨l<sub>in</sub>, l̂<sub>out</sub>, o⟩'),
      text(23, 41.9, 'β·l<sub>in</sub> bits at rate R<sub>i,s</sub>(t)'),
      arrow([12, 29.5], [35, 29.5], COLOURS.blue),
      text(23, 32, 'answer: l<sub>out</sub> tokens'),
    ],
  };
}

/** A phone: body, screen and button. */
function phone(x: number, y: number): object[] {
  return [
    rounded({ x, y, width: 3.6, height: 6.4 }, 0.6, INK, fade(COLOURS.grey, 0.15)),
    rectangle({ x: x + 0.5, y: y + 1.4, width: 2.6, height: 4.2 }, COLOURS.sky, 0.45),
    rounded({ x: x + 1.4, y: y + 0.45, width: 0.8, height: 0.5 }, 0.2, INK, INK),
  ];
}

function scheduler(): Drawing {
  return {
    shapes: [rounded({ x: 8, y: 57.5, width: 24, height: 14.5 }, 0.8, COLOURS.orange, fade(COLOURS.orange, 0.22))],
    annotations: [
      text(20, 69.6, '<b>LLM service scheduler</b>', 14),
      text(
        20,
        63,
        'sees requests, links and servers;<br>as slot t starts, it chooses<br>a server for each request: x<sub>i,s</sub>(t)',
      ),
      arrow([5, 57], [5, 54.2], COLOURS.orange),
      arrow([35, 64], [32, 64], COLOURS.orange),
    ],
  };
}

/** The radio links under an antenna; requests cross them to the servers, answers come back. */
function radio(boxes: readonly Box[]): Drawing {
  const lowest = Math.min(...boxes.map(({ y }) => y));
  const bar: Box = { x: 35, y: lowest, width: 6, height: 66 - lowest };
  const waves = [1.1, 1.9].flatMap((r) => [
    path(`M ${38 - r} ${70.2 - r * 1.2} Q ${38 - 1.6 * r} 70.2 ${38 - r} ${70.2 + r * 1.2}`, COLOURS.sky),
    path(`M ${38 + r} ${70.2 - r * 1.2} Q ${38 + 1.6 * r} 70.2 ${38 + r} ${70.2 + r * 1.2}`, COLOURS.sky),
  ]);
  return {
    shapes: [
      rounded(bar, 0.8, COLOURS.sky, fade(COLOURS.sky, 0.12)),
      path('M 36.9 66 L 38 70.2 L 39.1 66', COLOURS.blue),
      ...waves,
    ],
    annotations: [
      {
        ...text(
          38,
          bar.y + bar.height / 2,
          'radio links h<sub>i,s</sub>(t), band B<sub>s</sub> shared by |Q<sub>s</sub>(t)|',
        ),
        textangle: -90,
      },
      ...boxes.flatMap(({ x, y }) => [
        arrow([x, y + 9.6], [41, y + 9.6], COLOURS.sky),
        arrow([41, y + 6.2], [x, y + 6.2], COLOURS.blue),
      ]),
    ],
  };
}

/** Prompt and generated tokens of the requests in each server's batch, in cells of the drawing. */
const BATCHES = [
  { prompt: [4, 3, 5], generated: [7, 4, 1] },
  { prompt: [3, 5, 4], generated: [8, 5, 2] },
  { prompt: [5, 3, 4], generated: [6, 6, 3] },
];

/** A server: requests arrive, are prefilled, wait for KV room, and decode one token per iteration in the batch. */
function edgeServer(server: ServerSpec, { x, y, width, height }: Box, row: number): Drawing {
  const low = y + 4.6;
  const receive: Box = { x: x + 1.2, y: low, width: 10, height: 7.6 };
  const prefill: Box = { x: x + 14, y: low, width: 9, height: 7.6 };
  const batch: Box = { x: x + 26, y: low, width: 24, height: 7.6 };
  const pool: Box = { x: x + 26, y: y + 1.1, width: 24, height: 2 };
  const { prompt, generated } = BATCHES[row];
  const lengths = prompt.map((count, r) => count + generated[r]);
  const cell = 1.15;
  const tokens = lengths.flatMap((length, r) =>
    Array.from({ length }, (_, k) =>
      rectangle(
        { x: batch.x + 8.4 + cell * k, y: low + 5.3 - 2.15 * r, width: cell, height: 1.6 },
        COLOURS.blue,
        k < prompt[r] ? 0.75 : 0.25,
        0.6,
      ),
    ),
  );
  const share = (count: number): number => (count / 44) * pool.width;
  const fills = lengths.map((length, r) => {
    const before = lengths.slice(0, r).reduce((sum, other) => sum + other, 0);
    return rectangle({ ...pool, x: pool.x + share(before), width: share(length) }, COLOURS.blue, 0.55 - 0.15 * r);
  });
  const middle = low + 3.8;
  return {
    shapes: [
      rounded({ x, y, width, height }, 0.8, COLOURS.grey, fade(COLOURS.grey, 0.06)),
      rounded(receive, 0.5, COLOURS.sky, fade(COLOURS.sky, 0.22)),
      rounded(prefill, 0.5, COLOURS.green, fade(COLOURS.green, 0.22)),
      rounded(batch, 0.5, COLOURS.blue, fade(COLOURS.blue, 0.08)),
      ...tokens,
      rectangle(pool, COLOURS.grey, 0),
      ...fills,
    ],
    annotations: [
      text(x + width / 2, y + height - 2, serverTitle(server), 13),
      text(receive.x + 5, middle, 'receive<br>D<sub>tx</sub>, D<sub>sy</sub>'),
      text(prefill.x + 4.5, middle, 'prefill<br>D<sub>pre</sub>'),
      leftText(batch.x + 0.6, middle, 'running<br>batch,<br>D<sub>dec</sub>'),
      { ...text(pool.x - 0.6, pool.y + 1, 'KV cache in pool κ·M<sub>s</sub>'), xanchor: 'right' },
      arrow([prefill.x, middle], [receive.x + receive.width, middle], INK),
      arrow([batch.x, middle], [prefill.x + prefill.width, middle], INK),
    ],
  };
}

function serverTitle(server: ServerSpec): string {
  const pool = Number((server.kvCapacityBytes / 1e6).toPrecision(4));
  const name = kindOf(server).toUpperCase().replace('RTX', 'RTX ');
  return `<b>${name}</b>   KV pool ${pool} MB, v<sub>pre</sub> ${server.prefillTokensPerSecond} tokens/s`;
}

/** The stages of a request's life in the row of slots, with their colours. */
const STAGES = [
  { label: 'transmission, synchronisation', colour: COLOURS.sky, at: 20 },
  { label: 'prefill', colour: COLOURS.green, at: 44 },
  { label: 'waiting for KV room', colour: COLOURS.yellow, at: 54 },
  { label: 'decoding', colour: COLOURS.blue, at: 72 },
];

/** Slots in a row: decisions at their starts, and two requests that overlap several slots. */
function slots(): Drawing {
  const left = 20;
  const starts = [0, 1, 2, 3, 4].map((t) => left + SLOT * t);
  const lives = [
    { y: 7.6, from: 0, seconds: [0.1, 0.16, 0.22, 2.05], label: 'request (u, t)' },
    { y: 3.6, from: 1, seconds: [0.1, 0.2, 0.85, 1.5], label: 'request (u, t + 1)' },
  ];
  const end = (values: readonly number[], from: number): number => values.reduce((sum, value) => sum + value, from);
  const bars = lives.flatMap(({ y, from, seconds }) =>
    seconds.map((length, k) => {
      const x = left + SLOT * end(seconds.slice(0, k), from);
      return rectangle({ x, y, width: SLOT * length, height: 2.6 }, STAGES[k].colour, 0.5);
    }),
  );
  return {
    shapes: [
      ...starts.map((x) => path(`M ${x} 2.4 L ${x} ${SLOTS_TOP - 2.4}`, COLOURS.grey, 'dot')),
      path(`M ${left} 2.4 L ${left + SLOT * 4.9} 2.4`, INK),
      ...bars,
      ...STAGES.map(({ colour, at }) => rectangle({ x: at, y: -0.8, width: 1.8, height: 1.6 }, colour, 0.5)),
    ],
    annotations: [
      leftText(0, SLOTS_TOP - 3.4, '<b>Requests overlap</b>', 14),
      ...starts.map((x, k) => text(x + 8, SLOTS_TOP - 3.6, k === 0 ? 'slot t' : `slot t + ${k}`)),
      ...starts.map((x) => arrow([x, SLOTS_TOP - 4], [x, SLOTS_TOP - 1], COLOURS.orange)),
      ...lives.map(({ y, label }) => leftText(0, y + 1.3, label)),
      ...lives.map(({ y, from, seconds }) => ({
        ...leftText(left + SLOT * end(seconds, from) + 0.4, y + 1.3, 'D<sub>tot</sub> is known here'),
        bgcolor: PAPER_COLOUR,
      })),
      ...STAGES.map(({ label, at }) => leftText(at + 2.2, 0, label)),
    ],
  };
}
