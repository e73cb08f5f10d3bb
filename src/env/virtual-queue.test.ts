import { describe, expect, it } from 'vitest';
import { balanceDeviation, driftBound, lyapunov, updateVirtualQueue } from './virtual-queue';

describe('balanceDeviation', () => {
  it('is the squared distance from the mean', () => {
    const out = new Float64Array(4);
    // Mean 0.5: (0.2 − 0.5)² = 0.09, (0.8 − 0.5)² = 0.09, (0.4 − 0.5)² = 0.01, (0.6 − 0.5)² = 0.01.
    balanceDeviation(Float64Array.of(0.2, 0.8, 0.4, 0.6), out);
    for (const [s, y] of [0.09, 0.09, 0.01, 0.01].entries()) expect(out[s]).toBeCloseTo(y, 14);
  });

  it('is 0 for a lone server', () => {
    const out = new Float64Array(1);
    balanceDeviation(Float64Array.of(0.7), out);
    expect(out[0]).toBe(0);
  });
});

describe('updateVirtualQueue', () => {
  it('follows Z(t+1) = max(Z + Y − ε, 0) by hand', () => {
    const queue = new Float64Array(2);
    const history = [
      [0.03, 0], // + 0.03 − 0.01 = 0.02;   0 − 0.01 → 0
      [0, 0.05], // 0.02 − 0.01 = 0.01;     0.05 − 0.01 = 0.04
      [0, 0.01], // 0.01 − 0.01 = 0;        0.04
    ].map((deviation) => {
      updateVirtualQueue(queue, Float64Array.from(deviation), 0.01);
      return Array.from(queue, (z) => Number(z.toFixed(12)));
    });
    expect(history).toEqual([
      [0.02, 0],
      [0.01, 0.04],
      [0, 0.04],
    ]);
  });
});

describe('driftBound', () => {
  it('is met where no queue is cut off at 0', () => {
    // ½(0.3 − 0.1)² + 2·(0.3 − 0.1) = 0.42, and L goes from 2 to ½·2.2² = 2.42.
    expect(driftBound(Float64Array.of(2), Float64Array.of(0.3), 0.1)).toBeCloseTo(0.42, 12);
    expect(lyapunov(Float64Array.of(2.2)) - lyapunov(Float64Array.of(2))).toBeCloseTo(0.42, 12);
  });
});
