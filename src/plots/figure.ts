import { figureTemplate } from './theme';

/** A Plotly figure: plain records, as https://plotly.com/javascript/reference describes them. */
export interface Figure {
  /** The traces. Numbers may be typed arrays. */
  readonly data: readonly object[];
  /** Titles, axes, size; {@link figureTemplate} supplies what is not set. */
  readonly layout?: object;
  readonly config?: object;
  readonly frames?: readonly object[];
}

/** The figure as JSON that Plotly draws anywhere: typed arrays encoded, the theme applied. */
export interface EncodedFigure {
  readonly data: readonly unknown[];
  readonly layout: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly frames?: readonly unknown[];
}

/** Applies the theme and encodes every typed array. The argument stays as it is. */
export function encodeFigure(figure: Figure): EncodedFigure {
  return {
    data: figure.data.map(encode),
    layout: { template: figureTemplate, ...(encode(figure.layout ?? {}) as object) },
    config: { displaylogo: false, responsive: true, ...(encode(figure.config ?? {}) as object) },
    ...(figure.frames && { frames: figure.frames.map(encode) }),
  };
}

/**
 * Plotly reads `{dtype, bdata}` (base64 of little-endian bytes). JSON would turn a typed array into
 * `{"0": …}`, which draws nothing; and the binary form is 4 times smaller.
 */
function encode(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return encodeTyped(value);
  if (Array.isArray(value)) return value.map(encode);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, encode(item)]));
}

/** A typed array as `{dtype, bdata}`: f8 for doubles, u1 for bytes. 64-bit integers, beyond Plotly, become a list. */
export function encodeTyped(array: ArrayBufferView): object {
  const { name } = array.constructor;
  if (name.startsWith('Big')) return Array.from(array as BigInt64Array, Number);
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  const { BYTES_PER_ELEMENT } = array as Uint8Array;
  return { dtype: `${name[0].toLowerCase()}${BYTES_PER_ELEMENT}`, bdata: bytes.toString('base64') };
}
