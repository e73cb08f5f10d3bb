/** The constants that the paper does not print: the ranges in which a search looks, and the values that are shipped. */
import { type Calibrated, calibrated } from '../../system/calibrated';

/** Name of a free constant. */
export type ConstantName =
  | 'kvPoolFraction'
  | 'prefillSlowdown'
  | 'sigmaInput'
  | 'sigmaOutput'
  | 'tau0Rtx3080'
  | 'tau0Rtx3090'
  | 'tau0Rtx4090'
  | 'tau1'
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
  kvPoolFraction: { symbol: 'κ', least: 1 / 500, greatest: 1 / 60, isLog: true },
  prefillSlowdown: { symbol: 'w', least: 0, greatest: 0.6, isLog: false },
  sigmaInput: { symbol: 'σ<sub>in</sub>', least: 0.3, greatest: 1, isLog: false },
  sigmaOutput: { symbol: 'σ<sub>out</sub>', least: 0.15, greatest: 0.6, isLog: false },
  // τ_0, an iteration with an empty pool.
  tau0Rtx3080: { symbol: 'τ<sub>0</sub>, 3080 [s]', least: 0.005, greatest: 0.02, isLog: true },
  tau0Rtx3090: { symbol: 'τ<sub>0</sub>, 3090 [s]', least: 0.005, greatest: 0.02, isLog: true },
  tau0Rtx4090: { symbol: 'τ<sub>0</sub>, 4090 [s]', least: 0.004, greatest: 0.016, isLog: true },
  // τ_1, which a full pool adds.
  tau1: { symbol: 'τ<sub>1</sub> [s]', least: 0.0005, greatest: 0.03, isLog: true },
  exponent: { symbol: 'exponent p', least: 1, greatest: 3, isLog: false },
  balanceUnit: { symbol: 'unit of Y and Z', least: 0.01, greatest: 1, isLog: true },
};

/** All constants, in the order in which they are drawn. */
export const constantNames: readonly ConstantName[] = Object.keys(ranges) as ConstantName[];

/**
 * The constants that are free by default: all but the balance unit. A greedy that balances request by request stays
 * below ε whatever the unit, so that the objective does not tell one from another (see `sensitivities`).
 */
export const fittedByDefault: readonly ConstantName[] = constantNames.filter((name) => name !== 'balanceUnit');

/** The constants of a first pilot, where every search begins. They are fixed: results of a search do not change them. */
export const pilotConstants: Constants = {
  kvPoolFraction: 0.008,
  prefillSlowdown: 0.3,
  sigmaInput: 0.8,
  sigmaOutput: 0.3,
  tau0Rtx3080: 0.012,
  tau0Rtx3090: 0.0095,
  tau0Rtx4090: 0.007,
  tau1: 0.0075,
  exponent: 1,
  balanceUnit: 0.1,
};

/** The constants as they are shipped. */
export function presentConstants(shipped: Calibrated = calibrated()): Constants {
  const { kvPoolFraction, prefillSlowdown, sigmaInput, sigmaOutput, tau0Seconds, tau1Seconds } = shipped;
  return {
    kvPoolFraction,
    prefillSlowdown,
    sigmaInput,
    sigmaOutput,
    tau0Rtx3080: tau0Seconds.rtx3080,
    tau0Rtx3090: tau0Seconds.rtx3090,
    tau0Rtx4090: tau0Seconds.rtx4090,
    tau1: typeof tau1Seconds === 'number' ? tau1Seconds : tau1Seconds.rtx3090,
    exponent: shipped.exponent,
    balanceUnit: shipped.balanceUnit,
  };
}

/** The constants in the form of data/calibrated.json. */
export function toCalibrated(constants: Constants, command: string): Calibrated {
  const { kvPoolFraction, prefillSlowdown, sigmaInput, sigmaOutput, exponent, balanceUnit } = constants;
  return {
    command,
    note: calibrated().note,
    kvPoolFraction,
    prefillSlowdown,
    sigmaInput,
    sigmaOutput,
    tau0Seconds: {
      rtx3080: constants.tau0Rtx3080,
      rtx3090: constants.tau0Rtx3090,
      rtx4090: constants.tau0Rtx4090,
    },
    tau1Seconds: constants.tau1,
    exponent,
    balanceUnit,
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
