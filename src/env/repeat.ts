import type { Scenario } from '../system/scenario';
import type { Inspection } from './inspect';
import type { SchedulerFactory } from './scheduler';

/**
 * A scheduler that sends every request where a run sent it: the same requests on the same servers under other
 * constants, static batching for one. The configuration must draw the same requests.
 */
export function repeatAssignments(run: Pick<Inspection, 'assignments'>): SchedulerFactory {
  return () => (view, assignment) => {
    const before = run.assignments.at(view.slot);
    if (before?.length !== view.count)
      throw new RangeError(
        `slot ${view.slot} has ${view.count} requests; the run to repeat has ${before?.length ?? 0}`,
      );
    assignment.set(before);
  };
}

/** A run as a scenario, for `replay` and for a file: its completed requests with their servers and transmission times. */
export function toScenario({ config, servers, kvBytesPerToken, assignments, requests }: Inspection): Scenario {
  const { slotSeconds, prefillSlowdown, batching, admission, oversized } = config;
  const slots = assignments.map((_, t) => ({
    requests: requests
      .filter(({ slot }) => slot === t)
      .map(({ id, inputTokens, outputTokens, predictedTokens, server, transmission }) => ({
        id,
        inputTokens,
        outputTokens,
        predictedTokens,
        server: servers[server].name,
        transmissionSeconds: transmission,
      })),
  }));
  return { slotSeconds, kvBytesPerToken, prefillSlowdown, batching, admission, oversized, servers, slots };
}
