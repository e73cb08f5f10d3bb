import type { SystemConfig } from '../system/config';

export interface TableOneRow {
  readonly symbol: string;
  readonly meaning: string;
  readonly unit: string;
  readonly literal: string;
  readonly calibrated: string;
}

/** Symbol, meaning and unit of the numbers in the configuration that the paper has, in the order of Section III. */
const FIELDS: readonly (readonly [field: keyof SystemConfig, symbol: string, meaning: string, unit: string])[] = [
  ['users', 'U', 'mobile users', ''],
  ['servers', 'S', 'edge servers', ''],
  ['slots', 'T', 'slots', ''],
  ['slotSeconds', 'Δ', 'slot length', 's'],
  ['mix', '', 'GPUs of the servers', ''],
  ['meanInputTokens', 'mean l_in', 'input length', 'tokens'],
  ['meanOutputTokens', 'mean l_out', 'output length', 'tokens'],
  ['sigmaInput', 'σ_in', 'spread of ln l_in', ''],
  ['sigmaOutput', 'σ_out', 'spread of ln l_out', ''],
  ['areaMeters', '', 'service area', 'm × m'],
  ['stepMeters', '', 'longest step of a user per slot and axis', 'm'],
  ['bandwidthMHz', 'B_s', 'bandwidth of a server', 'MHz'],
  ['txPowerDbm', 'p_i', 'transmission power', 'dBm'],
  ['noiseDbmPerHz', 'N_0', 'noise density', 'dBm/Hz'],
  ['pathLossDb', '', 'path loss at 1 km', 'dB'],
  ['pathLossDbPerDecade', '', 'path loss per decade of distance', 'dB'],
  ['fading', '', 'small-scale fading', ''],
  ['bitsPerToken', 'β', 'bits sent per input token', 'bit'],
  ['prefillSlowdown', 'w', 'share of decode speed that a prefill takes', ''],
  ['kvKilobytesPerToken', 'α', 'KV cache per token', 'KB'],
  ['kvPoolFraction', 'κ', 'share of GPU memory reserved for KV', ''],
  ['balanceTolerance', 'ε', 'tolerance of the load-balancing deviation', ''],
  ['latencyWeight', 'ν', 'weight of latency against balance', '1/s'],
  ['balanceUnit', '', 'unit of Y and Z in the objective', ''],
];

/** Table I with the free constants, the printed values beside the calibrated ones. */
export function tableOneRows(literal: SystemConfig, calibrated: SystemConfig): TableOneRow[] {
  const show = (value: unknown): string => (Array.isArray(value) ? value.join(' to ') : String(value));
  return FIELDS.map(([field, symbol, meaning, unit]) => ({
    symbol,
    meaning,
    unit,
    literal: show(literal[field]),
    calibrated: show(calibrated[field]),
  }));
}
