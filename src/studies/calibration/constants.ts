/** The constants that the paper does not print: the ranges in which a search looks, and the values that are shipped. */
import { type Calibrated, calibrated } from '../../system/gpus';

/** Name of a free constant. */
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

/** The range of a constant. */
export interface Range {
  /** As it is written, with its unit, in the HTML of Plotly. */
  readonly symbol: string;
  readonly least: number;
  readonly greatest: number;
  /** Whether it is drawn evenly on a logarithmic scale. */
  readonly isLog: boolean;
}

/** The ranges of the search, in the order in which the constants are drawn. */
export const ranges: Readonly<Record<ConstantName, Range>> = {
  kvPoolFraction: { symbol: 'κ', least: 1 / 500, greatest: 1 / 100, isLog: true },
  prefillSlowdown: { symbol: 'w', least: 0, greatest: 0.6, isLog: false },
  sigmaInput: { symbol: 'σ<sub>in</sub>', least: 0.3, greatest: 1, isLog: false },
  sigmaOutput: { symbol: 'σ<sub>out</sub>', least: 0.1, greatest: 0.6, isLog: false },
  // τ_0, an iteration with an empty pool.
  tau0Rtx3080: { symbol: 'τ<sub>0</sub>, 3080 [s]', least: 0.005, greatest: 0.02, isLog: true },
  tau0Rtx3090: { symbol: 'τ<sub>0</sub>, 3090 [s]', least: 0.005, greatest: 0.02, isLog: true },
  tau0Rtx4090: { symbol: 'τ<sub>0</sub>, 4090 [s]', least: 0.004, greatest: 0.016, isLog: true },
  // τ_1/τ_0, the share that a full pool adds.
  slowdown: { symbol: 'τ<sub>1</sub>/τ<sub>0</sub>', least: 0.05, greatest: 3, isLog: true },
  exponent: { symbol: 'exponent p', least: 1, greatest: 3, isLog: false },
  balanceUnit: { symbol: 'unit of Y and Z', least: 0.1, greatest: 1, isLog: true },
};

/** All constants, in the order in which they are drawn. */
export const constantNames: readonly ConstantName[] = Object.keys(ranges) as ConstantName[];

/** The units of Y and Z among which a search chooses: as printed, and two smaller ones. */
export const units: readonly number[] = [1, 0.3, 0.1];

/** The constants that a search draws unless told otherwise: all but the balance unit, whose three values take turns. */
export const fittedByDefault: readonly ConstantName[] = constantNames.filter((name) => name !== 'balanceUnit');

/** The constants where every search begins, those of data/pilot.json. They are fixed: a search does not change them. */
export const pilotConstants: Constants = {
  kvPoolFraction: 1 / 218,
  prefillSlowdown: 0.2,
  sigmaInput: 0.4,
  sigmaOutput: 0.15,
  tau0Rtx3080: 0.012,
  tau0Rtx3090: 0.011,
  tau0Rtx4090: 0.0095,
  slowdown: 0.3,
  exponent: 1.8,
  balanceUnit: 1,
};

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

/** The place of a value in its range, 0 to 1, on the scale on which it is drawn. */
export function placeOf({ least, greatest, isLog }: Range, value: number): number {
  return isLog ? Math.log(value / least) / Math.log(greatest / least) : (value - least) / (greatest - least);
}

/** The value at a place of a range, with four significant digits. */
export function valueAt({ least, greatest, isLog }: Range, place: number): number {
  const value = isLog ? least * (greatest / least) ** place : least + place * (greatest - least);
  return Number(value.toPrecision(4));
}
