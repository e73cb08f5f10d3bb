import { join } from 'node:path';
import { dataFile } from '../../core/files';
import { readJsonLog, resumeJsonLog, writeJsonLog } from '../../core/json-log';
import { type Rng, createRng } from '../../core/rng';
import { mean } from '../../core/statistics';
import {
  type ConstantName,
  type Constants,
  type Range,
  constantNames,
  pilotConstants,
  ranges,
  units,
} from './constants';
import { bestReading, targetsOf } from './objective';
import { DEFAULT_NU, DEFAULT_SLOTS, type Loads, type TrialRun, loadReadings, trialRuns } from './trial';

export interface SearchOptions {
  readonly candidates: number;
  readonly seed: number;
  /** Slots of each run. Default 200. */
  readonly slots?: number | undefined;
  /** The constants that are drawn; default all but the balance unit, which takes turns. */
  readonly free?: readonly ConstantName[] | undefined;
  /** One JSON object per candidate; a candidate that stands there is not computed again. */
  readonly logFile?: string | undefined;
  readonly onCandidate?: ((candidate: Candidate, best: Candidate) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One line of a search's log. */
export interface Candidate {
  /** From 0: the pilot's constants. */
  readonly index: number;
  readonly constants: Constants;
  readonly runs: readonly TrialRun[];
  /** Under the reading of the loads that is best for these runs. */
  readonly objective: number;
  readonly reading: Loads;
}

/**
 * Random search with refinement, in turn for each unit of Y and Z. The first candidate of a unit has the pilot's
 * constants; of the others every fourth is drawn from the ranges, and the rest change about a third of the constants of
 * one of the unit's five best so far, in steps that shrink. Candidate n depends on seed, n and the candidates before it
 * alone, so that a search continues from its log as if it had never stopped.
 *
 * @returns all candidates, those of the log included.
 */
export async function search(options: SearchOptions): Promise<Candidate[]> {
  const { candidates, seed, slots = DEFAULT_SLOTS, logFile } = options;
  const { free = constantNames.filter((name) => name !== 'balanceUnit') } = options;
  const header = JSON.stringify({ seed, slots, free, targets: loadReadings.map(targetsOf) });
  const another = 'another search; allowed: the same seed, slots, free constants and targets, or another file';
  const found = logFile === undefined ? [] : resumeJsonLog<Candidate>(logFile, header, another);
  for (let index = found.length; index < candidates; index++) {
    await new Promise((resolve) => setImmediate(resolve));
    options.signal?.throwIfAborted();
    const constants = propose(index, found, free, createRng(seed).fork(`candidate ${index}`));
    const candidate = judged(index, constants, trialRuns(constants, slots, seed));
    found.push(candidate);
    if (logFile !== undefined) writeJsonLog(logFile, { header, lines: found });
    options.onCandidate?.(candidate, bestOf(found));
  }
  return found;
}

/** Some constants with their runs, judged under the best reading of the loads. */
export function judged(index: number, constants: Constants, runs: readonly TrialRun[]): Candidate {
  return { index, constants, runs, ...bestReading(runs) };
}

/** The candidate of the least objective. */
export function bestOf(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, candidate) => (candidate.objective < best.objective ? candidate : best));
}

/** The candidates of one unit of Y and Z, the best first. */
function rankedOf(candidates: readonly Candidate[], unit: number): Candidate[] {
  return candidates.filter(({ constants }) => constants.balanceUnit === unit).sort((a, b) => a.objective - b.objective);
}

