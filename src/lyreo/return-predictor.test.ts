import { describe, expect, it } from 'vitest';
import { type Rng, createRng } from '../core/rng';
import { redistributeReturn } from './redistribution';
import { type PredictorConfig, ReturnPredictor, type Sequences } from './return-predictor';

const settings: PredictorConfig = {
  window: 12,
  steps: 10,
  batch: 8,
  learningRate: 1e-2,
  hidden: 8,
  layers: 2,
  knee: Infinity,
};

function sequences(count: number, steps: number, inputs: number, rng: Rng): Sequences {
  return { count, steps, inputs: Float32Array.from({ length: count * steps * inputs }, () => rng.normal()) };
}

describe('ReturnPredictor', () => {
  it.each([
    [1, 1],
    [5, 5],
    [5, 12],
    [12, 12],
    [13, 12],
    [60, 12],
    [37, 7],
    [9, 2],
    [9, 1],
  ])('predicts each step from itself and fewer than H steps before it, T = %d, H = %d', (steps, window) => {
    const predictor = new ReturnPredictor(3, 1, { ...settings, window }, createRng(1));
    const all = sequences(2, steps, 3, createRng(2));
    // Move a step: its prediction moves, and none before it or a window later.
    const predicted = predictor.predict(all);
    for (let t = 0; t < steps; t++) {
      const moved = { ...all, inputs: all.inputs.slice() };
      moved.inputs[t * 3] += 1;
      const other = predictor.predict(moved);
      expect(other[t]).not.toBe(predicted[t]);
      for (let before = 0; before < t; before++) expect(other[before]).toBe(predicted[before]);
      for (let later = t + window; later < steps; later++) expect(other[later]).toBe(predicted[later]);
      // The second sequence is never told.
      expect(other.subarray(steps)).toEqual(predicted.subarray(steps));
    }
  });

  it('its sensitivity is what a step changes in the prediction made there', () => {
    const rng = createRng(4);
    const predictor = new ReturnPredictor(3, 2, settings, rng);
    const all = sequences(1, 30, 3, rng);
    predictor.train([{ sequences: all, targets: Float64Array.from({ length: 60 }, () => 5 * rng.normal()) }], rng);
    const { predictions, gradients } = predictor.sensitivity(all, 0, 3);
    expect([...predictions]).toEqual([...predictor.predict(all)]);
    const h = 1e-2;
    for (const t of [0, 1, 7, 8, 15, 29]) {
      for (let i = 0; i < 3; i++) {
        const at = (shift: number): Float64Array => {
          const moved = { ...all, inputs: all.inputs.slice() };
          moved.inputs[t * 3 + i] += shift;
          return predictor.predict(moved);
        };
        const [up, down] = [at(h), at(-h)];
        for (let o = 0; o < 2; o++) {
          const expected = (up[2 * t + o] - down[2 * t + o]) / (2 * h);
          expect(Math.abs(gradients[o][3 * t + i] - expected)).toBeLessThan(2e-3 * (1 + Math.abs(expected)));
        }
      }
    }
  });
});

/**
 * After RUDDER's watch repair (Arjona-Medina et al. 2019, Section 1): a watch comes in late in the day, and is repaired
 * or sold as it is; its delivery costs something or not. The shop learns only the day's takings, in the evening, and the
 * business before the watch came in is many times larger than what the decision matters.
 */
describe('a shop that is told the takings in the evening', () => {
  const BUSINESS = [-6, 0, 6];
  /** What the watch brings without and with repair, by brand: +1, −1, +1 is the optimal credit of a repair. */
  const WATCH = [
    [1, 2],
    [3, 2],
    [2, 3],
  ];
  const EARLIER = 6;
  const STEPS = EARLIER + 1 + 2;
  const INPUTS = 3 + 3 + 2;

  interface Days {
    readonly sequences: Sequences;
    readonly brand: Int32Array;
    readonly repaired: Int32Array;
    /** [days]. */
    readonly takings: Float64Array;
  }

  function days(count: number, rng: Rng): Days {
    const inputs = new Float32Array(count * STEPS * INPUTS);
    const brand = Int32Array.from({ length: count }, () => rng.int(3));
    const repaired = Int32Array.from({ length: count }, () => rng.int(2));
    const takings = Float64Array.from(brand, (b, day) => {
      let sum = WATCH[b][repaired[day]];
      for (let t = 0; t < STEPS; t++) {
        const at = (day * STEPS + t) * INPUTS;
        const draw = rng.int(t < EARLIER ? 3 : 2);
        if (t < EARLIER) {
          inputs[at + draw] = 1;
          sum += BUSINESS[draw];
        } else if (t === EARLIER) {
          inputs[at + 3 + b] = 1;
          inputs[at + 6] = repaired[day];
        } else {
          inputs[at + 7] = draw;
          sum -= draw;
        }
      }
      return sum;
    });
    return { sequences: { count, steps: STEPS, inputs }, brand, repaired, takings };
  }

  /** The largest error, over the brands, of what repair seems to be worth when decisions get this credit, [days]. */
  function largestError({ brand, repaired }: Days, credit: Float64Array): number {
    const sums = new Float64Array(6);
    const counts = new Float64Array(6);
    credit.forEach((x, day) => {
      sums[2 * brand[day] + repaired[day]] += x;
      counts[2 * brand[day] + repaired[day]]++;
    });
    const worth = (b: number): number => sums[2 * b + 1] / counts[2 * b + 1] - sums[2 * b] / counts[2 * b];
    return Math.max(...WATCH.map(([without, repair], b) => Math.abs(worth(b) - (repair - without))));
  }

  function redistributed(seen: Days, rng: Rng): Float64Array {
    const training = {
      window: STEPS,
      steps: 600,
      batch: 32,
      learningRate: 1e-2,
      hidden: 16,
      layers: 1,
      knee: Infinity,
    };
    const predictor = new ReturnPredictor(INPUTS, 1, training, rng);
    const targets = Float64Array.from(
      { length: seen.takings.length * STEPS },
      (_, k) => seen.takings[Math.floor(k / STEPS)],
    );
    predictor.train([{ sequences: seen.sequences, targets }], rng);
    const g = predictor.predict(seen.sequences);
    return seen.takings.map((y, day) => redistributeReturn(g.subarray(day * STEPS, (day + 1) * STEPS), y)[EARLIER]);
  }

  it('learns what a repair is worth from at least 10 times fewer days than Monte Carlo needs', () => {
    const accurate = 0.5;
    for (const seed of [1, 2, 3]) {
      const few = days(512, createRng(seed));
      expect(largestError(few, redistributed(few, createRng(seed + 10)))).toBeLessThan(accurate);
      // The number of days from which on the mean takings per decision are as accurate.
      let needed = 0;
      for (let count = 512; count <= 32_768; count *= 2) {
        const many = days(count, createRng(seed));
        if (largestError(many, many.takings) >= accurate) needed = 2 * count;
      }
      expect(needed).toBeGreaterThanOrEqual(10 * 512);
    }
  });
});
