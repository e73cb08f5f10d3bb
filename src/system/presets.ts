import { z } from 'zod';
import { invalid } from '../core/errors';
import { parseWith } from '../core/parse';
import { mean } from '../core/statistics';
import { calibrated } from './calibrated';
import type { Calibration, LengthModel, Preset, SystemConfig } from './config';
import { gpuNames } from './gpus';
import { lengthPairs } from './length-pairs';

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

/**
 * Table I and Section V-A, row by row, with the free constants filled in.
 * Note: the presets differ in κ and in the unit of Y and Z. `literal` reads M_s as the KV pool (κ = 1) and takes Y and
 * Z as printed; `calibrated` has κ and balanceUnit from data/calibrated.json. What the paper does not print
 * (w, the lengths' spreads, the decode curve) is calibrated in both. `pilot` has all of these from data/pilot.json.
 */
export function tableOne(preset: Preset): SystemConfig {
  const calibration = preset === 'pilot' ? 'pilot' : undefined;
  const { kvPoolFraction, prefillSlowdown, balanceUnit } = calibrated(calibration);
  return {
    ...(calibration === undefined ? {} : { calibration }),
    users: 40,
    servers: 8,
    slots: 800,
    slotSeconds: 1,
    mix: 'Mod',
    kvPoolFraction: preset === 'literal' ? 1 : kvPoolFraction,
    kvKilobytesPerToken: 16,
    bitsPerToken: 16,
    prefillSlowdown,
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
    ...lengthSpreads('paper', calibration),
    predictionError: 'none',
    predictionSigma: 0.3,
    balanceTolerance: 0.01,
    balanceUnit: preset === 'literal' ? 1 : balanceUnit,
    latencyWeight: 0.5,
  };
}

const integer = (least: number, most: number): z.ZodType<number> => {
  const allowed = `an integer from ${String(least)} to ${String(most)}`;
  return z.int(allowed).min(least, allowed).max(most, allowed);
};
const between = (least: number, most: number): z.ZodType<number> => {
  const allowed = `a number from ${String(least)} to ${String(most)}`;
  return z.number(allowed).min(least, allowed).max(most, allowed);
};
const positive = z.number('a finite number > 0').positive('a finite number > 0');
const nonNegative = z.number('a finite number >= 0').nonnegative('a finite number >= 0');
const oneOf = <const T extends string>(...names: readonly T[]): z.ZodType<T> =>
  z.enum(names, names.map((n) => `"${n}"`).join(' or '));
/** A pair [lowest, highest]. */
const range = (bound: z.ZodType<number>, what: string): z.ZodType<readonly [number, number]> =>
  z.tuple([bound, bound], what).refine(([lowest, highest]) => lowest <= highest, `${what}, lowest <= highest`);

const schema: z.ZodType<SystemConfig> = z.strictObject({
  users: integer(1, 1_000_000),
  servers: integer(1, 10_000),
  slots: integer(1, 1_000_000_000),
  slotSeconds: positive,
  mix: oneOf('Hom', 'Mod', 'Het'),
  gpus: z
    .array(z.string('the name of a GPU').min(1, 'the name of a GPU'), 'a list of GPU names, one per server')
    .min(1, 'at least one GPU name')
    .optional(),
  gpuProfilesFile: z.string('the path of a CSV file').min(1, 'the path of a CSV file').optional(),
  calibration: oneOf('calibrated', 'pilot').optional(),
  kvPoolFraction: z.number('a number in (0, 1]').positive('a number in (0, 1]').max(1, 'a number in (0, 1]'),
  kvKilobytesPerToken: positive,
  bitsPerToken: positive,
  prefillSlowdown: z.number('a number in [0, 1)').min(0, 'a number in [0, 1)').lt(1, 'a number in [0, 1)'),
  batching: oneOf('deed', 'static'),
  oversized: oneOf('error', 'reject'),
  bandwidthMHz: range(positive, 'two finite numbers > 0, MHz'),
  txPowerDbm: range(between(-100, 100), 'two numbers from -100 to 100, dBm'),
  noiseDbmPerHz: between(-300, 0),
  pathLossDb: between(0, 300),
  pathLossDbPerDecade: between(0, 100),
  fading: oneOf('none', 'rayleigh'),
  areaMeters: z.tuple([positive, positive], 'two finite numbers > 0, m'),
  stepMeters: nonNegative,
  lengths: oneOf('paper', 'lmsys-like'),
  lengthsFile: z.string('the path of a CSV file').min(1, 'the path of a CSV file').optional(),
  meanInputTokens: between(1, 1_000_000),
  meanOutputTokens: between(1, 1_000_000),
  sigmaInput: between(0, 5),
  sigmaOutput: between(0, 5),
  predictionError: oneOf('none', 'lognormal'),
  predictionSigma: between(0, 5),
  stateDelaySlots: integer(0, 1000).optional(),
  admission: oneOf('predicted-length', 'true-length').optional(),
  balanceTolerance: positive,
  balanceUnit: positive,
  latencyWeight: nonNegative,
});

/** What one field alone cannot tell: as many GPUs as servers, each of them known. */
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
 * A preset with fields of your own, checked. A field that is undefined counts as absent. `lengths` brings its spreads
 * along unless they are given too, `lengthsFile` its means; `gpus` sets `servers` to its length unless that is given too.
 *
 * @param where what error messages begin with: a file, or the name of the record.
 * @throws UserError naming field, value and what is allowed.
 */
export function systemConfig(
  preset: Preset,
  overrides: Partial<SystemConfig> = {},
  where = 'configuration',
): SystemConfig {
  const base = tableOne(
    parseWith(z.strictObject({ preset: oneOf('literal', 'calibrated', 'pilot') }), { preset }, where).preset,
  );
  const given = Object.fromEntries(
    Object.entries(overrides).filter(([, value]) => value !== undefined),
  ) as Partial<SystemConfig>;
  const config = parseWith(
    schema,
    {
      ...base,
      ...lengthSpreads(given.lengths ?? base.lengths, base.calibration),
      ...lengthMeans(given.lengthsFile),
      ...(Array.isArray(given.gpus) ? { servers: given.gpus.length } : {}),
      ...given,
    },
    where,
  );
  checkGpus(config, where);
  return config;
}
