import { describe, expect, it } from 'vitest';
import { createRng, hashLabel, uniformAt } from './rng';

const N = 40_000;

describe('createRng', () => {
  it('gives the same numbers for the same seed, others for another', () => {
    const draw = (seed: number): number[] => {
      const rng = createRng(seed);
      return [rng.uniform(), rng.normal(), rng.int(100), rng.normal(), rng.uniform()];
    };
    expect(draw(5)).toEqual(draw(5));
    expect(draw(5)).not.toEqual(draw(6));
  });

  it.each([-1, 0.5, Number.NaN, 2 ** 32])('refuses the seed %d', (seed) => {
    expect(() => createRng(seed)).toThrow(/seed is .*allowed: an integer from 0 to 4294967295/);
  });

  it('forks by label, whatever has been drawn before', () => {
    const a = createRng(1);
    const b = createRng(1);
    for (let i = 0; i < 10; i++) b.normal();
    expect(b.fork('x').uniform()).toBe(a.fork('x').uniform());
    expect(a.fork('x').uniform()).not.toBe(a.fork('y').uniform());
    const before = createRng(1);
    before.fork('x');
    expect(before.uniform()).toBe(createRng(1).uniform());
  });

  it('goes on from a saved state, the spare normal included', () => {
    const rng = createRng(2);
    rng.normal();
    const state = JSON.parse(JSON.stringify(rng.save())) as number[];
    const next = [rng.normal(), rng.uniform(), rng.normal()];
    const other = createRng(77);
    other.restore(state);
    expect([other.normal(), other.uniform(), other.normal()]).toEqual(next);
    rng.restore(createRng(3).save());
    expect(rng.uniform()).toBe(createRng(3).uniform());
  });

  it.each([0, 2, 4, 6])('refuses a state of %d numbers', (length) => {
    const rng = createRng(2);
    expect(() => {
      rng.restore(new Array<number>(length).fill(1));
    }).toThrow(new RangeError('Rng.restore: a state has five numbers'));
    expect(rng.uniform()).toBe(createRng(2).uniform());
  });

  it('is uniform, and normal, in mean, variance and tails', () => {
    const rng = createRng(4);
    let [mean, square, beyond] = [0, 0, 0];
    const bins = new Array<number>(10).fill(0);
    for (let i = 0; i < N; i++) {
      const u = rng.uniform();
      expect(u >= 0 && u < 1).toBe(true);
      bins[Math.floor(10 * u)]++;
      const z = rng.normal();
      mean += z / N;
      square += (z * z) / N;
      if (Math.abs(z) > 1.96) beyond++;
    }
    for (const count of bins) expect(Math.abs(count / N - 0.1)).toBeLessThan(0.008);
    expect(Math.abs(mean)).toBeLessThan(0.02);
    expect(square).toBeCloseTo(1, 1);
    expect(beyond / N).toBeCloseTo(0.05, 2);
  });
});

describe('uniformAt', () => {
  const key = hashLabel(1, 'test');

  it('is a function of key and place, within (0, 1)', () => {
    const first = uniformAt(key, 1, 2, 3);
    expect(uniformAt(key, 1, 2, 3)).toBe(first);
    const others = [uniformAt(key, 2, 1, 3), uniformAt(key, 3, 2, 1), uniformAt(hashLabel(2, 'test'), 1, 2, 3)];
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it.each([
    ['slot', (i: number) => uniformAt(key, i, 3, 0)],
    ['user', (i: number) => uniformAt(key, 3, i, 0)],
    ['server', (i: number) => uniformAt(key, 3, 4, i)],
  ] as const)('is uniform and uncorrelated along the %s', (_name, at) => {
    let [mean, lag] = [0, 0];
    for (let i = 0; i < N; i++) {
      const u = at(i);
      expect(u > 0 && u < 1).toBe(true);
      mean += u / N;
      lag += ((u - 0.5) * (at(i + 1) - 0.5) * 12) / N;
    }
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.01);
    expect(Math.abs(lag)).toBeLessThan(0.02);
  });
});
