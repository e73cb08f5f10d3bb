import { invalid } from '../core/errors';
import { createRng } from '../core/rng';
import type { SystemConfig } from '../system/config';
import { EdgeEnv, type EdgeEnvOptions } from './edge-env';
import { Metrics, type RunMetrics } from './metrics';
import type { SlotOutcome } from './outcome';
import type { Scheduler, SchedulerFactory } from './scheduler';

export interface SimulateOptions extends EdgeEnvOptions {
  /** Called after every slot with its outcome, the last with the drain's. The same object each time. */
  readonly onSlot?: ((outcome: SlotOutcome) => void) | undefined;
  /** Ends the run by throwing the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The longest time that `simulateAsync` computes before timers, input and signals have their turn, ms. */
const TURN_MS = 40;

/** A run that stops after every slot and yields its outcome; it returns the report of all. */
export function* playSlots(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: SimulateOptions,
): Generator<SlotOutcome, RunMetrics, undefined> {
  const allowed = 'a function (system, rng) => (view, assignment) => …, such as schedulers.random';
  if (typeof scheduler !== 'function') throw invalid('scheduler', scheduler, allowed);
  const env = new EdgeEnv(config, seed, options);
  const metrics = new Metrics(env.servers.length, config.balanceTolerance);
  const assign: unknown = scheduler(config, createRng(seed).fork('scheduler'));
  if (!isScheduler(assign)) throw invalid('result of the scheduler', assign, allowed);
  let step = env.reset();
  const assignment = new Int32Array(step.view.user.length);
  while (step.stepType !== 'last') {
    // An entry that the scheduler leaves out is refused.
    assign(step.view, assignment.fill(-1));
    step = env.step(assignment);
    metrics.add(env.outcome);
    options.onSlot?.(env.outcome);
    yield env.outcome;
    options.signal?.throwIfAborted();
  }
  return metrics.report();
}

const isScheduler = (made: unknown): made is Scheduler => typeof made === 'function';

/**
 * Runs a scheduler for T slots and the drain.
 *
 * @param scheduler draws from a stream of its own, forked from the seed.
 * @param seed users, links and requests are the same for every scheduler.
 * @throws UserError when the scheduler is none, as a misspelt name of `schedulers` gives, or assigns to no server.
 */
export function simulate(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: SimulateOptions = {},
): RunMetrics {
  const slots = playSlots(config, scheduler, seed, options);
  for (;;) {
    const next = slots.next();
    if (next.done === true) return next.value;
  }
}

/** {@link simulate} with pauses, so that other work of the program has its turn: progress, an interrupt. */
export async function simulateAsync(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: SimulateOptions = {},
): Promise<RunMetrics> {
  const slots = playSlots(config, scheduler, seed, options);
  let turnEndsAt = performance.now() + TURN_MS;
  for (;;) {
    const next = slots.next();
    if (next.done === true) return next.value;
    if (performance.now() >= turnEndsAt) {
      await new Promise((resolve) => setImmediate(resolve));
      turnEndsAt = performance.now() + TURN_MS;
    }
  }
}
