import { decodeProfile, iterationSeconds } from '../../system/decode-profile';
import type { DecodePoint } from '../../system/scenario';

/** A straight line a + b·c below an iteration time; c in tokens. */
export interface Line {
  /** s, not negative. */
  readonly a: number;
  /** s/token, not negative. */
  readonly b: number;
}

/**
 * The lines that make up the lower convex envelope of τ on [0, maxTokens]: each lies below τ everywhere there, and the
 * greatest of them is the largest convex function below τ. For a convex profile that is τ itself.
 *
 * @param points the checked profile; τ is linear in between and constant outside, so its corners are enough.
 * @param kvBytesPerToken α.
 * @param maxTokens tokens in the pool; ∞ leaves the constant τ(0), since beyond its last point τ no longer grows.
 */
export function convexLines(points: readonly DecodePoint[], kvBytesPerToken: number, maxTokens: number): Line[] {
  const profile = decodeProfile(points);
  const corner = (c: number): Corner => [c, iterationSeconds(profile, c * kvBytesPerToken)];
  if (maxTokens === Infinity) return [{ a: corner(0)[1], b: 0 }];
  const inside = points.map(({ kvBytes }) => kvBytes / kvBytesPerToken).filter((c) => c > 0 && c < maxTokens);
  const hull: Corner[] = [];
  for (const next of [0, ...inside, maxTokens].map(corner)) {
    while (hull.length > 1 && slope(hull[hull.length - 2], hull[hull.length - 1]) >= slope(hull[hull.length - 1], next))
      hull.pop();
    hull.push(next);
  }
  return hull
    .slice(1)
    .map((end, i) => ({ a: hull[i][1] - slope(hull[i], end) * hull[i][0], b: slope(hull[i], end) }))
    .filter(({ a }) => a >= 0);
}

type Corner = readonly [tokens: number, seconds: number];

function slope([x0, y0]: Corner, [x1, y1]: Corner): number {
  return (y1 - y0) / (x1 - x0);
}
