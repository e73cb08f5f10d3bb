import type { Command } from 'commander';
import { UserError, invalid } from '../core/errors';
import { decimalNumber } from '../core/csv';
import { readTextFile } from '../core/files';
import { parseJson } from '../core/parse';
import type { LengthModel, Mix, Preset, SystemConfig } from '../system/config';
import { systemConfig } from '../system/presets';
import { readConfig } from '../system/read-config';
import { lengthPairs } from '../system/length-pairs';
import type { Batching } from '../system/scenario';
import { type Trace, readTrace } from '../system/trace';
import { type TraceLoad, traceLoad, traceSlots, traceWorkload } from '../system/trace-workload';
import type { Workload } from '../system/workload';
import { warn } from './console';
import { integerOption, listOption, numberOption, wordOption } from './options';

/** Options that describe the system; the same for every subcommand that runs it. */
export interface SystemOptions {
  readonly preset?: Preset;
  readonly config?: string;
  readonly mix?: Mix;
  readonly gpus?: readonly string[];
  readonly gpuProfiles?: string;
  readonly users?: number;
  readonly servers?: number;
  readonly slots?: number;
  readonly batching?: Batching;
  readonly lengths?: LengthModel;
  readonly predictionError?: number;
  readonly stateDelay?: number;
  readonly nu?: number;
  readonly oversized?: 'error' | 'reject';
  readonly trace?: string;
  readonly load?: TraceLoad;
  readonly from?: number;
}

const MOST_SLOTS = 1_000_000_000;
const nonNegative = (x: number): boolean => x >= 0;

/** Adds the options that describe the system. */
export function addSystemOptions(command: Command): Command {
  return command
    .option(
      '--preset <name>',
      'constants: literal (as printed) or calibrated (default: calibrated)',
      wordOption('--preset', ['literal', 'calibrated', 'pilot']),
    )
    .option('--config <file>', 'JSON with "preset" and any fields of the configuration; options go before it')
    .option('--mix <name>', 'GPUs: Hom, Mod or Het (default: Mod)', wordOption('--mix', ['Hom', 'Mod', 'Het']))
    .option('--gpus <names>', 'GPUs one by one instead of a mix, between commas', listOption('--gpus'))
    .option(
      '--gpu-profiles <file>',
      'CSV of measured GPUs: gpu,memoryGB,prefillTokensPerSecond,kvBytes,iterationsPerSecond',
    )
    .option('--users <n>', 'U; each issues one request per slot (default: 40)', integerOption('--users', 1, 1_000_000))
    .option('--servers <n>', 'S (default: 8)', integerOption('--servers', 1, 10_000))
    .option('--slots <n>', 'T (default: 800, or as long as the trace)', integerOption('--slots', 1, MOST_SLOTS))
    .option('--batching <name>', 'deed or static (default: deed)', wordOption('--batching', ['deed', 'static']))
    .option(
      '--lengths <name>',
      'paper or lmsys-like, heavy-tailed (default: paper)',
      wordOption('--lengths', ['paper', 'lmsys-like']),
    )
    .option(
      '--prediction-error <sigma>',
      'spread of ln(predicted/true output length) (default: 0)',
      numberOption('--prediction-error', 'a number from 0 to 5', (x) => x >= 0 && x <= 5),
    )
    .option(
      '--state-delay <slots>',
      'age of what a scheduler sees of the servers (default: 0)',
      integerOption('--state-delay', 0, 1000),
    )
    .option(
      '--nu <weight>',
      'weight of latency against balance (default: 0.5)',
      numberOption('--nu', 'a finite number >= 0', nonNegative),
    )
    .option(
      '--oversized <what>',
      'requests no pool can hold: reject (counted) or error (default: reject)',
      wordOption('--oversized', ['error', 'reject']),
    )
    .option('--trace <file>', 'CSV of requests: own, Azure LLM inference or BurstGPT columns')
    .option(
      '--load <how>',
      'unscaled, per-user, thin:R or rescale:R, R requests per slot over the slots that are run (default: unscaled)',
      loadOption,
    )
    .option(
      '--from <slot>',
      'slot of the trace as recorded with which the run begins (default: 0)',
      integerOption('--from', 0, MOST_SLOTS),
    );
}

/** `unscaled`, `per-user`, `thin:R` or `rescale:R`. */
function loadOption(text: string): TraceLoad {
  if (text === 'unscaled' || text === 'per-user') return { kind: text };
  const kind = (['thin', 'rescale'] as const).find((word) => text.startsWith(`${word}:`));
  if (kind !== undefined) {
    const requestsPerSlot = decimalNumber(text.slice(kind.length + 1));
    if (requestsPerSlot > 0 && Number.isFinite(requestsPerSlot)) return { kind, requestsPerSlot };
  }
  throw invalid('--load', text, 'unscaled, per-user, thin:R or rescale:R with R > 0 requests per slot');
}

/** The trace of a run. */
export interface TraceSummary extends Pick<Trace, 'name' | 'skipped' | 'outOfOrder'> {
  readonly load: string;
  /** The slot as recorded with which the run begins. */
  readonly from: number;
  /** In the file, but for the rows skipped. */
  readonly requests: number;
  /** Requests per slot as recorded. */
  readonly recordedPerSlot: number;
  /** Slots the trace fills under this load; null when it never ends. */
  readonly slots: number | null;
}

/** A system that the options describe. */
export interface System {
  readonly preset: Preset;
  readonly config: SystemConfig;
  /** A trace's, in which the seed decides what a load leaves out and who sends what; undefined: the configuration's. */
  readonly workload: ((seed: number) => Workload) | undefined;
  readonly trace: TraceSummary | undefined;
}

