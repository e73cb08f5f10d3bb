import type { SchedulerFactory } from '../env/scheduler';

/**
 * The draws of a factorised policy: each request goes to server s with the share of the slot that `plan` gives to s,
 * independently of the others. The difference to `plan` is the cost of independent draws.
 */
export function independentDraws(plan: SchedulerFactory): SchedulerFactory {
  return (config, rng) => {
    const assign = plan(config, rng.fork('plan'));
    let planned = new Int32Array(0);
    return (view, assignment) => {
      if (planned.length < view.count) planned = new Int32Array(2 * view.count);
      assign(view, planned);
      for (let i = 0; i < view.count; i++) {
        const s = planned[rng.int(view.count)];
        assignment[i] = view.allFit || view.isCandidate(i, s) ? s : planned[i];
      }
    };
  };
}
