import type { Admission, Batching } from './scenario';

/** Hardware mixes of Section V: homogeneous, moderate, heterogeneous. */
export type Mix = 'Hom' | 'Mod' | 'Het';

/** Which constants: as printed in the paper, or with its free constants fitted to the published numbers. */
export type Preset = 'literal' | 'calibrated' | 'pilot';

/** A file of free constants in data/. */
export type Calibration = 'calibrated' | 'pilot';

/**
 * Table I and the free constants of the model, one flat record. Units with a brand name (dBm, MHz, GB, KB) stand only
 * here; inside the library all is SI. config-fields.ts has the limits and the defaults.
 */
export interface SystemConfig {
  /** U, mobile users; each issues one request per slot. Default 40. */
  readonly users: number;
  /** S, edge servers. Default 8. */
  readonly servers: number;
  /** T, slots with arrivals; afterwards the servers run until nothing is left. Default 800. */
  readonly slots: number;
  /** Δ, s. Default 1. */
  readonly slotSeconds: number;
  /** The servers' GPUs, in the proportions of Section V. Default 'Mod'. */
  readonly mix: Mix;
  /** Names of GPU profiles, one per server, instead of a mix. */
  readonly gpus?: readonly string[] | undefined;
  /** A CSV of GPU profiles to use instead of the preset's. */
  readonly gpuProfilesFile?: string | undefined;
  /** The calibration of the preset GPUs' decode curves. Absent: 'calibrated'. */
  readonly calibration?: Calibration | undefined;
  /** κ, the share of GPU memory that is the KV pool. literal 1; calibrated from data/. */
  readonly kvPoolFraction: number;
  /** α, KV cache per token, KB (decimal). Default 16. */
  readonly kvKilobytesPerToken: number;
  /** β, bits sent per input token. Default 16. */
  readonly bitsPerToken: number;
  /** w, the share of decode speed that a running prefill takes, in [0, 1). */
  readonly prefillSlowdown: number;
  /** DEED or batch-at-a-time decoding. Default 'deed'. */
  readonly batching: Batching;
  /** The treatment of a request that no pool can hold. Default 'reject': it is counted. */
  readonly oversized: 'error' | 'reject';
  /** B_s, MHz: lowest and highest; servers are drawn uniformly between. Default [6, 14]. */
  readonly bandwidthMHz: readonly [number, number];
  /** p_i, dBm: lowest and highest; users are drawn uniformly between. Default [15, 25]. */
  readonly txPowerDbm: readonly [number, number];
  /** N_0, dBm/Hz. Default −174. */
  readonly noiseDbmPerHz: number;
  /** Path loss at 1 km, dB. Default 128.1. */
  readonly pathLossDb: number;
  /** Path loss per decade of distance, dB. Default 37.6. */
  readonly pathLossDbPerDecade: number;
  /** Small-scale fading of a link. Default 'rayleigh'. */
  readonly fading: 'none' | 'rayleigh';
  /** Width and height of the service area, m. Default [200, 200]. */
  readonly areaMeters: readonly [number, number];
  /** Longest step of a user per slot in each direction, m. Default 5. */
  readonly stepMeters: number;
  /** Request lengths. Default 'paper'. */
  readonly lengths: 'paper' | 'lmsys-like';
  /**
   * A CSV of requests (own, Azure LLM inference or BurstGPT columns); a pair of lengths is drawn uniformly per user and
   * slot. A relative path is looked up from where the command runs, then in the package's data/. It sets the means unless
   * they are given too.
   */
  readonly lengthsFile?: string | undefined;
  /** Mean l_in, tokens; refused if whole lengths with the spread below cannot have it. Default 70. */
  readonly meanInputTokens: number;
  /** Mean l_out, tokens; as above. Default 215. */
  readonly meanOutputTokens: number;
  /** Spread of ln l_in (log-normal). */
  readonly sigmaInput: number;
  /** Spread of ln l_out (log-normal). */
  readonly sigmaOutput: number;
  /** Error of the predicted output length. Default 'none'. */
  readonly predictionError: 'none' | 'lognormal';
  /** Spread of ln(l̂/l) when predictionError is 'lognormal'. Default 0.3. */
  readonly predictionSigma: number;
  /**
   * Slots by which a scheduler sees the servers late, Z included; the slot's requests and links are seen as they are.
   * Before so many slots have passed it sees the first slot's. Absent: 0.
   */
  readonly stateDelaySlots?: number | undefined;
  /** The length by which a server admits a request to the KV pool. Absent: 'predicted-length'. */
  readonly admission?: Admission | undefined;
  /** ε, tolerance of the long-run mean of Y_s. Default 0.01. */
  readonly balanceTolerance: number;
  /** Unit of Y and Z in the drift-plus-penalty: 1 as printed; less, so that balance weighs against seconds. */
  readonly balanceUnit: number;
  /** ν, weight of latency against balance. Default 0.5. */
  readonly latencyWeight: number;
}
