import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { logSoftmax, sample } from './categorical';

const logs = (...p: number[]): Float32Array => Float32Array.from(p, Math.log);

describe('categorical', () => {
  it('log softmax: e^l sums to 1, shifts cancel, large logits do not overflow', () => {
    const out = new Float32Array(6);
    logSoftmax(Float32Array.of(0, Math.log(2), Math.log(5), 1000, 1000 + Math.log(2), 1000 + Math.log(5)), 3, out);
    for (const [k, p] of [1 / 8, 2 / 8, 5 / 8].entries()) {
      expect(Math.exp(out[k])).toBeCloseTo(p, 6);
      expect(Math.exp(out[3 + k])).toBeCloseTo(p, 4);
    }
  });

  it('sample: frequencies are the probabilities, impossible choices never come', () => {
    const rng = createRng(1);
    const l = logs(0.5, 0, 0.2, 0.3, 0);
    const counts = [0, 0, 0, 0, 0];
    for (let k = 0; k < 20_000; k++) counts[sample(l, 0, 5, rng.uniform())]++;
    expect([counts[1], counts[4]]).toEqual([0, 0]);
    for (const [k, p] of [0.5, 0, 0.2, 0.3, 0].entries()) expect(Math.abs(counts[k] / 20_000 - p)).toBeLessThan(0.015);
  });

  it('sample: a draw at the very end takes the last possible choice', () => {
    expect(sample(Float32Array.from([-1e-7, -30, -Infinity]), 0, 3, 1 - 2 ** -32)).toBe(1);
  });
});
