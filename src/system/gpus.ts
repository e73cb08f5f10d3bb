import { invalid } from '../core/errors';
import { dataJson, readTextFile } from '../core/files';
import { gigabytesToBytes } from '../core/units';
import type { Calibration, Mix, SystemConfig } from './config';
import { readGpuProfiles, type GpuProfile } from './gpu-profiles';
import type { ServerSpec } from './scenario';

/** Memory and prefill rate as printed in Section V, and each mix's GPUs of 8 servers (V-C). */
const printed = [
  { name: 'rtx3080', memoryGB: 10, prefillTokensPerSecond: 2500, of8: { Hom: 0, Mod: 3, Het: 4 } },
  { name: 'rtx3090', memoryGB: 20, prefillTokensPerSecond: 4000, of8: { Hom: 8, Mod: 3, Het: 1 } },
  { name: 'rtx4090', memoryGB: 24, prefillTokensPerSecond: 8000, of8: { Hom: 0, Mod: 2, Het: 3 } },
] as const;

type PerGpu = Readonly<Record<(typeof printed)[number]['name'], number>>;

/** The free constants that the paper does not print [C], in data/, made by the command that the file names. */
export interface Calibrated extends Pick<
  SystemConfig,
  'kvPoolFraction' | 'prefillSlowdown' | 'sigmaInput' | 'sigmaOutput' | 'balanceUnit'
> {
  readonly command: string;
  readonly note: string;
  /** τ_0, s: an iteration with an empty pool. */
  readonly tau0Seconds: PerGpu;
  /** τ_1, s: the addition of a full pool; one for all GPUs or one each. */
  readonly tau1Seconds: number | PerGpu;
  /** The exponent of the growth in between: τ_0 + τ_1·x^exponent. */
  readonly exponent: number;
}

/** The calibration data/<name>.json. */
export function calibrated(name: Calibration = 'calibrated'): Calibrated {
  return dataJson(`${name}.json`) as Calibrated;
}

/** Points of a curved profile; a straight one needs two. */
const CURVED_POINTS = 17;

/**
 * The three GPUs of Section V, with a decode curve over the KV pool κ·M, sampled: 1/v = τ_0 + τ_1·x^p, x = m/(κ·M).
 * Note: the paper measured v_dec with vLLM and prints no value; the curve's constants are calibrated [C]. It is
 * stretched over the pool, large or small: `literal` (κ = 1) spreads the same curve over the whole memory, so that a
 * full pool is equally slow in both presets. To hold a GPU's speed fixed while κ varies, give a profile file.
 */
export function gpuPresets(kvPoolFraction: number, constants: Calibrated = calibrated()): GpuProfile[] {
  const { tau0Seconds, tau1Seconds, exponent } = constants;
  const count = exponent === 1 ? 2 : CURVED_POINTS;
  return printed.map(({ name, memoryGB, prefillTokensPerSecond }) => {
    const tau1 = typeof tau1Seconds === 'number' ? tau1Seconds : tau1Seconds[name];
    const poolBytes = kvPoolFraction * gigabytesToBytes(memoryGB);
    const decodeProfile = Array.from({ length: count }, (_, i) => {
      const x = i / (count - 1);
      return { kvBytes: x * poolBytes, iterationsPerSecond: 1 / (tau0Seconds[name] + tau1 * x ** exponent) };
    });
    return { name, memoryGB, prefillTokensPerSecond, decodeProfile };
  });
}

/**
 * The GPU of every server in the proportions of Section V-C, by largest remainder; ties go to the smaller GPU.
 * Note: the kinds are interleaved, each place going to the kind that lags its share most, so that a kind is spread over
 * the grid of servers rather than standing in one corner.
 */
export function mixGpus(mix: Mix, servers: number): string[] {
  const quotas = printed.map(({ of8 }) => (of8[mix] * servers) / 8);
  const counts = quotas.map(Math.floor);
  const left = servers - counts.reduce((a, b) => a + b);
  const byRemainder = [...quotas.keys()].sort((a, b) => (quotas[b] % 1) - (quotas[a] % 1));
  for (const g of byRemainder.slice(0, left)) counts[g]++;
  const placed = counts.map(() => 0);
  return Array.from({ length: servers }, (_, place) => {
    const lags = counts.map((count, g) => ((place + 1) * count) / servers - placed[g]);
    const next = lags.indexOf(Math.max(...lags));
    placed[next]++;
    return printed[next].name;
  });
}

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
export function serverSpecs(
  config: SystemConfig,
  profiles: readonly GpuProfile[] = profilesOf(config),
  where = 'configuration',
): ServerSpec[] {
  const { gpus, mix, servers, gpuProfilesFile, kvPoolFraction } = config;
  return (gpus ?? mixGpus(mix, servers)).map((gpu, s) => {
    const profile = profiles.find(({ name }) => name === gpu);
    if (profile === undefined) {
      const field = gpus === undefined ? `mix ${mix}, server ${s + 1}` : `gpus[${s}]`;
      const names = profiles.map(({ name }) => name).join(', ');
      const allowed =
        gpuProfilesFile === undefined
          ? `${names}, or a gpuProfilesFile that has it`
          : `a profile of ${gpuProfilesFile}: ${names}`;
      throw invalid(`${where}: ${field}`, gpu, allowed);
    }
    const { memoryGB, prefillTokensPerSecond, decodeProfile } = profile;
    const kvCapacityBytes = kvPoolFraction * gigabytesToBytes(memoryGB);
    return { name: `s${s + 1}-${gpu}`, kvCapacityBytes, prefillTokensPerSecond, decodeProfile };
  });
}
