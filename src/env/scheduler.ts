import type { Rng } from '../core/rng';
import type { SystemConfig } from '../system/config';
import type { SlotView } from './slot-view';

/**
 * Assigns a slot's requests: writes the server's index of request i to `assignment[i]` for i in 0..view.count−1.
 * One function is a whole scheduler. An entry that is left out is refused; an Int32Array takes NaN for 0 and cuts
 * fractions off, so compute whole numbers.
 */
export type Scheduler = (view: SlotView, assignment: Int32Array) => void;

/** Makes a scheduler for a system; `rng` is its own stream. */
export type SchedulerFactory = (config: SystemConfig, rng: Rng) => Scheduler;
