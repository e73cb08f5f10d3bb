import type { Cell } from './run-spec';
import { executeCell } from './run';
import { RunStore, runsFolder } from './run-store';

/** What to do while runs are made. */
export interface MakeRunsOptions {
  /** Default: that of each run's profile. */
  readonly store?: RunStore | undefined;
  /** Ends with the signal's reason; what is stored stays, a training goes on from its checkpoint next time. */
  readonly signal?: AbortSignal | undefined;
  /** Runs done so far, and what is being made. */
  readonly onProgress?: ((done: number, note: string) => void) | undefined;
}

/**
 * Makes and stores runs, one after the other in this process; those that are stored are skipped. `lyreo experiments --jobs N` does the same in N processes.
 *
 * @returns how many were made.
 */
export async function makeRuns(cells: readonly Cell[], options: MakeRunsOptions = {}): Promise<number> {
  const { signal, onProgress } = options;
  let made = 0;
  for (const [done, cell] of cells.entries()) {
    signal?.throwIfAborted();
    const store = options.store ?? new RunStore(runsFolder(cell.profile));
    if (store.has(cell.key)) continue;
    onProgress?.(done, cell.key);
    const onUpdate = (update: number): void => onProgress?.(done, `${cell.key}, update ${update + 1}`);
    store.save(await executeCell(cell, { store, signal, onUpdate }));
    made++;
  }
  onProgress?.(cells.length, '');
  return made;
}
