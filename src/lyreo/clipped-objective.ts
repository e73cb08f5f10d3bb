/**
 * A decision's share of PPO's clipped objective, IV-B3: L^CLIP = min(ρ·Â, clip(ρ, 1 − ε, 1 + ε)·Â).
 *
 * @param ratio ρ.
 * @param advantage Â.
 * @param clipCoef ε of the clip.
 */
export function clippedObjective(ratio: number, advantage: number, clipCoef: number): number {
  const clipped = Math.min(1 + clipCoef, Math.max(1 - clipCoef, ratio));
  return Math.min(ratio * advantage, clipped * advantage);
}

/** Whether the clip stops the gradient of {@link clippedObjective} in ρ. */
export function isClipped(ratio: number, advantage: number, clipCoef: number): boolean {
  return (advantage > 0 && ratio > 1 + clipCoef) || (advantage < 0 && ratio < 1 - clipCoef);
}
