import { z } from 'zod';
import { invalid } from '../core/errors';
import { parseWith } from '../core/parse';
import { oneOf } from '../core/schema';
import { mean } from '../core/statistics';
import { calibrated } from './calibrated';
import type { Calibration, LengthModel, Preset, SystemConfig } from './config';
import { configSchema } from './config-schema';
import { gpuNames } from './gpus';
import { lengthPairs } from './trace';

/**
 * Spreads of the heavy-tailed lengths: a synthetic stand-in for LMSYS-Chat-1M, which is gated. Same means, far longer
 * tails; the values are chosen, not fitted to the data set [C].
 */
const lmsysLike: { readonly sigmaInput: number; readonly sigmaOutput: number } = { sigmaInput: 1.2, sigmaOutput: 1 };

/** The spreads that belong to a length model. */
function lengthSpreads(lengths: LengthModel, calibration?: Calibration): { sigmaInput: number; sigmaOutput: number } {
  if (lengths === 'lmsys-like') return lmsysLike;
  const { sigmaInput, sigmaOutput } = calibrated(calibration);
  return { sigmaInput, sigmaOutput };
}

/** The means that belong to a file of lengths, tokens; none without one. */
function lengthMeans(file: string | undefined): Partial<SystemConfig> {
  if (typeof file !== 'string' || file === '') return {};
  const { inputTokens, outputTokens } = lengthPairs(file);
  return { meanInputTokens: mean(inputTokens), meanOutputTokens: mean(outputTokens) };
}

type PresetField = 'calibration' | 'kvPoolFraction' | 'prefillSlowdown' | 'balanceUnit' | 'sigmaInput' | 'sigmaOutput';

/** The fields that are the same under every preset. */
export const printedFields: Omit<SystemConfig, PresetField> = {
  users: 40,
  servers: 8,
  slots: 800,
  slotSeconds: 1,
  mix: 'Mod',
  kvKilobytesPerToken: 16,
  bitsPerToken: 16,
  batching: 'deed',
  oversized: 'reject',
  bandwidthMHz: [6, 14],
  txPowerDbm: [15, 25],
  noiseDbmPerHz: -174,
  pathLossDb: 128.1,
  pathLossDbPerDecade: 37.6,
  fading: 'rayleigh',
  areaMeters: [200, 200],
  stepMeters: 5,
  lengths: 'paper',
  meanInputTokens: 70,
  meanOutputTokens: 215,
  predictionError: 'none',
  predictionSigma: 0.3,
  balanceTolerance: 0.01,
  latencyWeight: 0.5,
};

/** The fields in which presets differ. */
export function presetFields(preset: Preset): Pick<SystemConfig, PresetField> {
  const calibration = preset === 'pilot' ? 'pilot' : undefined;
  const { kvPoolFraction, prefillSlowdown, balanceUnit } = calibrated(calibration);
  return {
    ...(calibration === undefined ? {} : { calibration }),
    prefillSlowdown,
    ...lengthSpreads('paper', calibration),
    ...(preset === 'literal' ? { kvPoolFraction: 1, balanceUnit: 1 } : { kvPoolFraction, balanceUnit }),
  };
}

/**
 * Table I and Section V-A, row by row, with the free constants filled in.
 * Note: the presets differ in κ and in the unit of Y and Z. `literal` reads M_s as the KV pool (κ = 1) and takes Y and
 * Z as printed; `calibrated` has κ and balanceUnit from data/calibrated.json. Constants that the paper does not print
 * (w, the lengths' spreads, the decode curve) are calibrated in both. `pilot` has all of these from data/pilot.json.
 */
export function tableOne(preset: Preset): SystemConfig {
  return { ...printedFields, ...presetFields(preset) };
}

/**
 * Fields together with those that they bring along unless they are given too: `lengths` its spreads, `lengthsFile` its
 * means, `gpus` the number of servers. A field that is undefined counts as absent.
 */
export function withCompanions(fields: Partial<SystemConfig>, calibration?: Calibration): Partial<SystemConfig> {
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<SystemConfig>;
  return {
    ...(given.lengths === undefined ? {} : lengthSpreads(given.lengths, calibration)),
    ...lengthMeans(given.lengthsFile),
    ...(Array.isArray(given.gpus) ? { servers: given.gpus.length } : {}),
    ...given,
  };
}

/** Checks fields that depend on one another: there are as many GPUs as servers, and each of them is known. */
function checkGpus(config: SystemConfig, where: string): void {
  const { gpus, servers, gpuProfilesFile } = config;
  if (gpus === undefined) return;
  if (gpus.length !== servers)
    throw invalid(`${where}: gpus has ${String(gpus.length)} names and servers`, servers, 'as many names as servers');
  const unknown = gpus.findIndex((gpu) => !gpuNames.includes(gpu));
  if (gpuProfilesFile === undefined && unknown >= 0)
    throw invalid(
      `${where}: gpus[${String(unknown)}]`,
      gpus[unknown],
      `${gpuNames.join(', ')}, or a gpuProfilesFile that has it`,
    );
}

/**
 * A preset with fields of your own and those that they bring along, checked.
 *
 * @param where the beginning of an error: a file, or the name of the record.
 * @throws UserError naming field, value and the allowed values.
 */
export function systemConfig(
  preset: Preset,
  overrides: Partial<SystemConfig> = {},
  where = 'configuration',
): SystemConfig {
  const known = parseWith(
    z.strictObject({ preset: oneOf('literal', 'calibrated', 'pilot') }),
    { preset },
    where,
  ).preset;
  const base = tableOne(known);
  const config = parseWith(configSchema, { ...base, ...withCompanions(overrides, base.calibration) }, where);
  checkGpus(config, where);
  return config;
}
