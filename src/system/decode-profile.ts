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
  /** By how much the iteration time grows up to the segment's end, s; 0 outside the points. */
  readonly growth: Float64Array;
  /** Bytes from the segment's begin to its end; 1 outside the points. */
  readonly width: Float64Array;
}

/** Builds the segments of a checked profile (at least one point, increasing bytes). */
export function decodeProfile(points: readonly DecodePoint[]): DecodeProfile {
  const n = points.length;
  const from = new Float64Array(n + 1);
  const seconds = new Float64Array(n + 1);
  const growth = new Float64Array(n + 1);
  const width = new Float64Array(n + 1).fill(1);
  from[0] = -Infinity;
  points.forEach((point, i) => {
    from[i + 1] = point.kvBytes;
    seconds[i + 1] = 1 / point.iterationsPerSecond;
    if (i === n - 1) return;
    const next = points[i + 1];
    growth[i + 1] = 1 / next.iterationsPerSecond - 1 / point.iterationsPerSecond;
    width[i + 1] = next.kvBytes - point.kvBytes;
  });
  seconds[0] = seconds[1];
  return { from, seconds, growth, width };
}

/**
 * τ = 1/v_dec(m), s, with `kvBytes` = m.
 * The product is taken before the quotient; the other order differs in the last bit, and an iteration boundary that
 * meets a slot's end to the bit would then fall into another slot.
 */
export function iterationSeconds(profile: DecodeProfile, kvBytes: number): number {
  let i = profile.from.length - 1;
  while (i > 0 && kvBytes < profile.from[i]) i--;
  if (i === 0) return profile.seconds[0];
  return profile.seconds[i] + ((kvBytes - profile.from[i]) * profile.growth[i]) / profile.width[i];
}
