import type { SystemConfig } from '../system/config';
import { configFields } from '../system/config-fields';

/** Table I with the free constants, the printed values beside the calibrated ones; the meaning has symbol and unit. */
export function tableOneRows(
  literal: SystemConfig,
  calibrated: SystemConfig,
): Record<'field' | 'meaning' | 'literal' | 'calibrated', string>[] {
  const show = (value: unknown): string => [value].flat().join(' to ');
  const fields = (Object.keys(configFields) as (keyof SystemConfig)[]).filter((field) => field in literal);
  return fields.map((field) => ({
    field,
    meaning: configFields[field][1],
    literal: show(literal[field]),
    calibrated: show(calibrated[field]),
  }));
}
