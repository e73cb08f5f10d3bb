import type { Rng } from '../core/rng';
import type { Scheduler } from '../env/scheduler';
import type { Draws } from './draws';
import { type Policy, type SlotRecord, slotRecord } from './policy';

/** How a policy's probabilities become an assignment. */
export interface PolicySchedulerOptions {
  /**
   * Take the most probable server instead of drawing one. Default: for a sequential policy yes, for a factorised one no,
   * because its most probable server is the same for nearly all requests of a slot.
   */
  readonly greedy?: boolean | undefined;
  /** How a factorised policy draws. Default 'independent'. */
  readonly draws?: Draws | undefined;
}

/** A learned policy as a scheduler. */
export function policyScheduler(policy: Policy, rng: Rng, options: PolicySchedulerOptions = {}): Scheduler {
  const drawn = (options.greedy ?? policy.kind === 'sequential') ? null : rng;
  let record: SlotRecord | undefined;
  return (view, assignment) => {
    if (record === undefined || record.actions.length < view.count)
      record = slotRecord(policy, Math.max(view.count, 2 * (record?.actions.length ?? 0)), view.serverCount);
    policy.act(view, assignment, record, drawn, options.draws);
  };
}
