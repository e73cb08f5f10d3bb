import { type DecodeProfile, decodeProfile, iterationSeconds } from '../../system/decode-profile';
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
  const profile: DecodeProfile = decodeProfile(points);
  const seconds = (tokens: number): number => iterationSeconds(profile, tokens * kvBytesPerToken);
  if (maxTokens === Infinity) return [{ a: seconds(0), b: 0 }];
  const inside = points.map(({ kvBytes }) => kvBytes / kvBytesPerToken).filter((c) => c > 0 && c < maxTokens);
  const hull: [number, number][] = [];
  for (const c of [0, ...inside, maxTokens]) {
    const corner: [number, number] = [c, seconds(c)];
    while (
      hull.length > 1 &&
      slope(hull[hull.length - 2], hull[hull.length - 1]) >= slope(hull[hull.length - 1], corner)
    )
      hull.pop();
    hull.push(corner);
  }
  const lines = hull.slice(1).map((end, i) => {
    const start = hull[i];
    const b = slope(start, end);
    return { a: start[1] - b * start[0], b };
  });
  return lines.filter(({ a }) => a >= 0);
}

function slope([x0, y0]: readonly [number, number], [x1, y1]: readonly [number, number]): number {
  return (y1 - y0) / (x1 - x0);
}
