import { expect, it } from 'vitest';
import { dbToRatio, dbmToWatts, gigabytesToBytes, kilobytesToBytes } from './units';

it.each([
  ['0 dBm = 1 mW', dbmToWatts(0), 1e-3],
  ['30 dBm = 1 W', dbmToWatts(30), 1],
  ['15 dBm = 10^(−1.5) W', dbmToWatts(15), 0.0316227766],
  ['−174 dBm/Hz = 10^(−20.4) W/Hz', dbmToWatts(-174), 3.981071705534972e-21],
  ['0 dB = 1', dbToRatio(0), 1],
  ['10 dB = 10', dbToRatio(10), 10],
  ['−3 dB = 0.501', dbToRatio(-3), 0.5011872336],
  ['10 GB, decimal', gigabytesToBytes(10), 10_000_000_000],
  ['16 KB, decimal', kilobytesToBytes(16), 16_000],
])('%s', (_what, actual, expected) => {
  expect(actual / expected).toBeCloseTo(1, 9);
});
