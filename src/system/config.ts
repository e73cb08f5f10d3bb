import type { Admission, Batching } from './scenario';

/** Hardware mixes of Section V: homogeneous, moderate, heterogeneous. */
export type Mix = 'Hom' | 'Mod' | 'Het';

/** Which constants: as printed in the paper, or with its free constants fitted to the published numbers. */
export type Preset = 'literal' | 'calibrated' | 'pilot';

/** A file of free constants in data/. */
export type Calibration = 'calibrated' | 'pilot';

/**
 * Table I and the free constants of the model, one flat record. Units with a brand name (dBm, MHz, GB, KB) stand only
 * here; inside the library all is SI. config-fields.ts has each field's meaning, unit, limits and default.
 */
export interface SystemConfig {
  readonly users: number;
  readonly servers: number;
  /** Afterwards the servers run until nothing is left. */
  readonly slots: number;
  readonly slotSeconds: number;
  /** The GPUs are in the proportions of Section V. */
  readonly mix: Mix;
  readonly gpus?: readonly string[] | undefined;
  readonly gpuProfilesFile?: string | undefined;
  /** Absent: 'calibrated'. */
  readonly calibration?: Calibration | undefined;
  /** literal 1; calibrated from data/. */
  readonly kvPoolFraction: number;
  readonly kvKilobytesPerToken: number;
  readonly bitsPerToken: number;
  readonly prefillSlowdown: number;
  readonly batching: Batching;
  readonly oversized: 'error' | 'reject';
  /** Servers are drawn uniformly between the two. */
  readonly bandwidthMHz: readonly [number, number];
  /** Users are drawn uniformly between the two. */
  readonly txPowerDbm: readonly [number, number];
  readonly noiseDbmPerHz: number;
  readonly pathLossDb: number;
  readonly pathLossDbPerDecade: number;
  readonly fading: 'none' | 'rayleigh';
  readonly areaMeters: readonly [number, number];
  readonly stepMeters: number;
  readonly lengths: 'paper' | 'lmsys-like';
  /**
   * With own, Azure LLM inference or BurstGPT columns; a pair is drawn uniformly per user and slot. A relative path is
   * looked up from where the command runs, then in the package's data/. It sets the means unless they are given too.
   */
  readonly lengthsFile?: string | undefined;
  /** The means are refused if whole lengths with the spreads cannot have them. */
  readonly meanInputTokens: number;
  readonly meanOutputTokens: number;
  /** Lengths are log-normal. */
  readonly sigmaInput: number;
  readonly sigmaOutput: number;
  readonly predictionError: 'none' | 'lognormal';
  /** Used when predictionError is 'lognormal'. */
  readonly predictionSigma: number;
  /**
   * The servers, Z included, are seen late; the slot's requests and links are seen as they are. Before so many slots have
   * passed a scheduler sees the first slot's. Absent: 0.
   */
  readonly stateDelaySlots?: number | undefined;
  /** Absent: 'predicted-length'. */
  readonly admission?: Admission | undefined;
  readonly balanceTolerance: number;
  /** 1 as printed; less, so that balance weighs against seconds. literal 1; calibrated from data/. */
  readonly balanceUnit: number;
  readonly latencyWeight: number;
}