function propose(index: number, before: readonly Candidate[], free: readonly ConstantName[], rng: Rng): Constants {
  const balanceUnit = units[index % units.length];
  const round = Math.floor(index / units.length);
  if (round === 0) return { ...pilotConstants, balanceUnit };
  const ranked = rankedOf(before, balanceUnit);
  const isFresh = round % 4 === 1;
  const parent = ranked[rng.int(Math.min(5, ranked.length))].constants;
  // A seventh of a range at first, half of it after 75 rounds.
  const step = 0.15 / Math.sqrt(1 + round / 25);
  const drawn = free.map((name): [ConstantName, number] => {
    if (!isFresh && rng.uniform() > 1 / 3) return [name, parent[name]];
    const place = isFresh ? rng.uniform() : placeOf(ranges[name], parent[name]) + step * rng.normal();
    return [name, valueAt(ranges[name], Math.min(1, Math.max(0, place)))];
  });
  const constants = { ...parent, ...Object.fromEntries(drawn) };
  // No GPU decodes faster than the next better one: without this the fit makes the 3080 the fastest of the three.
  const tau0Rtx3090 = Math.max(constants.tau0Rtx3090, constants.tau0Rtx4090);
  return { ...constants, tau0Rtx3090, tau0Rtx3080: Math.max(constants.tau0Rtx3080, tau0Rtx3090) };
}

/** The place of a value in its range, 0 to 1, on the scale on which it is drawn. */
function placeOf({ least, greatest, isLog }: Range, value: number): number {
  return isLog ? Math.log(value / least) / Math.log(greatest / least) : (value - least) / (greatest - least);
}

/** The value at a place of a range, with four significant digits. */
function valueAt({ least, greatest, isLog }: Range, place: number): number {
  const value = isLog ? least * (greatest / least) ** place : least + place * (greatest - least);
  return Number(value.toPrecision(4));
}

/**
 * Runs the six best candidates of each unit anew, for the paper's 800 slots and with three seeds; their numbers are means
 * over the seeds. The balance needs so many slots to settle.
 */
export function finals(candidates: readonly Candidate[]): Candidate[] {
  return units
    .flatMap((unit) => rankedOf(candidates, unit).slice(0, 6))
    .map(({ index, constants }) => judged(index, constants, meanRuns(constants)));
}

/** The longer runs of some constants, means over the seeds; overloaded where one seed is. */
function meanRuns(constants: Constants): TrialRun[] {
  const bySeed = [1, 2, 3].map((seed) => trialRuns(constants, 800, seed));
  return bySeed[0].map((first, i) => {
    const same = bySeed.map((runs) => runs[i]);
    const meanOf = (of: (run: TrialRun) => number): number => mean(same.map(of));
    return {
      ...first,
      latency: meanOf(({ latency }) => latency),
      p99: meanOf(({ p99 }) => p99),
      deviation: meanOf(({ deviation }) => deviation),
      highKvPercent: meanOf(({ highKvPercent }) => highKvPercent),
      queue: meanOf(({ queue }) => queue),
      overloaded: same.some(({ overloaded }) => overloaded),
    };
  });
}

/**
 * The calibration: the least objective among the finals whose latency rises with U, as Fig. 4(a) has it for every method.
 * A greedy that loses the balance at one load breaks this order, and its high-KV ratio there describes no steady state.
 */
export function calibration(found: readonly Candidate[]): Candidate {
  return bestOf(found.filter(risesWithUsers));
}

/** Whether the latency of LYREO's stand-in rises from each load to the next. */
export function risesWithUsers({ runs }: Candidate): boolean {
  const latencies = runs
    .filter(({ standIn, latencyWeight }) => standIn === 'LYREO' && latencyWeight === DEFAULT_NU)
    .sort((a, b) => a.users - b.users)
    .map(({ latency }) => latency);
  return latencies.every((latency, k) => k === 0 || latency > latencies[k - 1]);
}

/** A search that `lyreo calibrate` has stored in data/calibration, with all its candidates. */
export interface StoredSearch {
  readonly seed: number;
  /** Slots of each run. */
  readonly slots: number;
  readonly free: readonly ConstantName[];
  readonly candidates: readonly Candidate[];
}

/** The stored search with a seed. */
export function storedSearch(seed: number): StoredSearch {
  const { header, lines } = readJsonLog<Candidate>(join(dataFile('calibration'), `seed${seed}.jsonl`));
  return { ...(JSON.parse(header) as Omit<StoredSearch, 'candidates'>), candidates: lines };
}

/** The finals that `lyreo calibrate --finals` has stored. */
export function storedFinals(): Candidate[] {
  return readJsonLog<Candidate>(join(dataFile('calibration'), 'finals.jsonl')).lines.slice();
}
