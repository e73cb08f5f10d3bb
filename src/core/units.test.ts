import { describe, expect, it } from 'vitest';
import { dbToRatio, dbmToWatts, gigabytesToBytes, kilobytesToBytes } from './units';

describe('units', () => {
  it('dBm: 0 dBm = 1 mW, 30 dBm = 1 W, 15 dBm = 10^(−1.5) W', () => {
    expect(dbmToWatts(0)).toBeCloseTo(1e-3, 15);
    expect(dbmToWatts(30)).toBe(1);
    expect(dbmToWatts(15)).toBeCloseTo(0.0316227766, 10);
  });

  it('noise: −174 dBm/Hz = 10^(−20.4) W/Hz', () => {
    expect(dbmToWatts(-174) / 3.981071705534972e-21).toBeCloseTo(1, 12);
  });

  it('dB: 0 → 1, 10 → 10, −3 → 0.501', () => {
    expect([0, 10].map(dbToRatio)).toEqual([1, 10]);
    expect(dbToRatio(-3)).toBeCloseTo(0.501187, 6);
  });

  it('GB and KB are decimal', () => {
    expect(gigabytesToBytes(10)).toBe(10_000_000_000);
    expect(kilobytesToBytes(16)).toBe(16_000);
  });
});
