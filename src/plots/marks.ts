/** Parts that several figures share: colours with a meaning, slot boundaries, units. */
import { methods } from '../paper/methods';
import { encodeTyped } from './figure';
import { OKABE_ITO } from './theme';

/** The colours of the methods by their label. */
const METHOD_COLOURS: ReadonlyMap<string, string> = new Map(
  Object.values(methods).map(({ label, colour }) => [label, colour]),
);

/** The colour of a name: the one given, a method's own, or the next of the palette. */
export function colourOf(name: string, rank: number, colours: Readonly<Partial<Record<string, string>>> = {}): string {
  return colours[name] ?? METHOD_COLOURS.get(name) ?? OKABE_ITO[rank % OKABE_ITO.length];
}

export function fade(colour: string, opacity: number): string {
  const channel = (from: number): number => Number.parseInt(colour.slice(from, from + 2), 16);
  return `rgba(${channel(1)}, ${channel(3)}, ${channel(5)}, ${opacity})`;
}

/** Words on a panel; without other references its place is a share of the panel's width and height. */
export function note(text: string, fields: object): object {
  return { text, xref: 'x domain', yref: 'y domain', showarrow: false, ...fields };
}

/** Dotted lines at the slots' boundaries, as layout shapes over the whole height. */
export function slotLines(slots: number, slotSeconds: number): object[] {
  return Array.from({ length: slots + 1 }, (_, t) => ({
    type: 'line',
    xref: 'x',
    yref: 'paper',
    x0: t * slotSeconds,
    x1: t * slotSeconds,
    y0: 0,
    y1: 1,
    line: { color: 'rgba(127, 127, 127, 0.55)', width: 1, dash: 'dot' },
  }));
}

/** The ending of the names of the k-th panel's axes in Plotly: "", "2", "3", … */
export function axisSuffix(k: number): string {
  return k === 0 ? '' : String(k + 1);
}

/** A title at the very top, so that a legend has its place between it and the plot. */
export function heading(text: string): object {
  return { text, yref: 'container', y: 1, yanchor: 'top', pad: { t: 14 } };
}

export function megabytes(bytes: number): number {
  return bytes / 1e6;
}

/** Pairs of small whole numbers, [n, 2], in Plotly's binary form: for hover texts of thousands of points. */
export function packedPairs(pairs: readonly (readonly [number, number])[]): object {
  const flat = pairs.flat();
  const packed = flat.some((value) => value > 255) ? Uint16Array.from(flat) : Uint8Array.from(flat);
  return { ...encodeTyped(packed), shape: `${pairs.length}, 2` };
}