/**
 * Reads configuration and trace; an option goes before the configuration file's field, that before the preset.
 *
 * @throws UserError naming option or file, field, value and what is allowed.
 */
export function readSystem(options: SystemOptions): System {
  const alone = (['load', 'from'] as const).find((name) => options[name] !== undefined);
  if (alone !== undefined && options.trace === undefined)
    throw new UserError(`--${alone} is given without --trace; allowed: both, or neither`);
  const file = options.config === undefined ? {} : readFields(options.config);
  const preset = options.preset ?? file.preset ?? 'calibrated';
  const fields: Partial<SystemConfig> = { ...file.fields, ...overrides(options) };
  let config = systemConfig(
    preset,
    fields,
    options.config === undefined ? 'options' : `options over ${options.config}`,
  );
  if (options.trace === undefined) {
    warnOfLengths(config);
    return { preset, config, workload: undefined, trace: undefined };
  }

  const { from, load = { kind: 'unscaled' } } = options;
  const trace = readTrace(options.trace);
  const slots = traceSlots(trace, load, config.slotSeconds, from);
  if (fields.slots === undefined && Number.isFinite(slots)) {
    if (slots > MOST_SLOTS)
      throw invalid(
        `${options.trace}: its length`,
        `${String(slots)} slots`,
        `at most ${String(MOST_SLOTS)}, or --slots`,
      );
    config = { ...config, slots };
  }
  const workload = (seed: number): Workload => traceWorkload(trace, { ...config, from, load, seed });
  const summary: TraceSummary = {
    name: trace.name,
    load: load.kind === 'thin' || load.kind === 'rescale' ? `${load.kind}:${String(load.requestsPerSlot)}` : load.kind,
    from: from ?? 0,
    requests: trace.arrivalSeconds.length,
    skipped: trace.skipped,
    outOfOrder: trace.outOfOrder,
    recordedPerSlot: traceLoad(trace, config.slotSeconds),
    slots: Number.isFinite(slots) ? slots : null,
  };
  warnOfRows(trace);
  warnOfSlots(summary, config.slots);
  return { preset, config, workload, trace: summary };
}

/** Tells which rows of the configuration's file of lengths are left out. */
export function warnOfLengths({ lengthsFile }: SystemConfig): void {
  if (lengthsFile !== undefined) warnOfRows(lengthPairs(lengthsFile));
}

function warnOfRows({ name, skipped, outOfOrder }: Trace): void {
  for (const { reason, count } of skipped) warn(`${name}: ${String(count)} rows skipped, ${reason}`);
  if (outOfOrder > 0) warn(`${name}: ${String(outOfOrder)} rows were out of order and have been sorted`);
}

function warnOfSlots({ name, from, slots }: TraceSummary, wanted: number): void {
  if (slots === null) return;
  const begin = from === 0 ? '' : ` from slot ${String(from)} on`;
  if (wanted < slots) warn(`${name}: the first ${String(wanted)} of its ${String(slots)} slots${begin} are run`);
  if (wanted > slots)
    warn(`${name}: it fills ${String(slots)} slots${begin}, the other ${String(wanted - slots)} are empty`);
}

/** The file alone is checked first, so that its faults are told as the file's. */
function readFields(path: string): { preset?: Preset | undefined; fields?: Partial<SystemConfig> } {
  const text = readTextFile(path);
  readConfig(text, path);
  const { preset, ...fields } = parseJson(text, path) as { preset?: Preset } & Partial<SystemConfig>;
  return { preset, fields };
}

/**
 * The fields of the configuration that the options fix: those of the file and of the options, and where the presets
 * differ, those of the preset, if one is named.
 *
 * @throws UserError as `readSystem`.
 */
export function givenFields(options: SystemOptions): Partial<SystemConfig> {
  const file = options.config === undefined ? {} : readFields(options.config);
  const preset = options.preset ?? file.preset;
  const fields: Partial<SystemConfig> = { ...file.fields, ...overrides(options) };
  // Checks them, and brings along what belongs to them: the spreads of `lengths`, the means of its file, the servers of
  // `gpus`.
  const whole = systemConfig(preset ?? 'calibrated', fields, 'options');
  const presets = (['calibrated', 'literal', 'pilot'] as const).map((name) => systemConfig(name));
  const isFixed = (name: keyof SystemConfig): boolean =>
    name in fields ||
    (preset !== undefined && new Set(presets.map((config) => JSON.stringify(config[name]))).size > 1) ||
    (fields.gpus !== undefined && name === 'servers') ||
    (fields.lengths !== undefined && (name === 'sigmaInput' || name === 'sigmaOutput')) ||
    (fields.lengthsFile !== undefined && (name === 'meanInputTokens' || name === 'meanOutputTokens'));
  const names = (Object.keys(whole) as (keyof SystemConfig)[]).filter(isFixed);
  return Object.fromEntries(names.map((name) => [name, whole[name]]));
}

/** The options as fields of the configuration, those given. */
function overrides(options: SystemOptions): Partial<SystemConfig> {
  const { mix, gpus, gpuProfiles, users, servers, slots, batching, lengths, stateDelay, nu, oversized } = options;
  const sigma = options.predictionError;
  const given = {
    mix,
    gpus,
    gpuProfilesFile: gpuProfiles,
    users,
    servers,
    slots,
    batching,
    lengths,
    oversized,
    stateDelaySlots: stateDelay,
    latencyWeight: nu,
    ...(sigma === undefined
      ? {}
      : sigma === 0
        ? { predictionError: 'none' }
        : { predictionError: 'lognormal', predictionSigma: sigma }),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
