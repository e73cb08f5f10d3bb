import { expect } from 'vitest';
import type { SystemConfig } from '../../src/system/config';
import type { TimeStep } from '../../src/env/edge-env';
import type { SlotView } from '../../src/env/slot-view';
import { serversOf } from './views';

/** The interface of any environment of this kind. */
export interface Environment {
  readonly config: SystemConfig;
  reset(): TimeStep;
  step(assignment: Int32Array): TimeStep;
}

/** Fills an assignment, [view.count]. */
type Assign = (view: SlotView, assignment: Int32Array) => void;

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(`checkEnv: ${what}`);
}

function checkStep(step: TimeStep, servers: number, isFirst: boolean): void {
  const { view, outcome, reward } = step;
  demand((step.stepType === 'first') === isFirst, 'reset gives the first step, and only reset');
  demand((outcome === null) === isFirst, 'every step but the first has an outcome');
  demand(reward === null || (!isFirst && Number.isFinite(reward)), 'a reward is finite, and the first step has none');
  for (const column of [view.user, view.inputTokens, view.predictedTokens])
    demand(column.length >= view.count, 'the requests’ columns have room for all of them');
  for (let i = 0; i < view.count; i++)
    demand(view.inputTokens[i] >= 1 && view.predictedTokens[i] >= 1, 'a request has tokens');
  checkColumns(Object.values(serversOf(view)), servers, 'a view');
  if (outcome !== null) {
    const { eta, peak, iterations, deviation, queue } = outcome;
    checkColumns([eta, peak, iterations, deviation, queue], servers, 'an outcome');
  }
}

function checkColumns(columns: readonly Iterable<number>[], servers: number, of: string): void {
  for (const column of columns.map((values) => [...values])) {
    demand(column.length === servers, `${of} has every server`);
    const isSound = column.every((x) => Number.isFinite(x) && x >= 0);
    demand(isSound, `${of} is finite and not negative`);
  }
}

/** Everything that can be seen of a run, as text: two runs are the same when this is. */
function transcript(env: Environment, assign: Assign): string {
  const { servers, slots } = env.config;
  const lines: string[] = [];
  let step = env.reset();
  checkStep(step, servers, true);
  for (let t = 1; t <= slots; t++) {
    const { view } = step;
    const links = Array.from({ length: view.count }, (_, i) => view.gain(i, i % servers));
    const requests = [view.user, view.inputTokens, view.predictedTokens].map((c) =>
      Array.from(c.subarray(0, view.count)),
    );
    lines.push(JSON.stringify([requests, links, Array.from(view.workload)]));
    const assignment = new Int32Array(view.count);
    assign(view, assignment);
    step = env.step(assignment);
    checkStep(step, servers, false);
    demand((step.stepType === 'last') === (t === slots), 'the last step comes once, after T slots');
    const { outcome } = step;
    if (outcome === null) continue;
    demand(outcome.slot === t - 1, 'an outcome tells its slot');
    const completed = outcome.completions.rows().map(({ total }) => total);
    lines.push(JSON.stringify([step.reward, completed, Array.from(outcome.eta), outcome.rejected]));
  }
  expect(() => env.step(new Int32Array(step.view.count)), 'there is no step after the last').toThrow();
  return lines.join('\n');
}

/**
 * Runs an environment through all that its users rely on, and throws at the first breach: step types, rewards, shapes,
 * ranges, and that the same environment made twice gives the same run.
 *
 * @param make a new environment, the same each time.
 * @param assign how to act; deterministic.
 */
export function checkEnv(make: () => Environment, assign: Assign): void {
  demand(transcript(make(), assign) === transcript(make(), assign), 'the same seed gives the same run');
}
