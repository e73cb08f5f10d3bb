import type fc from 'fast-check';

/**
 * The number of random cases and their seed. The seed is fixed so that a build never fails by luck;
 * `LYREO_FUZZ=20000 npx vitest run tests` looks at that many fresh ones, and fast-check prints the seed of a failure.
 */
export function fuzz<T>(usualRuns: number): fc.Parameters<T> {
  const more = Number(process.env.LYREO_FUZZ ?? 0);
  return more > 0 ? { numRuns: more } : { numRuns: usualRuns, seed: 20240607 };
}
