import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataFile } from '../../core/files';
import { simulate } from '../../env/simulate';
import { schedulerNames, schedulers } from '../../schedulers/index';
import { decodeProfile, iterationSeconds } from '../../system/decode-profile';
import { systemConfig } from '../../system/presets';
import type { DecodePoint } from '../../system/scenario';
import { fuzz } from '../../../tests/support/fuzz';
import { smallSystem } from '../../../tests/support/small-systems';
import { aloneBound, aloneSeconds } from './alone';
import { convexLines } from './convex-lines';
import { type Episode, readEpisode } from './episode';
import { lowerBound } from './lower-bound';
import { exactOptimum } from './optimum';
import { borne, pricedEpisode, tokenCharge } from './priced-episode';
import { ServerCosts } from './server-costs';

/** Two to five points of any shape, concave, convex or neither; speeds never rise. */
const profile: fc.Arbitrary<DecodePoint[]> = fc
  .array(fc.record({ gap: fc.integer({ min: 1, max: 60 }), slower: fc.constantFrom(0, 1, 3, 20) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((steps) => {
    let [kvBytes, milliseconds] = [-1, 4];
    return steps.map(({ gap, slower }) => {
      kvBytes += gap;
      milliseconds += slower;
      return { kvBytes: 16000 * kvBytes, iterationsPerSecond: 1000 / milliseconds };
    });
  });

/** The episode on servers with other decode profiles. */
const withProfiles = (episode: Episode, profiles: readonly DecodePoint[][]): Episode => ({
  ...episode,
  servers: episode.servers.map((server, s) => ({ ...server, decodeProfile: profiles[s % profiles.length] })),
});

const episodes = smallSystem({ requests: 9 }).chain(({ config, seed }) =>
  fc.oneof(
    fc.constant(readEpisode(config, seed)),
    fc
      .array(profile, { minLength: 3, maxLength: 3 })
      .map((profiles) => withProfiles(readEpisode(config, seed), profiles)),
  ),
);

describe('aloneSeconds', () => {
  it('is the latency of a request that is alone', () => {
    const config = systemConfig('calibrated', { users: 1, slots: 1, servers: 3 });
    for (const seed of [1, 2, 3]) {
      const [alone] = aloneSeconds(readEpisode(config, seed));
      for (let s = 0; s < 3; s++) {
        const run = simulate(config, () => (_, assignment) => void (assignment[0] = s), seed);
        expect(run.meanLatency).toBeCloseTo(alone[s], 12);
      }
      expect(aloneBound(readEpisode(config, seed))).toBeCloseTo(Math.min(...alone), 12);
    }
  });
});

describe('convexLines', () => {
  it('a dent upwards is bridged, a dent downwards is followed', () => {
    const at = (kvBytes: number, milliseconds: number): DecodePoint => ({
      kvBytes,
      iterationsPerSecond: 1000 / milliseconds,
    });
    // (0, 10), (10, 18), (20, 20) is concave: one line of (20 − 10)/20 = 0.5 ms per token.
    const [line, ...none] = convexLines([at(0, 10), at(10, 18), at(20, 20)], 1, 20);
    expect([line.a, line.b, none]).toEqual([0.01, 0.0005, []]);
    // (0, 10), (10, 11), (20, 20) is convex; its second line, 2 + 0.9·c, begins at 2.
    const lines = convexLines([at(0, 10), at(10, 11), at(20, 20)], 1, 20);
    expect(lines.map(({ a, b }) => [a, b].map((x) => Number((1000 * x).toFixed(9))))).toEqual([
      [10, 0.1],
      [2, 0.9],
    ]);
    expect(convexLines([at(0, 10), at(10, 18)], 1, Infinity)).toEqual([{ a: 0.01, b: 0 }]);
  });

  it('lies below τ everywhere in the pool', () => {
    fc.assert(
      fc.property(profile, fc.integer({ min: 2, max: 200 }), (points, most) => {
        const lines = convexLines(points, 16000, most);
        expect(lines.length).toBeGreaterThan(0);
        for (const { a, b } of lines) {
          expect(Math.min(a, b)).toBeGreaterThanOrEqual(0);
          for (let c = 0; c <= most; c++)
            expect(a + b * c).toBeLessThanOrEqual(iterationSeconds(decodeProfile(points), 16000 * c) + 1e-12);
        }
      }),
      fuzz(200),
    );
  });
});

describe('tokenCharge', () => {
  it('φ(c) = a + λ·b·c + 2·√(λ·a·b·c), met by the batch that an iteration is cheapest for', () => {
    // λ = 4, c = 25: 0.01 + 4·0.0001·25 + 2·√(4·0.01·0.0001·25) = 0.01 + 0.01 + 0.02.
    const line = { a: 0.01, b: 0.0001 };
    expect(borne(tokenCharge(4, line), [1, 25, 5])).toBeCloseTo(0.04, 12);
    // λ·a = b·n·m at n = 4, m = 4·25: (4 + 4)·0.02 = 4·0.04.
    expect((4 + 4) * (line.a + line.b * 100)).toBeCloseTo(4 * 0.04, 12);
  });

  it('never asks more than an iteration costs', () => {
    const held = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 30 });
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const price = fc.double({ min: 0, max: 200, noNaN: true });
    fc.assert(
      fc.property(held, share, price, (cs, b, lambda) => {
        const m = cs.reduce((x, y) => x + y, 0);
        const line = { a: 0.01, b: 0.001 * b };
        const sum = cs.reduce((all, c) => all + borne(tokenCharge(lambda, line), [1, c, Math.sqrt(c)]), 0);
        expect(sum).toBeLessThanOrEqual((cs.length + lambda) * (line.a + line.b * m) * (1 + 1e-12));
      }),
      fuzz(500),
    );
  });
});

describe('lowerBound', () => {
  /** Fixed, whatever the calibration becomes. */
  const measured = { gpuProfilesFile: dataFile('gpu-profiles.csv'), kvPoolFraction: 0.008 };

  it('is never above the exact optimum', () => {
    fc.assert(
      fc.property(episodes, (episode) => {
        const optimum = exactOptimum(new ServerCosts(episode));
        if (optimum === null) return;
        expect(lowerBound(episode)).toBeLessThanOrEqual(optimum.meanLatency);
      }),
      fuzz(200),
    );
  });

  it('nor is it at any other prices', () => {
    const prices = fc.array(fc.double({ min: 1e-6, max: 30, noNaN: true }), { minLength: 3, maxLength: 3 });
    const shares = fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(episodes, prices, shares, (episode, time, share) => {
        const optimum = exactOptimum(new ServerCosts(episode));
        if (optimum === null) return;
        const S = episode.servers.length;
        const bound = pricedEpisode(episode).bound({ time: time.slice(0, S), share: share.slice(0, S) });
        expect(bound).toBeLessThanOrEqual(optimum.meanLatency * episode.requests.length * (1 + 1e-9));
      }),
      fuzz(200),
    );
  });

  it.each([
    { users: 10 },
    { users: 40 },
    { users: 60 },
    { users: 40, mix: 'Het' as const },
    { users: 40, batching: 'static' as const },
    { users: 60, kvPoolFraction: 0.003 },
    { users: 20, lengths: 'lmsys-like' as const },
    { users: 120 },
  ])('is below every scheduler: %o', (fields) => {
    const config = systemConfig('calibrated', { slots: 60, ...fields });
    const bound = lowerBound(readEpisode(config, 5));
    for (const name of schedulerNames) {
      const run = simulate(config, schedulers[name], 5);
      expect(bound).toBeLessThan(run.meanLatency);
    }
  });

  it('is within a few percent of what the best scheduler does where servers are equal', () => {
    const config = systemConfig('calibrated', {
      ...measured,
      mix: 'Hom',
      slots: 200,
      sigmaInput: 0.8,
      sigmaOutput: 0.3,
      prefillSlowdown: 0.3,
    });
    const episode = readEpisode(config, 1);
    const run = simulate(config, schedulers['drift-plus-penalty'], 1);
    expect(run.meanLatency / lowerBound(episode)).toBeLessThan(1.1);
    expect(run.meanLatency / aloneBound(episode)).toBeGreaterThan(1.15);
  });

  it.each([5, 8, 10])('is just below the only assignment that one server leaves: U = %i', (users) => {
    // Equal requests and no slow-down by prefills: little is left out, and the servers' time is dear.
    const config = systemConfig('calibrated', {
      ...measured,
      users,
      gpus: ['rtx3090'],
      slots: 300,
      sigmaInput: 0,
      sigmaOutput: 0,
      prefillSlowdown: 0,
    });
    const ratio = simulate(config, schedulers.random, 1).meanLatency / lowerBound(readEpisode(config, 1));
    expect(ratio).toBeGreaterThan(1);
    expect(ratio).toBeLessThan(1.03);
  });
});
