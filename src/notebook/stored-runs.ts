/** Stored runs made from a notebook: those that are missing, and those to be checked. */
import { makeRuns } from '../paper/make-runs';
import type { ProfileName } from '../paper/profiles';
import type { Cell } from '../paper/run-spec';
import type { Artefact } from '../paper/sweeps';
import { Results } from '../paper/results';
import { executeCell } from '../paper/run';
import { interruptSignal, progress } from './progress';

/** Makes and stores the runs of an artefact that are not stored, with a progress bar; the stop button ends it. */
export async function makeMissing(artefact: Artefact, profile: ProfileName): Promise<void> {
  const cells = Results.load(profile).missing(artefact);
  const tick = progress(cells.length, 'missing runs');
  await makeRuns(cells, { signal: interruptSignal(), onProgress: (done, note) => void tick(done, note) });
}

/** A number of a stored run beside the same number of the run made again. */
export interface RemadeRow {
  readonly run: string;
  readonly quantity: string;
  readonly stored: number;
  readonly again: number;
  readonly same: boolean;
}

/**
 * Makes stored runs again, in this process and without storing them, and compares their evaluations number by number.
 *
 * @throws RangeError when one of them is not stored.
 */
export async function remake(results: Results, cells: readonly Cell[]): Promise<RemadeRow[]> {
  const tick = progress(cells.length, 'runs made again');
  const rows: RemadeRow[] = [];
  for (const [done, cell] of cells.entries()) {
    await tick(done, cell.key);
    const stored = results.runs(cell).find(({ seed }) => seed === cell.seed)?.evaluation;
    if (stored === undefined) throw new RangeError(`${cell.key} is not stored; allowed: stored runs`);
    const { evaluation } = await executeCell(cell, { signal: interruptSignal() });
    for (const quantity of ['meanLatency', 'p99Latency', 'deviation', 'meanQueue', 'highKvPercent'] as const) {
      const [before, again] = [stored[quantity], evaluation[quantity]];
      rows.push({ run: cell.name, quantity, stored: before, again, same: Object.is(before, again) });
    }
  }
  await tick(cells.length);
  return rows;
}
