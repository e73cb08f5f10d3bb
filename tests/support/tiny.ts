import { driftPlusPenalty } from '../../src/env/reward';
import type { CreditFactory } from '../../src/lyreo/credit/credit';
import type { LearningMethod } from '../../src/lyreo/method';
import type { SystemConfig } from '../../src/system/config';
import { systemConfig } from '../../src/system/presets';

/** A system small enough to learn in within a test. */
export function tinyConfig(overrides: Partial<SystemConfig> = {}): SystemConfig {
  return systemConfig('calibrated', { users: 6, servers: 3, slots: 60, ...overrides });
}

/** A method that is rewarded by drift plus penalty, with fields replaced. */
export function methodWith(credit: CreditFactory, fields: Partial<LearningMethod> = {}): LearningMethod {
  return { credit, reward: driftPlusPenalty, balanceMeasure: 'eta', ...fields };
}
