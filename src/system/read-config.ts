import { invalid } from '../core/errors';
import { parseJson } from '../core/parse';
import type { Preset, SystemConfig } from './config';
import { systemConfig } from './presets';

/**
 * Reads a configuration from JSON text: one flat object with `preset` (default "calibrated") and any fields of
 * {@link SystemConfig} that differ from it. A relative `gpuProfilesFile` is looked up from where the command runs.
 *
 * @param file the name that errors begin with.
 * @throws UserError naming file, field, value and what is allowed.
 */
export function readConfig(jsonText: string, file: string): SystemConfig {
  const value = parseJson(jsonText, file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${file}: the whole`, value, 'an object with preset and fields of the configuration');
  const { preset = 'calibrated', ...overrides } = value as { preset?: Preset } & Partial<SystemConfig>;
  return systemConfig(preset, overrides, file);
}
