import type { Command } from 'commander';
import { z } from 'zod';
import { UserError, invalid } from '../core/errors';
import { readTextFile } from '../core/files';
import { parseJson } from '../core/parse';
import type { Preset, SystemConfig } from '../system/config';
import { configFields, standards as printed } from '../system/config-fields';
import { presetFields, systemConfig, tableOne, withCompanions } from '../system/presets';
import { assignment, option, reader } from './options';
import { textList } from './report';
import { type TraceOptions, type TracedSystem, addTraceOptions, traced } from './trace-options';

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

/** Options that describe the system, the same for every subcommand that runs it; beside them stand those of the table. */
export interface SystemOptions extends TraceOptions {
  readonly preset?: Preset;
  readonly config?: string;
  /** The values of `--set`, as written. */
  readonly set?: readonly string[];
}

const fields = Object.keys(configFields) as Field[];

export function isField(name: string): name is Field {
  return Object.hasOwn(configFields, name);
}

/** A field's sentence, and its value where none is given. */
function helpOf(field: Field): string {
  const standards: Partial<SystemConfig> = { ...printed, predictionSigma: 0, stateDelaySlots: 0 };
  const standard = standards[field] === undefined ? '' : ` (default: ${standards[field].toString()})`;
  return `${configFields[field][1]}${standard}`;
}

/** The fields that have no option of their own, with the values of the calibrated preset. */
function fieldList(): string {
  const own: readonly string[] = Object.values(optionFields).filter((field) => field !== 'predictionSigma');
  const defaults: Partial<SystemConfig> = tableOne('calibrated');
  const rows = fields
    .filter((field) => !own.includes(field))
    .map((field) => [`${field}=${(defaults[field] ?? '').toString()}`, configFields[field][1]] as const);
  return `
Other fields of the configuration, for --set (values of the calibrated preset):
${textList(rows)}`;
}

/** Adds the options that describe the system; `others` tells what else `--set` sets. */
export function addSystemOptions(command: Command, others = ''): Command {
  const presets = z.enum(['literal', 'calibrated', 'pilot']);
  command
    .addOption(
      option('--preset <name>', 'constants: literal (as printed), calibrated or pilot (default: calibrated)', presets),
    )
    .option('--config <file>', 'JSON with "preset" and any fields of the configuration; options go before it')
    .option(
      '--set <field=value>',
      `any field of the configuration${others}; may be repeated`,
      (text: string, all: readonly string[] | undefined) => [...(all ?? []), text],
    );
  for (const [name, field] of Object.entries(optionFields)) {
    const [schema]: readonly [z.ZodType, ...unknown[]] = configFields[field];
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    command.addOption(option(`--${flag} <value>`, helpOf(field), schema));
  }
  return addTraceOptions(command).addHelpText('after', fieldList);
}

export interface System extends TracedSystem {
  readonly preset: Preset;
}

/**
 * Reads configuration and trace; an option goes before the configuration file's field, that before the preset.
 *
 * @param trained the system of a training, of which the options change only what they name: fields, with those that they
 *   bring along, and of a named preset the fields in which presets differ.
 * @throws UserError naming option or file, field, value and the allowed values.
 */
export function readSystem(options: SystemOptions, trained?: SystemConfig): System {
  const file = options.config === undefined ? { fields: {} } : readFields(options.config);
  const given = options.preset ?? file.preset;
  const preset = given ?? 'calibrated';
  const fields = { ...file.fields, ...optionValues(options) };
  const base = given === undefined ? trained : { ...trained, calibration: undefined, ...presetFields(given) };
  const all = trained === undefined ? fields : { ...base, ...withCompanions(fields, base?.calibration) };
  const config = systemConfig(preset, all, options.config === undefined ? 'options' : `options over ${options.config}`);
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

/** The fields that options set, each by one option. */
function optionValues(options: SystemOptions): Partial<SystemConfig> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options))
    if (Object.hasOwn(optionFields, name)) values[optionFields[name]] = value;
  const sigma = values['predictionSigma'];
  if (sigma !== undefined) values['predictionError'] = sigma === 0 ? 'none' : 'lognormal';
  if (sigma === 0) delete values['predictionSigma'];
  for (const [field, text] of (options.set ?? []).map(assignment)) {
    if (!isField(field)) throw invalid('--set', field, `one of ${fields.join(', ')}`);
    if (field in values) throw new UserError(`${field} is given twice; allowed: once, by --set or by its option`);
    const [schema]: readonly [z.ZodType, ...unknown[]] = configFields[field];
    values[field] = reader(`--set ${field}`, schema)(text);
  }
  return values;
}
