import type { Profile } from './profiles';
import { type RunSpec, runSpec } from './run-spec';
import { type FigureId, figureIds, sweeps } from './sweeps';

/**
 * The whole matrix, or what some figures need of it: one specification per run, the shared ones once. Most informative first:
 * a seed of everything before the next seed, and within a seed the figures in the paper's order.
 *
 * @param wanted default: all figures.
 * @param seeds default: the profile's.
 */
export function matrix(
  profile: Profile,
  wanted: readonly FigureId[] = figureIds,
  seeds?: readonly number[],
): RunSpec[] {
  const found = new Map<string, { spec: RunSpec; shownBy: FigureId[] }>();
  for (const sweep of sweeps(profile))
    for (const { system, training, appliedTo } of sweep.values)
      for (const method of sweep.methods)
        for (const seed of seeds ?? sweep.seeds) {
          const spec = runSpec(profile, { method, system, training, appliedTo }, seed);
          const entry = found.get(spec.key) ?? { spec, shownBy: [] };
          if (!entry.shownBy.includes(sweep.figureId)) entry.shownBy.push(sweep.figureId);
          found.set(spec.key, entry);
        }
  return [...found.values()]
    .filter(({ shownBy }) => shownBy.some((figureId) => wanted.includes(figureId)))
    .map(({ spec, shownBy }) => ({ ...spec, figureIds: shownBy }))
    .sort((a, b) => a.seed - b.seed);
}

/** The runs of shard i of n, i from 1: every n-th, so that each shard has its share of long ones. */
export function shardOf(specs: readonly RunSpec[], index: number, count: number): RunSpec[] {
  return specs.filter((_, k) => k % count === index - 1);
}
