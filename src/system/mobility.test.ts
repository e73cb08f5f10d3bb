import { describe, expect, it } from 'vitest';
import { Mobility, reflect } from './mobility';

describe('reflect', () => {
  it.each([
    [50, 50],
    [-3, 3],
    [203, 197],
    [0, 0],
    [200, 200],
    [405, 5],
    [-205, 195],
  ])('folds %d into [0, 200] as %d', (x, folded) => {
    expect(reflect(x, 200)).toBe(folded);
  });
});

describe('Mobility', () => {
  const config = { users: 200, areaMeters: [200, 100], stepMeters: 5 } as const;

  it('starts spread over the area and stays in it', () => {
    const mobility = new Mobility(config, 1);
    const mean = (values: Float64Array): number => values.reduce((a, b) => a + b) / values.length;
    // Three standard errors of a uniform mean: 3·200/√12/√200 = 12 m, half of it for the short side.
    expect(Math.abs(mean(mobility.x) - 100)).toBeLessThan(12);
    expect(Math.abs(mean(mobility.y) - 50)).toBeLessThan(6);
    for (let t = 1; t <= 500; t++) mobility.advance(t);
    expect(mobility.x.every((x) => x >= 0 && x <= 200)).toBe(true);
    expect(mobility.y.every((y) => y >= 0 && y <= 100)).toBe(true);
  });

  it.each([5, 0])('moves by at most a step of %d m in each direction, by half of it in the mean', (stepMeters) => {
    const mobility = new Mobility({ ...config, stepMeters }, 2);
    const before = mobility.x.slice();
    mobility.advance(1);
    const steps = Array.from(mobility.x, (x, u) => Math.abs(x - before[u]));
    expect(Math.max(...steps)).toBeLessThanOrEqual(stepMeters);
    expect(steps.reduce((a, b) => a + b) / steps.length).toBeCloseTo(stepMeters / 2, 0);
  });

  it('is a function of seed and slot, and copies are independent', () => {
    const a = new Mobility(config, 3);
    a.advance(1);
    const b = new Mobility(config, 3);
    b.copyFrom(a);
    b.advance(2);
    expect(b.x).not.toEqual(a.x);
    a.advance(2);
    expect(a.x).toEqual(b.x);
    expect(a.y).toEqual(b.y);
    expect(new Mobility(config, 4).x).not.toEqual(new Mobility(config, 3).x);
  });
});
