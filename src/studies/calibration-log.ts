/** What `lyreo calibrate` has stored in data/calibration. */
import { join } from 'node:path';
import { dataFile } from '../core/files';
import { readJsonLog } from '../core/json-log';
import type { UnitTraining } from './balance-unit';
import { type Candidate, type ConstantName, type Target, placeOf, ranges } from './calibrate';

/** A search with all its candidates. */
export interface StoredSearch {
  readonly seed: number;
  /** Slots of each run. */
  readonly slots: number;
  readonly free: readonly ConstantName[];
  readonly targets: readonly Target[];
  readonly candidates: readonly Candidate[];
}

/** The log of the search with a seed. */
export function storedSearch(seed: number): StoredSearch {
  const { header, lines } = readJsonLog<Candidate>(fileOf(`seed${seed}.jsonl`));
  return { ...(JSON.parse(header) as Omit<StoredSearch, 'candidates'>), candidates: lines };
}

/** The short trainings under several units of Y and Z, with what they have in common. */
export interface StoredUnits {
  readonly seed: number;
  readonly updates: number;
  readonly slots: number;
  readonly trainings: readonly UnitTraining[];
}

/** The log of the fit of the unit of Y and Z. */
export function storedUnits(): StoredUnits {
  const { header, lines } = readJsonLog<UnitTraining>(fileOf('balance-unit.jsonl'));
  const { seed, updates, slots } = JSON.parse(header) as Omit<StoredUnits, 'trainings'>;
  return { seed, updates, slots, trainings: lines };
}

/** The least objective up to each candidate. */
export function bestSoFar(candidates: readonly Candidate[]): number[] {
  let best = Infinity;
  return candidates.map(({ objective }) => (best = Math.min(best, objective)));
}

const fileOf = (name: string): string => join(dataFile('calibration'), name);

/** What candidates agree on. */
export interface Agreement {
  readonly name: ConstantName;
  /** Least and greatest value among them. */
  readonly least: number;
  readonly greatest: number;
  /** How much of the range of the search lies between, 0 to 1, on the scale on which it was drawn. */
  readonly share: number;
}

/** How far the values of each constant lie apart among some candidates, the most agreed first. */
export function agreement(candidates: readonly Candidate[], names: readonly ConstantName[]): Agreement[] {
  const of = (name: ConstantName): Agreement => {
    const values = candidates.map(({ constants }) => constants[name]);
    const [least, greatest] = [Math.min(...values), Math.max(...values)];
    return { name, least, greatest, share: placeOf(ranges[name], greatest) - placeOf(ranges[name], least) };
  };
  return names.map(of).sort((a, b) => a.share - b.share);
}
