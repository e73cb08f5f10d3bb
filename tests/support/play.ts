import type { EdgeEnv, TimeStep } from '../../src/env/edge-env';
import type { Scheduler } from '../../src/env/scheduler';

/** Runs an environment to its end, telling every step. */
export function play(
  env: EdgeEnv,
  assign: Scheduler,
  seen: (step: TimeStep, env: EdgeEnv) => void = () => undefined,
): void {
  let step = env.reset();
  seen(step, env);
  while (step.stepType !== 'last') {
    const assignment = new Int32Array(step.view.count);
    assign(step.view, assignment);
    step = env.step(assignment);
    seen(step, env);
  }
}

/** Sends the requests of a slot to the servers in turn. */
export const spread: Scheduler = (view, assignment) => {
  for (let i = 0; i < view.count; i++) assignment[i] = (i + view.slot) % view.serverCount;
};
