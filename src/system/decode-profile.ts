import type { DecodePoint } from './scenario';

/**
 * v_dec(m) of III-C2 as iteration times: between the measured points 1/v is linear in the KV bytes, outside them the
 * nearest point holds. Segment i reaches from `from[i]` to `from[i + 1]`; the first is the constant before the first
 * point, the last the constant after the last one.
 */
export interface DecodeProfile {
  /** Where each segment begins, bytes, [P + 1]; from[0] = −∞. */
  readonly from: Float64Array;
  /** Iteration time at the segment's begin, s. */
  readonly seconds: Float64Array;
  /** Growth of the iteration time, s/byte; 0 outside the points. */
  readonly slope: Float64Array;
}

/** Builds the segments of a checked profile (at least one point, increasing bytes). */
export function decodeProfile(points: readonly DecodePoint[]): DecodeProfile {
  const n = points.length;
  const from = new Float64Array(n + 1);
  const seconds = new Float64Array(n + 1);
  const slope = new Float64Array(n + 1);
  from[0] = -Infinity;
  points.forEach((point, i) => {
    from[i + 1] = point.kvBytes;
    seconds[i + 1] = 1 / point.iterationsPerSecond;
    const next = points[i + 1];
    if (next !== undefined) slope[i + 1] = (1 / next.iterationsPerSecond - 1 / point.iterationsPerSecond) / (next.kvBytes - point.kvBytes);
  });
  seconds[0] = seconds[1] as number;
  return { from, seconds, slope };
}

/** τ = 1/v_dec(m), s, with `kvBytes` = m. */
export function iterationSeconds(profile: DecodeProfile, kvBytes: number): number {
  let i = profile.from.length - 1;
  while (i > 0 && kvBytes < (profile.from[i] as number)) i--;
  if (i === 0) return profile.seconds[0] as number;
  return (profile.seconds[i] as number) + (kvBytes - (profile.from[i] as number)) * (profile.slope[i] as number);
}
