import { describe, expect, it } from 'vitest';
import { Adam } from './adam';
import { Parameters } from './parameters';

describe('Adam', () => {
  it('makes three steps that were computed by hand', () => {
    const p = new Parameters([['w', [1]]]);
    p.values[0] = 1;
    const adam = new Adam(p, 0.1);
    // g = 2: m = 0.2, v = 0.004; m̂ = 0.2/0.1 = 2, v̂ = 0.004/0.001 = 4; step 0.1·2/2 = 0.1.
    p.gradient[0] = 2;
    expect(adam.step()).toBe(2);
    expect(p.values[0]).toBeCloseTo(0.9, 6);
    // g = −1: m = 0.18 − 0.1 = 0.08, v = 0.003996 + 0.001 = 0.004996;
    // m̂ = 0.08/0.19 = 0.421053, v̂ = 0.004996/0.001999 = 2.49925; step 0.1·0.421053/1.580902 = 0.026634.
    p.gradient[0] = -1;
    adam.step();
    expect(p.values[0]).toBeCloseTo(0.873366, 6);
    // g = 0.5: m = 0.072 + 0.05 = 0.122, v = 0.004991004 + 0.00025 = 0.005241004;
    // m̂ = 0.122/0.271 = 0.450185, v̂ = 0.005241004/0.002997001 = 1.748750; step 0.1·0.450185/1.322403 = 0.034043.
    p.gradient[0] = 0.5;
    adam.step();
    expect(p.values[0]).toBeCloseTo(0.839323, 6);
    expect(p.gradient[0]).toBe(0);
  });

  it('clips by the global norm', () => {
    const [clipped, scaled] = [0, 1].map(() => new Parameters([['w', [2]]]));
    const one = new Adam(clipped, 0.1, 0.5);
    const other = new Adam(scaled, 0.1);
    clipped.gradient.set([3, 4]);
    scaled.gradient.set([0.3, 0.4]);
    expect(one.step()).toBe(5);
    other.step();
    // Beside a second gradient the size of the first one matters.
    for (const p of [clipped, scaled]) p.gradient.set([0.1, -0.2]);
    one.step();
    other.step();
    expect(clipped.values[0]).toBeCloseTo(scaled.values[0], 6);
    expect(clipped.values[1]).toBeCloseTo(scaled.values[1], 6);
  });

  it('does nothing on a gradient with NaN, which can then be named', () => {
    const p = new Parameters([
      ['a', [2]],
      ['b', [2, 2]],
    ]);
    const adam = new Adam(p, 0.1);
    expect(p.firstNonFinite()).toBeUndefined();
    p.gradient[3] = Number.NaN;
    expect(adam.step()).toBeNaN();
    expect(p.values.every((x) => x === 0)).toBe(true);
    expect(p.firstNonFinite()).toBe('gradient of b');
    p.values[1] = Infinity;
    expect(p.firstNonFinite()).toBe('a');
    p.view('a').fill(0);
    p.gradient.fill(0);
    expect(p.firstNonFinite()).toBeUndefined();
  });
});
