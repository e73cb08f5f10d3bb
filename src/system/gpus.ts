import { invalid } from '../core/errors';
import { readTextFile } from '../core/files';
import { gigabytesToBytes } from '../core/units';
import { calibrated, type Calibrated, type GpuName } from './calibrated';
import type { Mix, SystemConfig } from './config';
import { readGpuProfiles, type GpuProfile } from './gpu-profiles';
import type { DecodePoint, ServerSpec } from './scenario';

/** Memory and prefill rate as printed in Section V. */
const printed: readonly {
  readonly name: GpuName;
  readonly memoryGB: number;
  readonly prefillTokensPerSecond: number;
}[] = [
  { name: 'rtx3080', memoryGB: 10, prefillTokensPerSecond: 2500 },
  { name: 'rtx3090', memoryGB: 20, prefillTokensPerSecond: 4000 },
  { name: 'rtx4090', memoryGB: 24, prefillTokensPerSecond: 8000 },
];

/** Points of a curved profile; a straight one needs two. */
const CURVED_POINTS = 17;

/**
 * The iteration time as a curve over the KV pool, sampled: 1/v = τ_0 + τ_1·x^p, x = m/pool in [0, 1].
 *
 * @param poolBytes the pool at which x = 1, bytes.
 */
export function decodeCurve(
  tau0Seconds: number,
  tau1Seconds: number,
  exponent: number,
  poolBytes: number,
): DecodePoint[] {
  const count = exponent === 1 ? 2 : CURVED_POINTS;
  return Array.from({ length: count }, (_, i) => {
    const x = i / (count - 1);
    return { kvBytes: x * poolBytes, iterationsPerSecond: 1 / (tau0Seconds + tau1Seconds * x ** exponent) };
  });
}

/**
 * The three GPUs of Section V, with a decode curve that spans the KV pool κ·M.
 * Note: the paper measured v_dec with vLLM and prints no value; the curve's constants are calibrated [C]. It is
 * stretched over whatever the pool is: `literal` (κ = 1) spreads the same curve over the whole memory, so that a
 * full pool is equally slow in both presets. To hold a GPU's speed fixed while κ varies, give a profile file.
 *
 * @param kvPoolFraction κ.
 */
export function gpuPresets(kvPoolFraction: number, constants: Calibrated = calibrated()): GpuProfile[] {
  const { tau0Seconds, tau1Seconds, exponent } = constants;
  return printed.map((gpu) => ({
    ...gpu,
    decodeProfile: decodeCurve(
      tau0Seconds[gpu.name],
      typeof tau1Seconds === 'number' ? tau1Seconds : tau1Seconds[gpu.name],
      exponent,
      kvPoolFraction * gigabytesToBytes(gpu.memoryGB),
    ),
  }));
}

/** Section V, GPUs of 8 servers in the order rtx3080, rtx3090, rtx4090. */
const mixCounts: Readonly<Record<Mix, readonly number[]>> = { Hom: [0, 8, 0], Mod: [3, 3, 2], Het: [4, 1, 3] };

/** Whole counts that sum to `total` in the proportions of `weights`, by largest remainder; ties go to the earlier. */
function apportion(weights: readonly number[], total: number): number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  const quotas = weights.map((w) => (w * total) / sum);
  const counts = quotas.map(Math.floor);
  const left = total - counts.reduce((a, b) => a + b, 0);
  const order = quotas
    .map((q, i) => ({ i, remainder: q - Math.floor(q) }))
    .sort((a, b) => b.remainder - a.remainder || a.i - b.i);
  for (const { i } of order.slice(0, left)) counts[i] = counts[i] + 1;
  return counts;
}

/**
 * The GPU of every server: Hom 8×3090, Mod 3×3080, 3×3090, 2×4090, Het 4×3080, 1×3090, 3×4090 (Section V-C), for any S
 * in the same proportions by largest remainder.
 * Note: the kinds are interleaved, each place going to the kind that lags its share most (ties to the smaller GPU),
 * so that a kind is spread over the grid of servers rather than standing in one corner.
 *
 * @param servers S.
 */
export function mixGpus(mix: Mix, servers: number): string[] {
  const counts = apportion(mixCounts[mix], servers);
  const placed = counts.map(() => 0);
  return Array.from({ length: servers }, (_, place) => {
    const lag = (g: number): number => ((place + 1) * counts[g]) / servers - placed[g];
    const open = counts.map((_count, g) => g).filter((g) => placed[g] < counts[g]);
    const next = open.reduce((best, g) => (lag(g) > lag(best) ? g : best));
    placed[next] = placed[next] + 1;
    return (printed[next] as { name: GpuName }).name;
  });
}

export const gpuNames: readonly string[] = printed.map((gpu) => gpu.name);

/** The GPUs that a configuration chooses from: the presets, or those of its profile file. */
function profilesOf({ gpuProfilesFile, kvPoolFraction, calibration }: SystemConfig): GpuProfile[] {
  return gpuProfilesFile === undefined
    ? gpuPresets(kvPoolFraction, calibrated(calibration))
    : readGpuProfiles(readTextFile(gpuProfilesFile), gpuProfilesFile);
}

/**
 * The servers of a configuration, "s1-rtx3080" first; each pool is κ·M_s bytes (III-D).
 *
 * @param profiles the GPUs to choose from; default: the configuration's.
 * @throws UserError when the profile file is faulty or a GPU has no profile.
 */
export function serverSpecs(config: SystemConfig, profiles: readonly GpuProfile[] = profilesOf(config)): ServerSpec[] {
  const { gpuProfilesFile, kvPoolFraction } = config;
  const byName = new Map(profiles.map((profile) => [profile.name, profile]));
  return (config.gpus ?? mixGpus(config.mix, config.servers)).map((gpu, s) => {
    const profile = byName.get(gpu);
    if (profile === undefined) {
      const field = config.gpus === undefined ? `mix ${config.mix}, server ${String(s + 1)}` : `gpus[${String(s)}]`;
      throw invalid(
        `configuration: ${field}`,
        gpu,
        `a profile of ${gpuProfilesFile ?? 'the presets'}: ${[...byName.keys()].join(', ')}`,
      );
    }
    return {
      name: `s${String(s + 1)}-${gpu}`,
      kvCapacityBytes: kvPoolFraction * gigabytesToBytes(profile.memoryGB),
      prefillTokensPerSecond: profile.prefillTokensPerSecond,
      decodeProfile: profile.decodeProfile,
    };
  });
}
