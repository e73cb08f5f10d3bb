import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { logSoftmax } from '../nn/categorical';
import { independentDraws, stratifiedDraws } from './draws';

const [U, S] = [40, 8];

/** Log probabilities [U, S]: a softmax of normal scores, the rows more or less alike. */
function distributions(seed: number, spread: number): Float32Array {
  const rng = createRng(seed);
  const common = Array.from({ length: S }, () => rng.normal());
  const logits = Float32Array.from({ length: U * S }, (_, k) => common[k % S] + spread * rng.normal());
  logSoftmax(logits, S, logits);
  return logits;
}

function counts(out: Int32Array): Int32Array {
  const count = new Int32Array(S);
  for (const s of out) count[s]++;
  return count;
}

const expected = (logProbs: Float32Array): Float64Array =>
  Float64Array.from({ length: S }, (_, s) => {
    let sum = 0;
    for (let i = 0; i < U; i++) sum += Math.exp(logProbs[i * S + s]);
    return sum;
  });

describe.each([
  ['independent', independentDraws],
  ['stratified', stratifiedDraws],
] as const)('%s draws', (_, draw) => {
  it('keep every request’s marginal', () => {
    const logProbs = distributions(1, 1);
    const rng = createRng(2);
    const out = new Int32Array(U);
    const drawn = new Float64Array(U * S);
    const slots = 40_000;
    for (let t = 0; t < slots; t++) {
      draw(logProbs, U, S, rng, out);
      out.forEach((s, i) => drawn[i * S + s]++);
    }
    // Five standard errors of a share, for each of 320 shares.
    drawn.forEach((count, k) => {
      const p = Math.exp(logProbs[k]);
      expect(Math.abs(count / slots - p)).toBeLessThan(5 * Math.sqrt((p * (1 - p)) / slots) + 1e-5);
    });
  });

  it('never take an impossible server', () => {
    const logProbs = distributions(5, 0);
    for (let i = 0; i < U; i++) logProbs[i * S + (i % S)] = -1e9;
    for (let i = 0; i < U; i++)
      logSoftmax(logProbs.subarray(i * S, (i + 1) * S), S, logProbs.subarray(i * S, (i + 1) * S));
    const rng = createRng(6);
    const out = new Int32Array(U);
    for (let t = 0; t < 2000; t++) {
      draw(logProbs, U, S, rng, out);
      expect(out.some((s, i) => s === i % S)).toBe(false);
    }
  });
});

describe('stratified draws', () => {
  it('put within one of its expectation on every server where requests are alike', () => {
    const logProbs = distributions(7, 0);
    const rng = createRng(8);
    const out = new Int32Array(U);
    const mean = expected(logProbs);
    for (let t = 0; t < 2000; t++) {
      stratifiedDraws(logProbs, U, S, rng, out);
      counts(out).forEach((n, s) => {
        expect(Math.abs(n - mean[s])).toBeLessThan(1 + 1e-4);
      });
    }
  });

  it('vary counts far less than independent ones where requests differ', () => {
    const logProbs = distributions(9, 0.2);
    const mean = expected(logProbs);
    const variance = (draw: typeof stratifiedDraws): number => {
      const rng = createRng(10);
      const out = new Int32Array(U);
      let sum = 0;
      for (let t = 0; t < 4000; t++) {
        draw(logProbs, U, S, rng, out);
        counts(out).forEach((n, s) => (sum += (n - mean[s]) ** 2 / (S * 4000)));
      }
      return sum;
    };
    expect(variance(stratifiedDraws)).toBeLessThan(0.4 * variance(independentDraws));
  });
});
