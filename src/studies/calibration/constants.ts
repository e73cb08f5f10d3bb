/** The constants that the paper does not print: the ranges in which a search looks, and the values that are shipped. */
import { type Calibrated, calibrated } from '../../system/gpus';

export type ConstantName =
  | 'kvPoolFraction'
  | 'prefillSlowdown'
  | 'sigmaInput'
  | 'sigmaOutput'
  | 'tau0Rtx3080'
  | 'tau0Rtx3090'
  | 'tau0Rtx4090'
  | 'slowdown'
  | 'exponent'
  | 'balanceUnit';

/** The free constants, one flat record of numbers; times in seconds. */
export type Constants = Readonly<Record<ConstantName, number>>;

export interface Range {
  readonly least: number;
  readonly greatest: number;
  /** Whether it is drawn evenly on a logarithmic scale. */
  readonly isLog: boolean;
  /** Where every search begins: fixed, a search does not change it. */
  readonly pilot: number;
}

/** The ranges of the search, in the order in which the constants are drawn. */
export const ranges: Readonly<Record<ConstantName, Range>> = {
  kvPoolFraction: { least: 1 / 500, greatest: 1 / 100, isLog: true, pilot: 1 / 218 },
  prefillSlowdown: { least: 0, greatest: 0.6, isLog: false, pilot: 0.2 },
  sigmaInput: { least: 0.3, greatest: 1, isLog: false, pilot: 0.4 },
  sigmaOutput: { least: 0.1, greatest: 0.6, isLog: false, pilot: 0.15 },
  // τ_0, an iteration with an empty pool.
  tau0Rtx3080: { least: 0.005, greatest: 0.02, isLog: true, pilot: 0.012 },
  tau0Rtx3090: { least: 0.005, greatest: 0.02, isLog: true, pilot: 0.011 },
  tau0Rtx4090: { least: 0.004, greatest: 0.016, isLog: true, pilot: 0.0095 },
  // τ_1/τ_0, the share that a full pool adds.
  slowdown: { least: 0.05, greatest: 3, isLog: true, pilot: 0.3 },
  exponent: { least: 1, greatest: 3, isLog: false, pilot: 1.8 },
  balanceUnit: { least: 0.1, greatest: 1, isLog: true, pilot: 1 },
};

/** All constants, in the order in which they are drawn. */
export const constantNames: readonly ConstantName[] = Object.keys(ranges) as ConstantName[];

/** The units of Y and Z among which a search chooses: as printed, and two smaller ones. */
export const units: readonly number[] = [1, 0.3, 0.1];

/** The constants where every search begins. */
export const pilotConstants: Constants = Object.fromEntries(
  constantNames.map((name) => [name, ranges[name].pilot]),
) as Constants;

/** The constants in the form of data/calibrated.json. */
export function toCalibrated(constants: Constants, command: string): Calibrated {
  const { tau0Rtx3080: rtx3080, tau0Rtx3090: rtx3090, tau0Rtx4090: rtx4090, slowdown, ...others } = constants;
  return {
    command,
    note: calibrated().note,
    ...others,
    tau0Seconds: { rtx3080, rtx3090, rtx4090 },
    tau1Seconds: { rtx3080: slowdown * rtx3080, rtx3090: slowdown * rtx3090, rtx4090: slowdown * rtx4090 },
  };
}
