import type { Command } from 'commander';
import { z } from 'zod';
import { UserError, invalid } from '../core/errors';
import { readTextFile } from '../core/files';
import { parseJson, suggestion } from '../core/parse';
import type { Preset, SystemConfig } from '../system/config';
import { configFields, standards as printed } from '../system/config-fields';
import { presetFields, systemConfig, withCompanions } from '../system/presets';
import { addFlags, reader, word } from './options';
import { textList } from './report';
import { type TraceOptions, type TracedSystem, traced } from './trace-options';

type Field = keyof SystemConfig;

/** The options that set one field of the configuration each; `--set` sets any. Their checks and help are the fields'. */
const optionFields: Readonly<Record<string, Field>> = {
  mix: 'mix',
  gpus: 'gpus',
  gpuProfiles: 'gpuProfilesFile',
  users: 'users',
  servers: 'servers',
  slots: 'slots',
  batching: 'batching',
  lengths: 'lengths',
  predictionError: 'predictionSigma',
  stateDelay: 'stateDelaySlots',
  nu: 'latencyWeight',
  oversized: 'oversized',
  admission: 'admission',
};

/** Options that describe the system; beside them stand those of the table. */
export interface SystemOptions extends TraceOptions {
  readonly preset?: Preset;
  readonly config?: string;
  readonly set?: Readonly<Record<string, string>>;
}

export const presets: readonly Preset[] = ['literal', 'calibrated', 'pilot'];

/** Adds the options that describe the system, but for those of a trace; `others` names the other fields that `--set` sets. */
export function addSystemOptions(command: Command, others = ''): Command {
  const standards: Partial<SystemConfig> = { ...printed, predictionSigma: 0, stateDelaySlots: 0 };
  const own = Object.entries(optionFields).map(([name, field]) => {
    const standard = standards[field] === undefined ? '' : ` (default: ${standards[field].toString()})`;
    const [schema, about] = configFields[field];
    return [name, schema.optional().describe(`${about}${standard}`)] as const;
  });
  const [listed, defaults]: [Field[], Partial<SystemConfig>] = [
    Object.values(optionFields),
    systemConfig('calibrated'),
  ];
  const rows = (Object.keys(configFields) as Field[])
    .filter((field) => field === 'predictionSigma' || !listed.includes(field))
    .map((field) => [`${field}=${(defaults[field] ?? '').toString()}`, configFields[field][1]] as const);
  addFlags(command, {
    preset: z
      .enum(presets)
      .optional()
      .describe('constants: literal (as printed), calibrated or pilot (default: calibrated)'),
    config: word('file', 'JSON with "preset" and any fields of the configuration; options override it'),
  });
  command.option('--set <field=value>', `any field of the configuration${others}; may be repeated`, addSetting);
  return addFlags(command, Object.fromEntries(own)).addHelpText(
    'after',
    `\nOther fields of the configuration, for --set (values of the calibrated preset):\n${textList(rows)}`,
  );
}

function addSetting(text: string, before: SystemOptions['set'] = {}): SystemOptions['set'] {
  const at = text.indexOf('=');
  if (at <= 0) throw invalid('--set', text, 'name=value');
  const field = text.slice(0, at);
  if (Object.hasOwn(before, field)) throw new UserError(`${field} is given twice by --set; allowed: once`);
  return { ...before, [field]: text.slice(at + 1) };
}

export interface System extends TracedSystem {
  readonly preset: Preset;
}

/**
 * Reads configuration and trace; an option goes before the configuration file's field, that before the preset.
 *
 * @param trained the system of a training, of which the options change only the named parts: fields, with those that they
 *   bring along, and of a named preset the fields in which presets differ.
 * @param others names of `--set` that are no fields of the configuration.
 * @throws UserError naming option or file, field, value and the allowed values.
 */
export function readSystem(options: SystemOptions, trained?: SystemConfig, others: readonly string[] = []): System {
  const file = options.config === undefined ? { fields: {} } : readFields(options.config);
  const given = options.preset ?? file.preset;
  const preset = given ?? 'calibrated';
  const values = optionValues(options, others);
  const fields = { ...file.fields, ...values };
  const base = given === undefined ? trained : { ...trained, calibration: undefined, ...presetFields(given) };
  const all = trained === undefined ? fields : { ...base, ...withCompanions(fields, base?.calibration) };
  const config = systemConfig(preset, all, options.config === undefined ? 'options' : `options over ${options.config}`);
  checkEffect(values, config, options.trace);
  return { preset, ...traced(options, config, fields.slots !== undefined) };
}

/** The file alone is checked first, so that its faults are told as the file's. */
function readFields(path: string): { preset?: Preset | undefined; fields: Partial<SystemConfig> } {
  const value = parseJson(readTextFile(path), path);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${path}: the whole`, value, 'an object with preset and fields of the configuration');
  const { preset, ...fields } = value as { preset?: Preset } & Partial<SystemConfig>;
  systemConfig(preset ?? 'calibrated', fields, path);
  return { preset, fields };
}

function optionValues(options: SystemOptions, others: readonly string[]): Partial<SystemConfig> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options))
    if (Object.hasOwn(optionFields, name)) values[optionFields[name]] = value;
  const sigma = values['predictionSigma'];
  if (sigma !== undefined) values['predictionError'] = sigma === 0 ? 'none' : 'lognormal';
  if (sigma === 0) delete values['predictionSigma'];
  for (const [field, text] of Object.entries(options.set ?? {})) {
    if (others.includes(field)) continue;
    if (field in values) throw new UserError(`${field} is given twice; allowed: once, by --set or by its option`);
    const known = [...Object.keys(configFields), ...others];
    if (!Object.hasOwn(configFields, field))
      throw invalid('--set', field, `one of ${known.join(', ')}${suggestion(field, known)}`);
    const [schema]: readonly [z.ZodType, ...unknown[]] = configFields[field as Field];
    values[field] = reader(`--set ${field}`, schema)(text);
  }
  return values;
}

/** Refuses a field that an option sets in vain. */
function checkEffect(values: Partial<SystemConfig>, config: SystemConfig, trace: string | undefined): void {
  const lengths = ['lengths', 'meanInputTokens', 'meanOutputTokens', 'sigmaInput', 'sigmaOutput'] as const;
  const vain: readonly (readonly [isIdle: boolean, fields: readonly Field[], cause: string])[] = [
    [trace !== undefined, ['lengthsFile', ...lengths], '--trace, which has the lengths'],
    [config.lengthsFile !== undefined, lengths, 'a lengthsFile, which has the lengths'],
    [config.gpus !== undefined, ['mix'], 'gpus'],
    [config.predictionError === 'none', ['predictionSigma'], 'predictionError=none'],
  ];
  for (const [isIdle, fields, cause] of vain) {
    const field = fields.find((name) => isIdle && values[name] !== undefined);
    if (field !== undefined) throw invalid(field, values[field], `none beside ${cause}`);
  }
}
