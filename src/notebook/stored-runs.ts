/** Stored runs made from a notebook: those that are missing, and those to be checked. */
import { invalid } from '../core/errors';
import { type ProfileName, profileNames } from '../paper/profiles';
import type { RunSpec } from '../paper/run-spec';
import { type FigureId, figureIds } from '../paper/sweeps';
import { Results } from '../paper/results';
import { executeRun } from '../paper/run';
import { RunStore, runsFolder } from '../paper/run-store';
import { interruptSignal, progress } from './progress';

/**
 * Makes and stores the runs of a figure that are not stored, with a progress bar; the stop button ends it.
 *
 * @throws UserError naming the allowed values, when there is no such figure or profile.
 */
export async function makeMissing(figureId: FigureId, profile: ProfileName): Promise<void> {
  if (!figureIds.includes(figureId)) throw invalid('figure', figureId, figureIds.join(', '));
  if (!profileNames.includes(profile)) throw invalid('profile', profile, profileNames.join(', '));
  const specs = Results.load(profile).missing(figureId);
  const store = new RunStore(runsFolder(profile));
  const signal = interruptSignal();
  const tick = progress(specs.length, 'missing runs');
  for (const [done, spec] of specs.entries()) {
    await tick(done, spec.key);
    const onUpdate = (update: number): void => void tick(done, `${spec.key}, update ${update + 1}`);
    store.save(await executeRun(spec, { store, signal, onUpdate }));
  }
  await tick(specs.length);
}

/**
 * Makes stored runs again, in this process and without storing them, and compares their evaluations number by number.
 *
 * @throws RangeError when one of them is not stored.
 */
export async function remake(
  results: Results,
  specs: readonly RunSpec[],
): Promise<{ run: string; quantity: string; stored: number; again: number; same: boolean }[]> {
  const tick = progress(specs.length, 'runs made again');
  const rows: Awaited<ReturnType<typeof remake>> = [];
  for (const [done, spec] of specs.entries()) {
    await tick(done, spec.key);
    const stored = results.runs(spec).find(({ seed }) => seed === spec.seed)?.evaluation;
    if (stored === undefined) throw new RangeError(`${spec.key} is not stored; allowed: stored runs`);
    const { evaluation } = await executeRun(spec, { signal: interruptSignal() });
    for (const quantity of ['meanLatency', 'p99Latency', 'deviation', 'meanQueue', 'highKvPercent'] as const) {
      const [before, again] = [stored[quantity], evaluation[quantity]];
      rows.push({ run: spec.name, quantity, stored: before, again, same: Object.is(before, again) });
    }
  }
  await tick(specs.length);
  return rows;
}
