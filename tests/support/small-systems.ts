import fc from 'fast-check';
import { readEpisode } from '../../src/studies/bounds/episode';
import type { SystemConfig } from '../../src/system/config';
import { systemConfig } from '../../src/system/presets';

/** A system with a run's seed. */
export interface SmallSystem {
  readonly config: SystemConfig;
  readonly seed: number;
}

/**
 * Systems so small that all their assignments can be looked at: one to three servers of any kind, a few requests, pools
 * from just large enough to far too large, slots from shorter than an iteration to longer than all the work.
 *
 * @param requests most requests in the episode.
 */
export function smallSystem({ requests }: { readonly requests: number }): fc.Arbitrary<SmallSystem> {
  const kappa = systemConfig('calibrated').kvPoolFraction;
  return fc
    .record({
      seed: fc.nat(),
      users: fc.integer({ min: 1, max: 3 }),
      slots: fc.integer({ min: 1, max: 4 }),
      gpus: fc.array(fc.constantFrom('rtx3080', 'rtx3090', 'rtx4090'), { minLength: 1, maxLength: 3 }),
      slotSeconds: fc.constantFrom(0.01, 0.1, 0.5, 1, 20),
      pool: fc.constantFrom(0.005, 0.02, 0.1, 1),
      meanOutputTokens: fc.constantFrom(3, 20, 100),
      prefillSlowdown: fc.constantFrom(0, 0.3, 0.8),
      batching: fc.constantFrom('deed', 'deed', 'static'),
    })
    .map(({ seed, users, slots, gpus, slotSeconds, pool, meanOutputTokens, prefillSlowdown, batching }) => {
      // 3^6 whole runs of the environment are enough for one case.
      const servers = users * slots > 6 ? gpus.slice(0, 2) : gpus;
      const config = systemConfig('calibrated', {
        users,
        slots: Math.max(1, Math.min(slots, Math.floor(requests / users))),
        gpus: servers,
        slotSeconds,
        kvPoolFraction: kappa * pool,
        meanInputTokens: 20,
        meanOutputTokens,
        prefillSlowdown,
        batching: batching === 'static' ? 'static' : 'deed',
      });
      return { config, seed };
    })
    .filter(({ config, seed }) => readEpisode(config, seed).requests.length > 0);
}
