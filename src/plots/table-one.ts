import type { SystemConfig } from '../system/config';
import { configFields } from '../system/config-fields';

export interface TableOneRow {
  readonly field: string;
  /** With symbol and unit. */
  readonly meaning: string;
  readonly literal: string;
  readonly calibrated: string;
}

/** Table I with the free constants, the printed values beside the calibrated ones. */
export function tableOneRows(literal: SystemConfig, calibrated: SystemConfig): TableOneRow[] {
  const show = (value: unknown): string => (Array.isArray(value) ? value.join(' to ') : String(value));
  const fields = (Object.keys(configFields) as (keyof SystemConfig)[]).filter((field) => field in literal);
  return fields.map((field) => ({
    field,
    meaning: configFields[field][1],
    literal: show(literal[field]),
    calibrated: show(calibrated[field]),
  }));
}
