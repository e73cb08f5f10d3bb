import { join } from 'node:path';
import { dataFile } from '../../core/files';
import { readJsonLog, resumeJsonLog, writeJsonLog } from '../../core/json-log';
import { mean } from '../../core/statistics';
import type { MethodName } from '../../paper/methods';
import { type Published, publishedFacts } from '../../paper/published';
import { train } from '../../paper/train';
import { calibrated } from '../../system/calibrated';
import type { SystemConfig } from '../../system/config';
import { systemConfig } from '../../system/presets';

/** LYREO or Ly-PPO: the two methods of Fig. 2b that learn under virtual queues. */
export type QueueMethod = Extract<MethodName, 'lyreo' | 'ly-ppo'>;

const queueMethods: readonly QueueMethod[] = ['lyreo', 'ly-ppo'];

/** A short training under one unit of Y and Z; the numbers are means over the training's last quarter. */
export interface UnitTraining {
  readonly balanceUnit: number;
  readonly method: QueueMethod;
  /** Mean Z. */
  readonly queue: number;
  /** Mean latency, s. */
  readonly latency: number;
  readonly deviation: number;
}

/** Short trainings under several units. */
export interface BalanceUnitOptions {
  readonly units: readonly number[];
  readonly seed: number;
  readonly updates: number;
  /** Slots of an episode. Default 800. */
  readonly slots?: number | undefined;
  /** One JSON object per training; a training that stands there is not made again. */
  readonly logFile?: string | undefined;
  readonly onTraining?: ((done: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Fields of the system that differ from the calibrated default. */
  readonly system?: Partial<SystemConfig> | undefined;
}

/**
 * Short trainings of LYREO and Ly-PPO under each unit of Y and Z. The unit is the one free constant that schedulers
 * without learning do not show: it decides how long Z grows before a policy heeds it, and so how near to ε the policy
 * settles.
 */
export async function unitTrainings(options: BalanceUnitOptions): Promise<UnitTraining[]> {
  const { units, seed, updates, slots = 800, logFile, signal } = options;
  const constants = { ...calibrated(), command: undefined, note: undefined, balanceUnit: undefined };
  const header = JSON.stringify({ seed, updates, slots, constants, system: options.system });
  const others = 'other trainings; allowed: the same seed, updates, slots, constants and system, or another file';
  const found = logFile === undefined ? [] : resumeJsonLog<UnitTraining>(logFile, header, others);
  for (const balanceUnit of units)
    for (const method of queueMethods) {
      if (found.some((each) => each.balanceUnit === balanceUnit && each.method === method)) continue;
      const config = systemConfig('calibrated', { ...options.system, slots, balanceUnit });
      const { learner, log } = await train({ config, method, seed, updates, signal });
      learner.dispose();
      signal?.throwIfAborted();
      const last = log.slice(-Math.ceil(log.length / 4));
      const meanOf = (field: 'queue' | 'latency' | 'deviation'): number => mean(last.map((update) => update[field]));
      const [queue, latency, deviation] = [meanOf('queue'), meanOf('latency'), meanOf('deviation')];
      found.push({ balanceUnit, method, queue, latency, deviation });
      if (logFile !== undefined) writeJsonLog(logFile, { header, lines: found });
      options.onTraining?.(found.length);
    }
  return found.filter(({ balanceUnit }) => units.includes(balanceUnit));
}

/**
 * The distance of a unit's LYREO from the deviation of Table II: the squared logarithm of ours over printed; Ly-PPO's
 * deviation is not printed. Fig. 2b's mean queues are no guide: no unit comes within a factor of two of both.
 */
export function deviationError(
  trainings: readonly UnitTraining[],
  balanceUnit: number,
  facts: Published = publishedFacts(),
): number {
  const lyreo = trainings.find((each) => each.balanceUnit === balanceUnit && each.method === 'lyreo');
  return lyreo === undefined ? NaN : Math.log(lyreo.deviation / facts.table2.LYREO[1]) ** 2;
}

/** The unit whose deviation is nearest to Table II's. */
export function bestUnit(trainings: readonly UnitTraining[], facts?: Published): number {
  const units = [...new Set(trainings.map(({ balanceUnit }) => balanceUnit))];
  return units.reduce((best, unit) =>
    deviationError(trainings, unit, facts) < deviationError(trainings, best, facts) ? unit : best,
  );
}

/** The short trainings that `lyreo calibrate` has stored in data/calibration. */
export interface StoredUnits {
  readonly seed: number;
  readonly updates: number;
  readonly slots: number;
  readonly trainings: readonly UnitTraining[];
}

/** Reads them. */
export function storedUnits(): StoredUnits {
  const { header, lines } = readJsonLog<UnitTraining>(join(dataFile('calibration'), 'balance-unit.jsonl'));
  const { seed, updates, slots } = JSON.parse(header) as Omit<StoredUnits, 'trainings'>;
  return { seed, updates, slots, trainings: lines };
}
