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
        `slot ${String(view.slot)} has ${String(view.count)} requests; the run to repeat has ${String(before?.length ?? 0)}`,
      );
    assignment.set(before);
  };
}

/** A run as a scenario, for `replay` and for a file: its completed requests with their servers and transmission times. */
export function toScenario(run: Inspection): Scenario {
  const { config, servers } = run;
  const slots = run.assignments.map(() => ({ requests: [] as Scenario['slots'][number]['requests'][number][] }));
  for (const request of run.requests) {
    const { id, inputTokens, outputTokens, predictedTokens, transmission } = request;
    const server = servers[request.server].name;
    const predicted = predictedTokens === outputTokens ? {} : { predictedTokens };
    slots[request.slot]?.requests.push({
      id,
      inputTokens,
      outputTokens,
      ...predicted,
      server,
      transmissionSeconds: transmission,
    });
  }
  return {
    slotSeconds: config.slotSeconds,
    kvBytesPerToken: run.kvBytesPerToken,
    prefillSlowdown: config.prefillSlowdown,
    batching: config.batching,
    ...(config.admission === undefined ? {} : { admission: config.admission }),
    oversized: config.oversized,
    servers,
    slots,
  };
}
