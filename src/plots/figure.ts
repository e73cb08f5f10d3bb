import { figureTemplate } from './theme';

/** A Plotly figure: plain records, as https://plotly.com/javascript/reference describes them, or typed arrays in them. */
export interface Figure {
  readonly data: readonly object[];
  /** Titles, axes, size; {@link figureTemplate} supplies the other fields. */
  readonly layout?: object;
  readonly config?: object;
  readonly frames?: readonly object[];
}

/** The figure as JSON that Plotly draws anywhere. */
export type EncodedFigure = Figure & Readonly<Record<'layout' | 'config', Readonly<Record<string, unknown>>>>;

/** Applies the theme and encodes every typed array. The argument stays as it is. */
export function encodeFigure({ data, layout, config, frames }: Figure): EncodedFigure {
  return encode({
    data,
    layout: { template: figureTemplate, ...layout },
    config: { displaylogo: false, responsive: true, ...config },
    ...(frames && { frames }),
  }) as EncodedFigure;
}

function encode(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return encodeTyped(value);
  if (Array.isArray(value)) return value.map(encode);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encode(item)]));
}

/**
 * A typed array as Plotly reads it, `{dtype, bdata}` with base64 of little-endian bytes: a quarter of the size of numbers
 * in JSON. 64-bit integers, which Plotly does not know, become a list.
 */
export function encodeTyped(array: ArrayBufferView): object {
  const { name } = array.constructor;
  if (name.startsWith('Big')) return Array.from(array as BigInt64Array, Number);
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  const { BYTES_PER_ELEMENT } = array as Uint8Array;
  return { dtype: `${name[0].toLowerCase()}${BYTES_PER_ELEMENT}`, bdata: bytes.toString('base64') };
}
