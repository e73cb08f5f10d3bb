import { join } from 'node:path';
import { dataFile } from '../../core/files';
import { readJsonLog, resumeJsonLog, writeJsonLog } from '../../core/json-log';
import { type Rng, createRng } from '../../core/rng';
import {
  type ConstantName,
  type Constants,
  fittedByDefault,
  pilotConstants,
  placeOf,
  ranges,
  valueAt,
} from './constants';
import { type Score, type Target, score, targetsOf } from './objective';

/** Slots of each run unless said otherwise. */
export const DEFAULT_SLOTS = 250;

/** A search for constants. */
export interface SearchOptions {
  readonly candidates: number;
  readonly seed: number;
  /** Slots of each run. Default 250. */
  readonly slots?: number | undefined;
  /** Default: `fittedByDefault`. */
  readonly free?: readonly ConstantName[] | undefined;
  /** One JSON object per candidate; a candidate that stands there is not computed again. */
  readonly logFile?: string | undefined;
  readonly onCandidate?: ((candidate: Candidate, best: Candidate) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One line of a search's log. */
export interface Candidate extends Score {
  /** From 0: the pilot's constants. */
  readonly index: number;
  readonly constants: Constants;
}

/**
 * Random search with refinement: candidate 0 is the pilot's constants; of the others every second is drawn from the
 * ranges and every second around one of the five best so far, with steps that shrink. Candidate n depends on seed, n
 * and the candidates before it alone, so that a search continues from its log as if it had never stopped.
 *
 * @returns all candidates, those of the log included.
 */
export async function search(options: SearchOptions): Promise<Candidate[]> {
  const { candidates, seed, slots = DEFAULT_SLOTS, free = fittedByDefault, logFile } = options;
  const targets = targetsOf();
  const header = JSON.stringify({ seed, slots, free, targets });
  const another = 'another search; allowed: the same seed, slots and free constants, or another file';
  const found = logFile === undefined ? [] : resumeJsonLog<Candidate>(logFile, header, another);
  for (let index = found.length; index < candidates; index++) {
    await new Promise((resolve) => setImmediate(resolve));
    options.signal?.throwIfAborted();
    const rng = createRng(seed).fork(`candidate ${index}`);
    const constants = index === 0 ? pilotConstants : propose(index, found, free, rng);
    const candidate = { index, constants, ...score(constants, slots, seed, targets) };
    found.push(candidate);
    if (logFile !== undefined) writeJsonLog(logFile, { header, lines: found });
    options.onCandidate?.(candidate, bestOf(found));
  }
  return found;
}

/** The candidate of the least objective. */
export function bestOf(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, candidate) => (candidate.objective < best.objective ? candidate : best));
}

function propose(index: number, before: readonly Candidate[], free: readonly ConstantName[], rng: Rng): Constants {
  const isFresh = index % 2 === 1;
  const ranked = [...before].sort((a, b) => a.objective - b.objective);
  const parent = isFresh ? pilotConstants : ranked[rng.int(Math.min(5, ranked.length))].constants;
  // A fifth of a range at first, a tenth after 75 candidates, a twentieth after 375.
  const step = 0.2 / Math.sqrt(1 + index / 25);
  const drawn = free.map((name) => {
    const range = ranges[name];
    const at = isFresh ? rng.uniform() : placeOf(range, parent[name]) + step * rng.normal();
    return [name, valueAt(range, Math.min(1, Math.max(0, at)))] as const;
  });
  return inOrderOfSpeed({ ...parent, ...Object.fromEntries(drawn) });
}

/** No GPU decodes faster than the next better one: without this the fit makes the 3080 the fastest of the three. */
function inOrderOfSpeed(constants: Constants): Constants {
  const tau0Rtx3090 = Math.max(constants.tau0Rtx3090, constants.tau0Rtx4090);
  return { ...constants, tau0Rtx3090, tau0Rtx3080: Math.max(constants.tau0Rtx3080, tau0Rtx3090) };
}

/** A search that `lyreo calibrate` has stored in data/calibration, with all its candidates. */
export interface StoredSearch {
  readonly seed: number;
  /** Slots of each run. */
  readonly slots: number;
  readonly free: readonly ConstantName[];
  readonly targets: readonly Target[];
  readonly candidates: readonly Candidate[];
}

/** The stored search with a seed. */
export function storedSearch(seed: number): StoredSearch {
  const { header, lines } = readJsonLog<Candidate>(join(dataFile('calibration'), `seed${seed}.jsonl`));
  return { ...(JSON.parse(header) as Omit<StoredSearch, 'candidates'>), candidates: lines };
}

/** A candidate as a flat row: its constants and, by the names of the targets, our numbers. */
export type CandidateRow = Readonly<Record<string, number | string>> & {
  readonly search: string;
  readonly candidate: number;
  readonly objective: number;
  /** The least objective up to this candidate. */
  readonly best: number;
  /** "no", or the names of the overloaded runs. */
  readonly overloaded: string;
};

/** The candidates of a stored search as rows, for a DataFrame. */
export function candidateRows({ seed, targets, candidates }: StoredSearch): CandidateRow[] {
  let best = Infinity;
  return candidates.map(({ index, objective, constants, values, overloaded }) => {
    best = Math.min(best, objective);
    return {
      search: `seed ${seed}`,
      candidate: index,
      objective,
      best,
      overloaded: overloaded.join(', ') || 'no',
      ...constants,
      ...Object.fromEntries(targets.map(({ name }, k) => [name, values[k]])),
    };
  });
}
