import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChannel, pathGain, serverGrid, transmissionSeconds, uplinkRate } from './channel';
import { systemConfig } from './presets';

const config = systemConfig('calibrated');

describe('pathGain: 10^(−(128.1 + 37.6·log10 d_km)/10)', () => {
  it('is −128.1 dB at 1 km and −90.5 dB at 100 m', () => {
    expect(10 * Math.log10(pathGain(1000, config))).toBeCloseTo(-128.1, 10);
    expect(10 * Math.log10(pathGain(100, config))).toBeCloseTo(-(128.1 - 37.6), 10);
  });

  it('counts less than 1 m as 1 m: −15.3 dB', () => {
    expect(10 * Math.log10(pathGain(1, config))).toBeCloseTo(-(128.1 - 3 * 37.6), 10);
    expect(pathGain(0, config)).toBe(pathGain(1, config));
  });
});

describe('uplinkRate', () => {
  it('by hand: share 2 Hz, SNR 3/(0.5·2) = 3, R = 2·log2(1 + 3) = 4 bit/s', () => {
    expect(uplinkRate(8, 4, 3, 1, 0.5)).toBeCloseTo(4, 12);
  });

  it('stays above 0 in the deepest fade', () => {
    // SNR 1e-20: 1 + SNR rounds to 1, log1p does not.
    expect(uplinkRate(1, 1, 1e-20, 1, 1)).toBeCloseTo(1e-20 * Math.LOG2E, 30);
    expect(uplinkRate(1, 1, 1e-20, 1, 1)).toBeGreaterThan(0);
  });
});

it('transmissionSeconds: D_tx = β·l_in/R = 16·70/2240 = 0.5 s', () => {
  expect(transmissionSeconds(16, 70, 2240)).toBe(0.5);
});

describe('serverGrid', () => {
  it('puts 4 on the centres of the quarters', () => {
    const { x, y } = serverGrid(4, 200, 200);
    expect([...x]).toEqual([50, 150, 50, 150]);
    expect([...y]).toEqual([50, 50, 150, 150]);
  });

  it('puts 8 in rows of 3, 3 and 2, the last spread over the width', () => {
    const { x, y } = serverGrid(8, 180, 180);
    expect([...x].map(Math.round)).toEqual([30, 90, 150, 30, 90, 150, 45, 135]);
    expect([...y].map(Math.round)).toEqual([30, 30, 30, 90, 90, 90, 150, 150]);
  });

  it('keeps any number inside any area, no two at one place', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 1, max: 1e4, noNaN: true }),
        fc.double({ min: 1, max: 1e4, noNaN: true }),
        (servers, width, height) => {
          const { x, y } = serverGrid(servers, width, height);
          const places = new Set(Array.from(x, (px, s) => `${String(px)},${String(y[s])}`));
          expect(places.size).toBe(servers);
          expect([...x].every((px) => px > 0 && px < width)).toBe(true);
          expect([...y].every((py) => py > 0 && py < height)).toBe(true);
        },
      ),
    );
  });
});

describe('createChannel', () => {
  it('draws bandwidths and powers within Table I', () => {
    const channel = createChannel(systemConfig('calibrated', { users: 500, servers: 100 }), 1);
    expect(channel.bandwidthHz).toHaveLength(100);
    expect(channel.powerW).toHaveLength(500);
    expect([...channel.bandwidthHz].every((b) => b >= 6e6 && b <= 14e6)).toBe(true);
    // 15 dBm = 31.6 mW, 25 dBm = 316 mW.
    expect([...channel.powerW].every((p) => p >= 0.0316 && p <= 0.3163)).toBe(true);
    expect(channel.noiseWPerHz / 10 ** -20.4).toBeCloseTo(1, 12);
  });

  it('without fading is pathGain of the distance', () => {
    const channel = createChannel(systemConfig('calibrated', { fading: 'none' }), 1);
    // 3-4-5: server 0 stands at (200/6, 200/6).
    const [x, y] = [channel.serverX[0] + 30, channel.serverY[0] + 40];
    expect(channel.gain(7, 3, 0, x, y) / pathGain(50, config)).toBeCloseTo(1, 12);
    expect(channel.gain(0, 0, 0, channel.serverX[0], channel.serverY[0]) / pathGain(1, config)).toBeCloseTo(1, 12);
  });

  it('fades by a mean of 1 with a spread of 1', () => {
    const faded = createChannel(config, 5);
    const still = createChannel({ ...config, fading: 'none' }, 5);
    const n = 20_000;
    const factors = Array.from(
      { length: n },
      (_, i) => faded.gain(i >> 4, i & 15, i % 7, 20, 30) / still.gain(i >> 4, i & 15, i % 7, 20, 30),
    );
    const mean = factors.reduce((a, b) => a + b) / n;
    const variance = factors.reduce((a, b) => a + (b - mean) ** 2, 0) / n;
    // Three standard errors: 3/√20000 = 0.021 of the mean; √8·3/√20000 = 0.06 of the variance.
    expect(Math.abs(mean - 1)).toBeLessThan(0.021);
    expect(Math.abs(variance - 1)).toBeLessThan(0.06);
  });

  it('is a function of seed and place: order does not matter, another seed or place does', () => {
    const [a, b, other] = [createChannel(config, 1), createChannel(config, 1), createChannel(config, 2)];
    const first = a.gain(3, 2, 1, 10, 10);
    a.gain(4, 2, 1, 10, 10);
    expect(a.gain(3, 2, 1, 10, 10)).toBe(first);
    expect(b.gain(3, 2, 1, 10, 10)).toBe(first);
    expect(a.powerW).toEqual(b.powerW);
    expect(other.gain(3, 2, 1, 10, 10)).not.toBe(first);
    expect(other.bandwidthHz).not.toEqual(a.bandwidthHz);
    expect(new Set([first, a.gain(4, 2, 1, 10, 10), a.gain(3, 1, 1, 10, 10)]).size).toBe(3);
  });
});
