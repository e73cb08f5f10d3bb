import { z } from 'zod';
import { aboveZero, belowOne, between, integer, nonNegative, oneOf, positive, text } from '../core/schema';
import type { SystemConfig } from './config';

const range = (bound: z.ZodType<number>, allowed: string): z.ZodType<readonly [number, number]> =>
  z.tuple([bound, bound], allowed).refine(([lowest, highest]) => lowest <= highest, `${allowed}, lowest <= highest`);

export const MOST_SLOTS = 1_000_000_000;

/** The check of a field, its sentence for the command line's help, and its default where it is the same in every preset. */
type Field<T> = readonly [check: z.ZodType<T>, sentence: string, standard?: T];

export const configFields: { readonly [Name in keyof SystemConfig]-?: Field<SystemConfig[Name]> } = {
  users: [integer(1, 1_000_000), 'U, mobile users; each issues one request per slot', 40],
  servers: [integer(1, 10_000), 'S, edge servers', 8],
  slots: [integer(1, MOST_SLOTS), 'T, slots with arrivals', 800],
  slotSeconds: [positive, 'Δ, the length of a slot, s', 1],
  mix: [oneOf('Hom', 'Mod', 'Het'), 'GPUs of the servers: Hom, Mod or Het', 'Mod'],
  gpus: [
    z
      .array(text('the name of a GPU'), 'a list of GPU names, one per server')
      .min(1, 'at least one GPU name')
      .optional(),
    'GPUs one by one instead of a mix, between commas',
  ],
  gpuProfilesFile: [
    text('the path of a CSV file').optional(),
    'CSV of measured GPUs: gpu,memoryGB,prefillTokensPerSecond,kvBytes,iterationsPerSecond',
  ],
  calibration: [oneOf('calibrated', 'pilot').optional(), "calibration of the GPUs' decode curves: calibrated or pilot"],
  kvPoolFraction: [aboveZero, 'κ, the share of GPU memory that is the KV pool'],
  kvKilobytesPerToken: [positive, 'α, KV cache per token, KB', 16],
  bitsPerToken: [positive, 'β, bits sent per input token', 16],
  prefillSlowdown: [belowOne, 'w, the share of decode speed that a running prefill takes'],
  batching: [oneOf('deed', 'static'), 'decoding: deed or static', 'deed'],
  oversized: [oneOf('error', 'reject'), 'requests that no pool can hold: reject (they are counted) or error', 'reject'],
  bandwidthMHz: [range(positive, 'two finite numbers > 0, MHz'), 'B, lowest and highest of a server, MHz', [6, 14]],
  txPowerDbm: [
    range(between(-100, 100), 'two numbers from -100 to 100, dBm'),
    'p, lowest and highest of a user, dBm',
    [15, 25],
  ],
  noiseDbmPerHz: [between(-300, 0), 'N_0, dBm/Hz', -174],
  pathLossDb: [between(0, 300), 'path loss at 1 km, dB', 128.1],
  pathLossDbPerDecade: [between(0, 100), 'path loss per decade of distance, dB', 37.6],
  fading: [oneOf('none', 'rayleigh'), 'small-scale fading: none or rayleigh', 'rayleigh'],
  areaMeters: [
    z.tuple([positive, positive], 'two finite numbers > 0, m'),
    'width and height of the service area, m',
    [200, 200],
  ],
  stepMeters: [nonNegative, 'longest step of a user per slot in each direction, m', 5],
  lengths: [oneOf('paper', 'lmsys-like'), 'request lengths: paper or lmsys-like (heavy-tailed)', 'paper'],
  lengthsFile: [text('the path of a CSV file').optional(), 'CSV of requests whose pairs of lengths are drawn instead'],
  meanInputTokens: [between(1, 1_000_000), 'mean input length, tokens', 70],
  meanOutputTokens: [between(1, 1_000_000), 'mean output length, tokens', 215],
  sigmaInput: [between(0, 5), 'spread of ln(input length)'],
  sigmaOutput: [between(0, 5), 'spread of ln(output length)'],
  predictionError: [oneOf('none', 'lognormal'), 'error of predicted output lengths: none or lognormal', 'none'],
  predictionSigma: [between(0, 5), 'spread of ln(predicted/true output length)', 0.3],
  stateDelaySlots: [integer(0, 1000).optional(), "age of the servers' state that a scheduler sees, slots"],
  admission: [
    oneOf('predicted-length', 'true-length').optional(),
    'length by which a server admits a request: predicted-length or true-length',
  ],
  balanceTolerance: [positive, 'ε, tolerance of the mean deviation Y', 0.01],
  balanceUnit: [positive, 'unit of Y and Z in the drift-plus-penalty'],
  latencyWeight: [nonNegative, 'ν, weight of latency against balance', 0.5],
};

const columns = Object.entries(configFields) as [string, Field<unknown>][];

export const configSchema: z.ZodType<SystemConfig> = z.strictObject(
  Object.fromEntries(columns.map(([name, [check]]) => [name, check])),
) as z.ZodType as z.ZodType<SystemConfig>;

/** The defaults that are the same in every preset. */
export const standards: Partial<SystemConfig> = Object.fromEntries(
  columns.flatMap(([name, [, , standard]]) => (standard === undefined ? [] : [[name, standard]])),
);
