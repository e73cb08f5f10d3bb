import type { RunSpec } from './run-spec';
import { executeRun } from './run';
import { RunStore, runsFolder } from './run-store';

export interface MakeRunsOptions {
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
export async function makeRuns(specs: readonly RunSpec[], options: MakeRunsOptions = {}): Promise<number> {
  const { signal, onProgress } = options;
  let made = 0;
  for (const [done, spec] of specs.entries()) {
    signal?.throwIfAborted();
    const store = options.store ?? new RunStore(runsFolder(spec.profile));
    if (store.has(spec.key)) continue;
    onProgress?.(done, spec.key);
    const onUpdate = (update: number): void => onProgress?.(done, `${spec.key}, update ${update + 1}`);
    store.save(await executeRun(spec, { store, signal, onUpdate }));
    made++;
  }
  onProgress?.(specs.length, '');
  return made;
}
