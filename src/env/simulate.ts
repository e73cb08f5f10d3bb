import { invalid } from '../core/errors';
import { createRng } from '../core/rng';
import type { SystemConfig } from '../system/config';
import { EdgeEnv, type EdgeEnvOptions } from './edge-env';
import { Metrics, type RunMetrics } from './metrics';
import type { SlotOutcome } from './outcome';
import type { SchedulerFactory } from './scheduler';

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

/**
 * Plays an episode slot by slot: the scheduler assigns, the environment runs the slot and its outcome is yielded, the
 * last with the drain's. The same object each time, so copy values that are to be kept.
 *
 * @param scheduler draws from a stream of its own, forked from the environment's seed.
 * @returns the report of all slots.
 * @throws UserError when the scheduler is none, as a misspelt name of `schedulers` gives, or assigns to no server.
 */
export function* playSlots(env: EdgeEnv, scheduler: SchedulerFactory): Generator<SlotOutcome, RunMetrics, undefined> {
  if (typeof scheduler !== 'function')
    throw invalid(
      'scheduler',
      scheduler,
      'a function (system, rng) => (view, assignment) => …, such as schedulers.random',
    );
  const { config, seed, outcome } = env;
  const metrics = new Metrics(env.servers.length, config.balanceTolerance);
  const assign = scheduler(config, createRng(seed).fork('scheduler'));
  let step = env.reset();
  let assignment = new Int32Array(step.view.count);
  while (step.stepType !== 'last') {
    if (assignment.length < step.view.count) assignment = new Int32Array(2 * step.view.count);
    assign(step.view, assignment);
    step = env.step(assignment);
    metrics.add(outcome);
    yield outcome;
  }
  return metrics.report();
}

/** Plays an episode to its end: {@link simulate} on a given environment. */
export function simulateOn(
  env: EdgeEnv,
  scheduler: SchedulerFactory,
  onSlot: (outcome: SlotOutcome) => void = () => undefined,
): RunMetrics {
  const slots = playSlots(env, scheduler);
  for (;;) {
    const next = slots.next();
    if (next.done === true) return next.value;
    onSlot(next.value);
  }
}

/**
 * Runs a scheduler for T slots and the drain.
 *
 * @param seed the run's seed; users, links and requests are the same for every scheduler.
 * @throws UserError as {@link playSlots}.
 */
export function simulate(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: SimulateOptions = {},
): RunMetrics {
  return simulateOn(new EdgeEnv(config, seed, options), scheduler, options.onSlot);
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
  const slots = playSlots(new EdgeEnv(config, seed, options), scheduler);
  let turnEndsAt = performance.now() + TURN_MS;
  for (;;) {
    const next = slots.next();
    if (next.done === true) return next.value;
    options.onSlot?.(next.value);
    if (performance.now() >= turnEndsAt) {
      await new Promise((resolve) => setImmediate(resolve));
      turnEndsAt = performance.now() + TURN_MS;
    }
    options.signal?.throwIfAborted();
  }
}
