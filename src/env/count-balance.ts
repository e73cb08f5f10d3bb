import type { EdgeServer } from '../system/server';
import { meanOver } from './virtual-queue';

/** The quantity whose balance is learned: η as in the paper, or the count of active requests. A run is scored on η. */
export type BalanceMeasure = 'eta' | 'count';

/** Sums over the slots so far of the mean η and the mean count over servers. */
export interface CountScale {
  eta: number;
  count: number;
}

/** Writes the active requests per server, those assigned in this slot included, [S]. */
export function countActive(
  servers: readonly EdgeServer[],
  assignment: Int32Array,
  requests: number,
  out: Float64Array,
): void {
  servers.forEach(({ runningCount, waitingCount, prefillingCount }, s) => {
    out[s] = runningCount + waitingCount + prefillingCount;
  });
  for (let i = 0; i < requests; i++) out[assignment[i]]++;
}

/**
 * LYREO-Count (V-D): Y of the number of active requests instead of η. The counts are scaled so that their mean over
 * servers equals η's, by a running average.
 *
 * @param counts of `countActive`, [S]; become Y_s(t).
 */
export function countDeviation(scale: CountScale, eta: Float64Array, counts: Float64Array): void {
  const mean = meanOver(counts);
  scale.count += mean;
  scale.eta += meanOver(eta);
  const factor = scale.count === 0 ? 0 : scale.eta / scale.count;
  for (let s = 0; s < counts.length; s++) counts[s] = (factor * (counts[s] - mean)) ** 2;
}
