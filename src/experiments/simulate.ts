import { createRng } from '../core/rng';
import { EdgeEnv, type EdgeEnvOptions } from '../env/edge-env';
import type { SchedulerFactory } from '../env/scheduler';
import type { SystemConfig } from '../system/config';
import { Metrics, type RunMetrics } from './metrics';

/** Optional parts of a simulation. */
export interface SimulateOptions extends EdgeEnvOptions {
  /** Called after every slot with the number of slots done. */
  readonly onSlot?: ((slots: number) => void) | undefined;
}

/**
 * Runs a scheduler for T slots and the drain.
 *
 * @param seed the run's seed; users, links and requests are the same for every scheduler.
 */
export function simulate(config: SystemConfig, scheduler: SchedulerFactory, seed: number, options: SimulateOptions = {}): RunMetrics {
  const env = new EdgeEnv(config, seed, options);
  const metrics = new Metrics(config.servers, config.balanceTolerance);
  const assign = scheduler(config, createRng(seed).fork('scheduler'));
  let step = env.reset();
  let assignment = new Int32Array(step.view.count);
  while (step.stepType !== 'last') {
    if (assignment.length < step.view.count) assignment = new Int32Array(2 * step.view.count);
    assign(step.view, assignment);
    step = env.step(assignment);
    if (step.outcome !== null) metrics.add(step.outcome);
    options.onSlot?.(env.outcome.slot + 1);
  }
  return metrics.report();
}
