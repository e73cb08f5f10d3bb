import type { SystemConfig } from '../../src/system/config';
import { systemConfig } from '../../src/system/presets';

/** A system small enough to learn in within a test. */
export function tinyConfig(overrides: Partial<SystemConfig> = {}): SystemConfig {
  return systemConfig('calibrated', { users: 6, servers: 3, slots: 60, ...overrides });
}
