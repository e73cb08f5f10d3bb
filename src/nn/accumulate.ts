/** out += values. */
export function addTo(out: Float32Array, values: Float32Array): void {
  for (let k = 0; k < values.length; k++) out[k] += values[k];
}

/** out [rows, columns] += valuesᵀ, values [columns, rows]. */
export function addTransposedTo(out: Float32Array, values: Float32Array, rows: number, columns: number): void {
  let k = 0;
  for (let c = 0; c < columns; c++) for (let r = 0; r < rows; r++) out[r * columns + c] += values[k++];
}
