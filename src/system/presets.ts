import { z } from 'zod';
import { invalid } from '../core/errors';
import { parseWith } from '../core/parse';
import { oneOf } from '../core/schema';
import { mean } from '../core/statistics';
import type { Calibration, Preset, SystemConfig } from './config';
import { configSchema, standards } from './config-fields';
import { calibrated, serverSpecs } from './gpus';
import { lengthPairs } from './trace';

/**
 * The spreads that belong to a length model. Those of `lmsys-like` stand in for LMSYS-Chat-1M, which is gated: the same
 * means with far longer tails, chosen and not fitted to the data set [C].
 */
function lengthSpreads(lengths: SystemConfig['lengths'], calibration?: Calibration): Partial<SystemConfig> {
  if (lengths === 'lmsys-like') return { sigmaInput: 1.2, sigmaOutput: 1 };
  const { sigmaInput, sigmaOutput } = calibrated(calibration);
  return { sigmaInput, sigmaOutput };
}

/** The fields in which presets differ. */
export function presetFields(preset: Preset): Partial<SystemConfig> {
  const calibration = preset === 'pilot' ? preset : undefined;
  const { kvPoolFraction, prefillSlowdown, balanceUnit } = calibrated(calibration);
  return {
    ...(calibration === undefined ? {} : { calibration }),
    prefillSlowdown,
    ...lengthSpreads('paper', calibration),
    ...(preset === 'literal' ? { kvPoolFraction: 1, balanceUnit: 1 } : { kvPoolFraction, balanceUnit }),
  };
}

/**
 * Fields together with those that they bring along unless they are given too: `lengths` its spreads, `lengthsFile` its
 * means, `gpus` the number of servers. A field that is undefined counts as absent.
 */
export function withCompanions(fields: Partial<SystemConfig>, calibration?: Calibration): Partial<SystemConfig> {
  const given: Partial<SystemConfig> = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  const { lengths, lengthsFile, gpus } = given;
  // The fields are not checked yet.
  const pairs = typeof lengthsFile !== 'string' || lengthsFile === '' ? undefined : lengthPairs(lengthsFile);
  return {
    ...(lengths === undefined ? {} : lengthSpreads(lengths, calibration)),
    ...(pairs && { meanInputTokens: mean(pairs.inputTokens), meanOutputTokens: mean(pairs.outputTokens) }),
    ...(Array.isArray(gpus) ? { servers: gpus.length } : {}),
    ...given,
  };
}

/**
 * Table I and Section V-A with the free constants filled in, then fields of your own and those that they bring along.
 * Note: the presets differ in κ and in the unit of Y and Z. `literal` reads M_s as the KV pool (κ = 1) and takes Y and
 * Z as printed; `calibrated` has κ and balanceUnit from data/calibrated.json. Constants that the paper does not print
 * (w, the lengths' spreads, the decode curve) are calibrated in both. `pilot` has all of these from data/pilot.json.
 *
 * @param where the beginning of an error: a file, or the name of the record.
 * @throws UserError naming field, value and the allowed values.
 */
export function systemConfig(
  preset: Preset,
  overrides: Partial<SystemConfig> = {},
  where = 'configuration',
): SystemConfig {
  parseWith(z.strictObject({ preset: oneOf('literal', 'calibrated', 'pilot') }), { preset }, where);
  const base = presetFields(preset);
  const fields = { ...standards, ...base, ...withCompanions(overrides, base.calibration) };
  const config = checkedConfig(fields, where);
  serverSpecs(config, undefined, where);
  return config;
}

/**
 * A configuration whose fields are all allowed, one that was changed by hand too.
 *
 * @throws UserError naming the first field that is not, its value and the allowed values.
 */
export function checkedConfig(fields: Partial<SystemConfig>, where = 'configuration'): SystemConfig {
  const config = parseWith(configSchema, fields, where);
  const { gpus, servers } = config;
  if (gpus !== undefined && gpus.length !== servers)
    throw invalid(`${where}: gpus has ${gpus.length} names and servers`, servers, 'as many names as servers');
  return config;
}
