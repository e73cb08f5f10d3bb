import { hashLabel, uniformAt } from '../core/rng';
import type { SystemConfig } from './config';

/** Folds a coordinate back into [0, length], as by mirrors at both ends: even in x, of period 2·length. */
export function reflect(x: number, length: number): number {
  const folded = Math.abs(x) % (2 * length);
  return folded <= length ? folded : 2 * length - folded;
}

/**
 * Users that walk at random: uniform over the area at first, then a step uniform on [−step, step] m in each direction
 * per slot, reflected at the area's edges (V-A says only that locations evolve randomly [C]).
 * Every step is a function of (seed, slot, user, axis), so that copies that advance through the same slots agree.
 */
export class Mobility {
  /** Positions [U], m. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  private readonly key: number;

  constructor(
    private readonly config: Pick<SystemConfig, 'users' | 'areaMeters' | 'stepMeters'>,
    seed: number,
  ) {
    const { users, areaMeters } = config;
    const startKey = hashLabel(seed, 'position');
    this.key = hashLabel(seed, 'mobility');
    this.x = Float64Array.from({ length: users }, (_, u) => areaMeters[0] * uniformAt(startKey, 0, u, 0));
    this.y = Float64Array.from({ length: users }, (_, u) => areaMeters[1] * uniformAt(startKey, 0, u, 1));
  }

  /** Takes the step into slot `slot`; slot 0 has the initial positions, so call it with 1, 2, … in turn. */
  advance(slot: number): void {
    const { x, y, key } = this;
    const [width, height] = this.config.areaMeters;
    const step = this.config.stepMeters;
    for (let u = 0; u < x.length; u++) {
      x[u] = reflect(x[u] + step * (2 * uniformAt(key, slot, u, 0) - 1), width);
      y[u] = reflect(y[u] + step * (2 * uniformAt(key, slot, u, 1) - 1), height);
    }
  }

  copyFrom(other: Mobility): void {
    this.x.set(other.x);
    this.y.set(other.y);
  }
}
