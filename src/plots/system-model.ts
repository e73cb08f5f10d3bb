import type { Figure } from './figure';
import type { ServerSpec } from '../system/scenario';
import { fade } from './marks';
import { COLOURS } from './theme';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Height of a server's panel and from one to the next. */
const PANEL = 17;
const STEP = 20;

/**
 * Fig. 1 drawn anew: users, the scheduler, and edge servers with what a request meets there. The first server of each
 * kind is shown, at most three.
 */
export function systemModelFigure(servers: readonly ServerSpec[]): Figure {
  const shown = firstOfEachKind(servers).slice(0, 3);
  const panels = shown.map((server, row): { server: ServerSpec; box: Box } => ({
    server,
    box: { x: 50, y: 43 - STEP * row, width: 50, height: PANEL },
  }));
  const parts = [
    users(),
    scheduler(),
    ...panels.map(({ server, box }) => panel(server, box)),
    links(),
    ...panels.map(({ box }) => uplink(box)),
  ];
  const left = servers.length - shown.length;
  const note = left > 0 ? [text(75, 0.2, `… ${left} more edge servers, S = ${servers.length}`)] : [];
  return {
    data: [{ type: 'scatter', mode: 'markers', x: [0, 100], y: [0, 62], marker: { opacity: 0 }, hoverinfo: 'skip' }],
    layout: {
      title: { text: 'Fig. 1: from a user through the scheduler to an edge server and back' },
      width: 980,
      height: 600,
      showlegend: false,
      margin: { l: 8, r: 8, t: 46, b: 8 },
      xaxis: { visible: false, range: [-1, 101], fixedrange: true },
      yaxis: { visible: false, range: [-1, 63], fixedrange: true },
      shapes: parts.flatMap((part) => part.shapes),
      annotations: [...parts.flatMap((part) => part.annotations), ...note],
    },
  };
}

interface Drawing {
  readonly shapes: readonly object[];
  readonly annotations: readonly object[];
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
  const rows = ['user 1', 'user 2', '⋮', 'user U'];
  const boxes = rows.map((label, i): { label: string; box: Box } => ({
    label,
    box: { x: 1, y: 33 - 8.5 * i, width: 11, height: 6 },
  }));
  return {
    shapes: boxes.filter(({ label }) => label !== '⋮').map(({ box }) => rectangle(box, COLOURS.sky)),
    annotations: [
      ...boxes.map(({ label, box }) => text(box.x + box.width / 2, box.y + box.height / 2, label)),
      text(6.5, 42, '<b>Mobile users</b>', 14),
      text(14, 2.4, 'every user issues one request<br>⟨l<sub>in</sub>, l̂<sub>out</sub>, o⟩ at the start of every slot'),
    ],
  };
}

function scheduler(): Drawing {
  return {
    shapes: [rectangle({ x: 12, y: 46, width: 20, height: 14 }, COLOURS.orange)],
    annotations: [
      text(22, 57.4, '<b>LLM service scheduler</b>', 14),
      text(22, 51, 'sees requests, links, servers;<br>as slot t starts, decides<br>each x<sub>i,s</sub>(t)'),
      arrow([12, 50], [6.5, 44], COLOURS.orange),
      arrow([36, 53], [32, 53], COLOURS.orange),
    ],
  };
}

/** The radio links, over which requests go where the scheduler sends them. */
function links(): Drawing {
  const bar: Box = { x: 36, y: 4, width: 6, height: 56 };
  return {
    shapes: [rectangle(bar, COLOURS.sky, 0.12)],
    annotations: [
      {
        ...text(39, 30, 'radio links h<sub>i,s</sub>(t), band B<sub>s</sub> shared by |Q<sub>s</sub>(t)|'),
        textangle: -90,
      },
      arrow([36, 29], [13, 29], COLOURS.sky),
      text(24.3, 33, 'request: β·l<sub>in</sub> bits<br>at rate R<sub>i,s</sub>(t)'),
      arrow([13, 19], [36, 19], COLOURS.blue),
      text(24.3, 15, 'answer, l<sub>out</sub> tokens:<br>no cost in the model'),
    ],
  };
}

