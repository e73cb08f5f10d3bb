import { invalid } from '../core/errors';
import { createRng } from '../core/rng';
import { EdgeEnv, type EdgeEnvOptions } from './edge-env';
import type { SlotOutcome } from './outcome';
import { playSlots } from './play-slots';
import type { SchedulerFactory } from './scheduler';
import type { SystemConfig } from '../system/config';
import { Metrics, type RunMetrics } from './metrics';

export interface SimulateOptions extends EdgeEnvOptions {
  /** Called after every slot with its outcome, the same object each time. */
  readonly onSlot?: ((outcome: SlotOutcome) => void) | undefined;
}

export interface SimulateAsyncOptions extends SimulateOptions {
  /** Ends the run by throwing the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The longest time that `simulateAsync` computes before timers, input and signals have their turn, ms. */
const TURN_MS = 40;

/** A run slot by slot: yields after each, returns the report of all. */
function* run(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: SimulateOptions,
): Generator<undefined, RunMetrics, undefined> {
  if (typeof scheduler !== 'function')
    throw invalid(
      'scheduler',
      scheduler,
      'a function (system, rng) => (view, assignment) => …, such as schedulers.random',
    );
  const env = new EdgeEnv(config, seed, options);
  const metrics = new Metrics(env.servers.length, config.balanceTolerance);
  const assign = scheduler(config, createRng(seed).fork('scheduler'));
  for (const outcome of playSlots(env, assign)) {
    metrics.add(outcome);
    options.onSlot?.(outcome);
    yield;
  }
  return metrics.report();
}

/**
 * Runs a scheduler for T slots and the drain.
 *
 * @param seed the run's seed; users, links and requests are the same for every scheduler.
 * @throws UserError when the scheduler is none, as a misspelt name of `schedulers` gives, or assigns to no server.
 */
export function simulate(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: SimulateOptions = {},
): RunMetrics {
  const slots = run(config, scheduler, seed, options);
  let next = slots.next();
  while (next.done !== true) next = slots.next();
  return next.value;
}

/**
 * {@link simulate}, with the same result, for a program with other work: it pauses regularly, so that progress is shown
 * and an interrupt is heard.
 */
export async function simulateAsync(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: SimulateAsyncOptions = {},
): Promise<RunMetrics> {
  const slots = run(config, scheduler, seed, options);
  let turnEndsAt = performance.now() + TURN_MS;
  let next = slots.next();
  while (next.done !== true) {
    if (performance.now() >= turnEndsAt) {
      await new Promise((resolve) => setImmediate(resolve));
      turnEndsAt = performance.now() + TURN_MS;
    }
    options.signal?.throwIfAborted();
    next = slots.next();
  }
  return next.value;
}
