import type { EdgeEnv } from './edge-env';
import type { SlotOutcome } from './outcome';
import type { Scheduler } from './scheduler';

/**
 * Plays an episode slot by slot: the scheduler assigns, the environment runs the slot and its outcome is yielded, the
 * last with the drain's. The same object each time, so copy values that are to be kept.
 */
export function* playSlots(env: EdgeEnv, assign: Scheduler): Generator<SlotOutcome, void, undefined> {
  let step = env.reset();
  let assignment = new Int32Array(step.view.count);
  while (step.stepType !== 'last') {
    if (assignment.length < step.view.count) assignment = new Int32Array(2 * step.view.count);
    assign(step.view, assignment);
    step = env.step(assignment);
    yield env.outcome;
  }
}
