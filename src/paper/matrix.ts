import type { Profile } from './profiles';
import { type Cell, makeCell } from './run-spec';
import { type Artefact, artefacts, sweeps } from './sweeps';

/**
 * The whole matrix, or what some artefacts need of it: one cell per run, the shared ones once. Most informative first:
 * a seed of everything before the next seed, and within a seed the artefacts in the paper's order.
 *
 * @param wanted default: all artefacts.
 * @param seeds default: the profile's.
 */
export function matrix(profile: Profile, wanted: readonly Artefact[] = artefacts, seeds?: readonly number[]): Cell[] {
  const found = new Map<string, { cell: Cell; shownBy: Artefact[] }>();
  for (const sweep of sweeps(profile))
    for (const { system, training, appliedTo } of sweep.values)
      for (const method of sweep.methods)
        for (const seed of seeds ?? sweep.seeds) {
          const cell = makeCell(profile, { method, system, training, appliedTo }, seed);
          const entry = found.get(cell.key) ?? { cell, shownBy: [] };
          if (!entry.shownBy.includes(sweep.artefact)) entry.shownBy.push(sweep.artefact);
          found.set(cell.key, entry);
        }
  return [...found.values()]
    .filter(({ shownBy }) => shownBy.some((artefact) => wanted.includes(artefact)))
    .map(({ cell, shownBy }) => ({ ...cell, artefacts: shownBy }))
    .sort((a, b) => a.seed - b.seed);
}

/** The cells of shard i of n, i from 1: every n-th, so that each shard has its share of long ones. */
export function shardOf(cells: readonly Cell[], index: number, count: number): Cell[] {
  return cells.filter((_, k) => k % count === index - 1);
}
