import { tableOne } from '../../system/presets';
import { type ConstantName, type Constants, constantNames } from './constants';
import { score, targetsOf } from './objective';
import { DEFAULT_SLOTS } from './search';
import { type Loads, trialRuns } from './trial';

/** The objective with less and with more of one constant. */
export interface Sensitivity {
  readonly name: ConstantName | 'pathLossDb';
  /** The step down and up. */
  readonly change: '±20 %' | '±10 dB';
  readonly less: number;
  readonly more: number;
}

/** The constants that `sensitivity` can change: the free ones, and the path loss, which is not fitted. */
export const sensitive: readonly (ConstantName | 'pathLossDb')[] = [...constantNames, 'pathLossDb'];

/** The objective with one constant 20 % down and up, the others held; the path loss by 10 dB. */
export function sensitivity(
  name: ConstantName | 'pathLossDb',
  constants: Constants,
  reading: Loads,
  seed: number,
  slots: number = DEFAULT_SLOTS,
): Sensitivity {
  const objective = (changed: Constants, system = {}): number =>
    score(trialRuns(changed, slots, seed, system), targetsOf(reading)).objective;
  if (name === 'pathLossDb') {
    const { pathLossDb } = tableOne('calibrated');
    const by = (dB: number): number => objective(constants, { pathLossDb: pathLossDb + dB });
    return { name, change: '±10 dB', less: by(-10), more: by(10) };
  }
  const by = (factor: number): number => objective({ ...constants, [name]: factor * constants[name] });
  return { name, change: '±20 %', less: by(0.8), more: by(1.2) };
}
