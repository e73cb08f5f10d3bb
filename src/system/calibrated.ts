import { dataJson } from '../core/files';
import type { Calibration, SystemConfig } from './config';

/** The three GPUs of Section V. */
export type GpuName = 'rtx3080' | 'rtx3090' | 'rtx4090';

/** The free constants that the paper does not print [C]; data, in data/calibrated.json, made by the command it names. */
export interface Calibrated extends Pick<
  SystemConfig,
  'kvPoolFraction' | 'prefillSlowdown' | 'sigmaInput' | 'sigmaOutput' | 'balanceUnit'
> {
  /** The command that made the file. */
  readonly command: string;
  readonly note: string;
  /** τ_0 per GPU, s: an iteration with an empty pool. */
  readonly tau0Seconds: Readonly<Record<GpuName, number>>;
  /** τ_1, s: what a full pool adds; one for all GPUs or one each. */
  readonly tau1Seconds: number | Readonly<Record<GpuName, number>>;
  /** The exponent of the growth in between: τ_0 + τ_1·x^exponent. */
  readonly exponent: number;
}

/**
 * A calibration that comes with the package, `data/<name>.json`.
 *
 * @param name default: the calibration of the presets `literal` and `calibrated`.
 */
export function calibrated(name: Calibration = 'calibrated'): Calibrated {
  return dataJson(`${name}.json`) as Calibrated;
}
