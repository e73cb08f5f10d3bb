/** out += values. */
export function addTo(out: Float32Array, values: Float32Array): void {
  for (let k = 0; k < values.length; k++) out[k] += values[k];
}
