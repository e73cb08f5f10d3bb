import { z } from 'zod';
import { aboveZero, belowOne, between, integer, nonNegative, oneOf, positive, text } from '../core/schema';
import type { SystemConfig } from './config';

const range = (bound: z.ZodType<number>, allowed: string): z.ZodType<readonly [number, number]> =>
  z.tuple([bound, bound], allowed).refine(([lowest, highest]) => lowest <= highest, `${allowed}, lowest <= highest`);

export const MOST_SLOTS = 1_000_000_000;

/**
 * The check of each field of a configuration, with the sentence that the command line's help prints; a field's unit and
 * its sources are documented at {@link SystemConfig}.
 */
export const configFields: { readonly [Field in keyof SystemConfig]-?: z.ZodType<SystemConfig[Field]> } = {
  users: integer(1, 1_000_000).describe('U, mobile users; each issues one request per slot'),
  servers: integer(1, 10_000).describe('S, edge servers'),
  slots: integer(1, MOST_SLOTS).describe('T, slots with arrivals'),
  slotSeconds: positive.describe('Δ, the length of a slot, s'),
  mix: oneOf('Hom', 'Mod', 'Het').describe('GPUs of the servers: Hom, Mod or Het'),
  gpus: z
    .array(text('the name of a GPU'), 'a list of GPU names, one per server')
    .min(1, 'at least one GPU name')
    .optional()
    .describe('GPUs one by one instead of a mix, between commas'),
  gpuProfilesFile: text('the path of a CSV file')
    .optional()
    .describe('CSV of measured GPUs: gpu,memoryGB,prefillTokensPerSecond,kvBytes,iterationsPerSecond'),
  calibration: oneOf('calibrated', 'pilot')
    .optional()
    .describe("calibration of the GPUs' decode curves: calibrated or pilot"),
  kvPoolFraction: aboveZero.describe('κ, the share of GPU memory that is the KV pool'),
  kvKilobytesPerToken: positive.describe('α, KV cache per token, KB'),
  bitsPerToken: positive.describe('β, bits sent per input token'),
  prefillSlowdown: belowOne.describe('w, the share of decode speed that a running prefill takes'),
  batching: oneOf('deed', 'static').describe('decoding: deed or static'),
  oversized: oneOf('error', 'reject').describe('requests that no pool can hold: reject (they are counted) or error'),
  bandwidthMHz: range(positive, 'two finite numbers > 0, MHz').describe('B, lowest and highest of a server, MHz'),
  txPowerDbm: range(between(-100, 100), 'two numbers from -100 to 100, dBm').describe(
    'p, lowest and highest of a user, dBm',
  ),
  noiseDbmPerHz: between(-300, 0).describe('N_0, dBm/Hz'),
  pathLossDb: between(0, 300).describe('path loss at 1 km, dB'),
  pathLossDbPerDecade: between(0, 100).describe('path loss per decade of distance, dB'),
  fading: oneOf('none', 'rayleigh').describe('small-scale fading: none or rayleigh'),
  areaMeters: z
    .tuple([positive, positive], 'two finite numbers > 0, m')
    .describe('width and height of the service area, m'),
  stepMeters: nonNegative.describe('longest step of a user per slot in each direction, m'),
  lengths: oneOf('paper', 'lmsys-like').describe('request lengths: paper or lmsys-like (heavy-tailed)'),
  lengthsFile: text('the path of a CSV file')
    .optional()
    .describe('CSV of requests whose pairs of lengths are drawn instead'),
  meanInputTokens: between(1, 1_000_000).describe('mean input length, tokens'),
  meanOutputTokens: between(1, 1_000_000).describe('mean output length, tokens'),
  sigmaInput: between(0, 5).describe('spread of ln(input length)'),
  sigmaOutput: between(0, 5).describe('spread of ln(output length)'),
  predictionError: oneOf('none', 'lognormal').describe('error of predicted output lengths: none or lognormal'),
  predictionSigma: between(0, 5).describe('spread of ln(predicted/true output length)'),
  stateDelaySlots: integer(0, 1000).optional().describe('slots by which a scheduler sees the servers late'),
  admission: oneOf('predicted-length', 'true-length')
    .optional()
    .describe('length by which a server admits a request: predicted-length or true-length'),
  balanceTolerance: positive.describe('ε, tolerance of the mean deviation Y'),
  balanceUnit: positive.describe('unit of Y and Z in the drift-plus-penalty'),
  latencyWeight: nonNegative.describe('ν, weight of latency against balance'),
};

export const configSchema: z.ZodType<SystemConfig> = z.strictObject(configFields);