function uplink(box: Box): Drawing {
  const middle = box.y + box.height / 2;
  return {
    shapes: [],
    annotations: [
      arrow([box.x, middle + 1.3], [42, middle + 1.3], COLOURS.sky),
      arrow([42, middle - 3.2], [box.x, middle - 3.2], COLOURS.blue),
    ],
  };
}

function panel(server: ServerSpec, { x, y, width, height }: Box): Drawing {
  const low = y + 5.3;
  const stages = [
    {
      label: 'receive<br>D<sub>tx</sub>, D<sub>sy</sub>',
      box: { x: x + 2, y: low, width: 11, height: 7 },
      colour: COLOURS.sky,
    },
    { label: 'prefill<br>D<sub>pre</sub>', box: { x: x + 17, y: low, width: 11, height: 7 }, colour: COLOURS.green },
    {
      label: 'decode batch (DEED)<br>τ(k), one token each',
      box: { x: x + 32, y: low, width: 16, height: 7 },
      colour: COLOURS.blue,
    },
  ];
  const pool: Box = { x: x + 15, y: y + 1, width: 33, height: 2.6 };
  const filled = [0.3, 0.22, 0.16, 0.09];
  const cells = filled.map((share, i): Box => {
    const before = filled.slice(0, i).reduce((sum, other) => sum + other, 0);
    return { ...pool, x: pool.x + before * pool.width, width: share * pool.width };
  });
  const middle = low + 3.5;
  return {
    shapes: [
      rectangle({ x, y, width, height }, COLOURS.grey, 0.06),
      ...stages.map((stage) => rectangle(stage.box, stage.colour)),
      rectangle(pool, COLOURS.grey, 0),
      ...cells.map((cell, i) => rectangle(cell, i % 2 === 0 ? COLOURS.blue : COLOURS.sky, 0.5)),
    ],
    annotations: [
      text(x + 25, y + height - 2.2, serverTitle(server), 13),
      ...stages.map(({ label, box }) => text(box.x + box.width / 2, box.y + box.height / 2, label)),
      arrow([x + 17, middle], [x + 13, middle], COLOURS.grey),
      arrow([x + 32, middle], [x + 28, middle], COLOURS.grey),
      { ...text(x + 2, pool.y + 1.3, 'KV pool κ·M<sub>s</sub>'), xanchor: 'left' },
    ],
  };
}

function serverTitle(server: ServerSpec): string {
  const pool = Number((server.kvCapacityBytes / 1e6).toPrecision(4));
  return `<b>${kindOf(server).toUpperCase().replace('RTX', 'RTX ')}</b>   KV pool ${pool} MB, v<sub>pre</sub> ${server.prefillTokensPerSecond} tokens/s`;
}

function rectangle({ x, y, width, height }: Box, colour: string, opacity = 0.22): object {
  return {
    type: 'rect',
    x0: x,
    x1: x + width,
    y0: y,
    y1: y + height,
    line: { color: colour, width: 1.5 },
    fillcolor: fade(colour, opacity),
  };
}

function text(x: number, y: number, label: string, size = 12): object {
  return { x, y, text: label, showarrow: false, font: { size } };
}

/** An arrow from tail to head; annotations are the only shapes of Plotly that end in a head. */
function arrow(head: readonly [number, number], tail: readonly [number, number], colour: string): object {
  return {
    x: head[0],
    y: head[1],
    ax: tail[0],
    ay: tail[1],
    xref: 'x',
    yref: 'y',
    axref: 'x',
    ayref: 'y',
    text: '',
    showarrow: true,
    arrowhead: 2,
    arrowsize: 1.1,
    arrowwidth: 1.8,
    arrowcolor: colour,
    standoff: 2,
  };
}
