import type { Rng } from '../core/rng';

/**
 * Fills a matrix [rows, columns] with orthonormal rows or columns, whichever are fewer, times `gain`: Gram-Schmidt on
 * normal draws. https://arxiv.org/abs/1312.6120
 */
export function orthogonalInit(out: Float32Array, rows: number, columns: number, gain: number, rng: Rng): void {
  const [few, many] = rows < columns ? [rows, columns] : [columns, rows];
  const q = Array.from({ length: few }, () => Float64Array.from({ length: many }, () => rng.normal()));
  q.forEach((v, k) => {
    // Twice, for rounding.
    for (let pass = 0; pass < 2; pass++) {
      for (const u of q.slice(0, k)) {
        const dot = v.reduce((sum, x, j) => sum + x * u[j], 0);
        for (let j = 0; j < many; j++) v[j] = v[j] - dot * u[j];
      }
    }
    const norm = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
    for (let j = 0; j < many; j++) v[j] = v[j] / norm;
  });
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) out[r * columns + c] = gain * (rows < columns ? q[r][c] : q[c][r]);
  }
}
