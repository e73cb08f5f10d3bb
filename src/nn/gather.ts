/** Rows of a matrix [R, width] in the order of `rows`, [n, width]. */
export function gather<A extends Float32Array | Int32Array | Uint8Array>(
  source: A,
  rows: Int32Array,
  width: number,
): A {
  const out = new (source.constructor as new (length: number) => A)(rows.length * width);
  for (let k = 0; k < rows.length; k++) out.set(source.subarray(rows[k] * width, (rows[k] + 1) * width), k * width);
  return out;
}
