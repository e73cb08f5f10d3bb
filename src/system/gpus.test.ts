import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dataFile } from '../core/files';
import { calibrated, gpuPresets, mixGpus, serverSpecs } from './gpus';
import { systemConfig } from './presets';

const count = (gpus: readonly string[]): number[] =>
  ['rtx3080', 'rtx3090', 'rtx4090'].map((name) => gpus.filter((gpu) => gpu === name).length);

describe('gpuPresets', () => {
  it('has memory and prefill rate as printed', () => {
    expect(gpuPresets(1).map((g) => [g.name, g.memoryGB, g.prefillTokensPerSecond])).toEqual([
      ['rtx3080', 10, 2500],
      ['rtx3090', 20, 4000],
      ['rtx4090', 24, 8000],
    ]);
  });

  it('stretches the same curve over κ·M', () => {
    const [[whole], [pool]] = [gpuPresets(1), gpuPresets(1 / 125)];
    expect(whole.decodeProfile.at(-1)?.kvBytes).toBe(10e9);
    expect(pool.decodeProfile.at(-1)?.kvBytes).toBeCloseTo(80e6, 3);
    const speeds = whole.decodeProfile.map((p) => p.iterationsPerSecond);
    expect(pool.decodeProfile.map((p) => p.iterationsPerSecond)).toEqual(speeds);
  });

  const constants = {
    ...calibrated(),
    exponent: 1,
    tau0Seconds: { rtx3080: 0.01, rtx3090: 0.01, rtx4090: 0.01 },
    tau1Seconds: { rtx3080: 0.01, rtx3090: 0.03, rtx4090: 0 },
  };

  it('is straight between two points for p = 1, with one τ_1 for all or one per GPU: 1/v = τ_0 + τ_1·x', () => {
    const speeds = (tau1Seconds: number | typeof constants.tau1Seconds): number[][] =>
      gpuPresets(1, { ...constants, tau1Seconds }).map((gpu) =>
        gpu.decodeProfile.map((p) => Math.round(p.iterationsPerSecond)),
      );
    expect(speeds(constants.tau1Seconds)).toEqual([
      [100, 50],
      [100, 25],
      [100, 100],
    ]);
    expect(speeds(0.01)).toEqual([
      [100, 50],
      [100, 50],
      [100, 50],
    ]);
  });

  it('is sampled at 17 points when bent; the middle of p = 2 is τ_0 + τ_1/4', () => {
    const [{ decodeProfile }] = gpuPresets(1, { ...constants, exponent: 2 });
    expect(decodeProfile).toHaveLength(17);
    expect(decodeProfile[8].kvBytes).toBe(5e9);
    expect(1 / decodeProfile[8].iterationsPerSecond).toBeCloseTo(0.01 + 0.01 / 4, 12);
  });
});

describe('mixGpus', () => {
  it('is Section V for eight servers, interleaved', () => {
    expect(count(mixGpus('Hom', 8))).toEqual([0, 8, 0]);
    expect(count(mixGpus('Mod', 8))).toEqual([3, 3, 2]);
    expect(count(mixGpus('Het', 8))).toEqual([4, 1, 3]);
    expect(
      mixGpus('Het', 8)
        .map((gpu) => gpu.slice(3))
        .join(' '),
    ).toBe('3080 4090 3080 3090 4090 3080 4090 3080');
  });

  it('gives the rest to the largest remainder', () => {
    // Mod over 5: quotas 1.875, 1.875, 1.25; whole parts 1, 1, 1; the two left go to the first two.
    expect(count(mixGpus('Mod', 5))).toEqual([2, 2, 1]);
    expect(mixGpus('Mod', 1)).toEqual(['rtx3080']);
  });

  it('keeps within one server of the exact share for any S', () => {
    const shares = { Hom: [0, 8, 0], Mod: [3, 3, 2], Het: [4, 1, 3] } as const;
    fc.assert(
      fc.property(fc.constantFrom('Hom', 'Mod', 'Het'), fc.integer({ min: 1, max: 400 }), (mix, servers) => {
        const counts = count(mixGpus(mix, servers));
        expect(counts.reduce((a, b) => a + b)).toBe(servers);
        counts.forEach((n, g) => {
          expect(Math.abs(n - (shares[mix][g] * servers) / 8)).toBeLessThan(1);
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('serverSpecs', () => {
  it('names servers and reserves κ·M bytes', () => {
    const specs = serverSpecs(systemConfig('calibrated', { gpus: ['rtx4090', 'rtx3080'], kvPoolFraction: 0.01 }));
    expect(specs.map((s) => s.name)).toEqual(['s1-rtx4090', 's2-rtx3080']);
    expect(specs[0].kvCapacityBytes).toBeCloseTo(240e6, 3);
    expect(specs[0].prefillTokensPerSecond).toBe(8000);
  });

  it('is the whole memory under literal', () => {
    const gigabytes = serverSpecs(systemConfig('literal')).map((s) => s.kvCapacityBytes / 1e9);
    expect(gigabytes.sort()).toEqual([10, 10, 10, 20, 20, 20, 24, 24]);
  });

  it('takes profiles from a file and names a GPU that it lacks', () => {
    const gpuProfilesFile = dataFile('gpu-profiles.csv');
    expect(serverSpecs(systemConfig('calibrated', { gpuProfilesFile }))[0].decodeProfile).toHaveLength(3);
    expect(() => systemConfig('calibrated', { gpuProfilesFile, gpus: ['h100'] })).toThrow(
      `configuration: gpus[0] is "h100"; allowed: a profile of ${gpuProfilesFile}: rtx3080, rtx3090, rtx4090`,
    );
  });
});
