import { invalid } from './errors';

/** 32-bit finaliser of MurmurHash3: every input bit moves every output bit. */
function mix32(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Hash of a label, continued from `seed` (FNV-1a with a finaliser). */
export function hashLabel(seed: number, label: string): number {
  let h = (seed ^ 0x811c9dc5) >>> 0;
  for (let i = 0; i < label.length; i++) h = Math.imul(h ^ label.charCodeAt(i), 0x01000193);
  return mix32(h);
}

/**
 * A uniform draw that is a function of its place (slot, user, server) instead of a stream's position. It may be
 * asked for in any order, or not at all, and always has the same value.
 */
export function uniformAt(key: number, a: number, b: number, c: number): number {
  const h = mix32(Math.imul(a, 0x9e3779b1) ^ mix32(Math.imul(b, 0x85ebca77) ^ mix32(Math.imul(c, 0xc2b2ae3d) ^ key)));
  return (h + 0.5) / 4294967296;
}

/**
 * Seeded random numbers, made by {@link createRng}; the generator is sfc32 (C. Doty-Humphrey, PractRand). One is made for
 * each purpose by `fork(label)`, so that a stream can be drawn from more or less often without moving any other stream:
 * every scheduler meets the same users, channels and requests.
 */
export class Rng {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;
  private spare = Number.NaN;

  constructor(private readonly seed: number) {
    this.a = mix32(seed + 0x9e3779b9);
    this.b = mix32(seed + 0x3c6ef372);
    this.c = mix32(seed + 0xdaa66d2b);
    for (let i = 0; i < 12; i++) this.next();
  }

  private next(): number {
    const t = (this.a + this.b + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + t;
    this.c |= 0;
    return t >>> 0;
  }

  /** Uniform on [0, 1), 32 random bits. */
  uniform(): number {
    return this.next() / 4294967296;
  }

  /** Uniform integer in 0..n−1. */
  int(n: number): number {
    return Math.floor((this.next() / 4294967296) * n);
  }

  /** Standard normal. Marsaglia's polar method: two normals for about 2.5 uniforms, the second is kept for the next call. */
  normal(): number {
    if (!Number.isNaN(this.spare)) {
      const spare = this.spare;
      this.spare = Number.NaN;
      return spare;
    }
    for (;;) {
      const x = 2 * this.uniform() - 1;
      const y = 2 * this.uniform() - 1;
      const r = x * x + y * y;
      if (r >= 1 || r === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(r)) / r);
      this.spare = y * scale;
      return x * scale;
    }
  }

  /** An independent stream, by this stream's seed and the label; draws made so far do not matter. */
  fork(label: string): Rng {
    return new Rng(hashLabel(this.seed, label));
  }

  save(): number[] {
    return [this.a, this.b, this.c, this.counter, this.spare];
  }

  restore(state: readonly number[]): void {
    if (state.length !== 5) throw new RangeError('Rng.restore: a state has five numbers');
    const [a, b, c, counter, spare] = state;
    // In JSON the NaN of no spare is null.
    Object.assign(this, { a, b, c, counter, spare: Number.isFinite(spare) ? spare : Number.NaN });
  }
}

/**
 * The root generator of a run.
 *
 * @throws UserError when the seed is no integer in 0..2³²−1.
 */
export function createRng(seed: number): Rng {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff)
    throw invalid('seed', seed, 'an integer from 0 to 4294967295');
  return new Rng(mix32(seed ^ 0x6c797265));
}
