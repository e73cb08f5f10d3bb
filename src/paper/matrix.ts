import type { Profile } from './profiles';
import { type RunSpec, runSpec } from './run-spec';
import { type FigureId, figureIds, figurePoints } from './sweeps';

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
  const found = new Map<string, RunSpec>();
  for (const { figureId, seeds: own, ...point } of figurePoints(profile))
    for (const seed of seeds ?? own) {
      const spec = runSpec(profile, point, seed);
      const first = found.get(spec.key) ?? spec;
      found.set(spec.key, { ...first, figureIds: [...new Set([...first.figureIds, figureId])] });
    }
  return [...found.values()]
    .filter(({ figureIds: shownBy }) => shownBy.some((figureId) => wanted.includes(figureId)))
    .sort((a, b) => a.seed - b.seed);
}

/** The runs of shard i of n, i from 1: every n-th, so that each shard has its share of long ones. */
export function shardOf(specs: readonly RunSpec[], index: number, count: number): RunSpec[] {
  return specs.filter((_, k) => k % count === index - 1);
}
