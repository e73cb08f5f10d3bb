import type { DecodePoint } from './scenario';

/**
 * v_dec(m) of III-C2 as iteration times: between the measured points 1/v is linear in the KV bytes, outside them the
 * nearest point holds. Segment i begins at `from[i]` bytes with a time of `seconds[i]`, which grows by `growth[i]` s over
 * the next `width[i]` bytes; the first, from −∞, and the last are constant, [P + 1].
 */
export type DecodeProfile = Readonly<Record<'from' | 'seconds' | 'growth' | 'width', Float64Array>>;

/** Builds the segments of a checked profile (at least one point, increasing bytes). */
export function decodeProfile(points: readonly DecodePoint[]): DecodeProfile {
  const bytes = points.map(({ kvBytes }) => kvBytes);
  const times = points.map(({ iterationsPerSecond }) => 1 / iterationsPerSecond);
  return {
    from: Float64Array.of(-Infinity, ...bytes),
    seconds: Float64Array.of(times[0], ...times),
    growth: Float64Array.of(0, ...times.slice(1).map((time, i) => time - times[i]), 0),
    width: Float64Array.of(1, ...bytes.slice(1).map((at, i) => at - bytes[i]), 1),
  };
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

export interface DecodeClock {
  /** The next iteration boundary, s; in the past while the server is idle. */
  at: number;
  /** Sum of iteration times since the server was last idle, s: a difference of clock times loses digits late in a run. */
  busySeconds: number;
  /** Σ tokens·seconds over the slot's iterations. */
  tokenSeconds: number;
}

/**
 * Moves a server's clock over iterations of a batch that stays the same, whose tokens grow by its size each time.
 *   τ(k) = 1 / ((1 − w·I(k))·v_dec(m(k)))
 *
 * @param speed 1 − w·I(k).
 * @param stopAt no iteration but the first starts then or later, s.
 * @returns the number of iterations, from 1 to `limit`.
 */
export function decode(
  clock: DecodeClock,
  { from, seconds, growth, width }: DecodeProfile,
  kvBytesPerToken: number,
  tokens: number,
  size: number,
  speed: number,
  limit: number,
  stopAt: number,
  record?: (n: number, startsAt: number, seconds: number, tokens: number) => void,
): number {
  const segments = from.length;
  let { at, busySeconds, tokenSeconds } = clock;
  let held = tokens;
  let segment = 0;
  let n = 0;
  do {
    const kvBytes = held * kvBytesPerToken;
    while (segment + 1 < segments && kvBytes >= from[segment + 1]) segment++;
    // This is `iterationSeconds`, written out: the search for the segment begins at the last iteration's.
    const inSegment = segment === 0 ? 0 : ((kvBytes - from[segment]) * growth[segment]) / width[segment];
    const time = (seconds[segment] + inSegment) / speed;
    tokenSeconds += held * time;
    if (record !== undefined) record(n, at, time, held);
    n++;
    at += time;
    busySeconds += time;
    held += size;
  } while (n < limit && at < stopAt);
  clock.at = at;
  clock.busySeconds = busySeconds;
  clock.tokenSeconds = tokenSeconds;
  return n;
}
