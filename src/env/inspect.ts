import { kilobytesToBytes } from '../core/units';
import { EdgeEnv, type EdgeEnvOptions } from './edge-env';
import type { SlotOutcome } from './outcome';
import type { SchedulerFactory } from './scheduler';
import { simulateOn } from './simulate';
import type { Completion } from '../system/completion';
import type { SystemConfig } from '../system/config';
import type { ServerSpec } from '../system/scenario';
import type { Iteration } from '../system/trajectory';
import type { RunMetrics } from './metrics';

/** A completed request with the points in time that it passed and the parts of D_tot between them, all s. */
export interface InspectedRequest extends Completion {
  /** "t3-7": the eighth request of slot 3. */
  readonly id: string;
  /** Start of its slot. */
  readonly arrivedAt: number;
  readonly transmittedAt: number;
  /** Its stays in the running batch that ended with a preemption; the last stay is from joinedAt to completedAt. */
  readonly earlierStays: readonly Stay[];
}

/** A stay of a request in the running batch, s. */
export interface Stay {
  readonly joinedAt: number;
  readonly endedAt: number;
}

/** One decode iteration with its phase. */
export interface InspectedIteration extends Iteration {
  /** I while the slot's new batch is being sent and prefilled (k ≤ k̃), II afterwards. */
  readonly phase: 'I' | 'II';
}

/** One server in one slot, t < T. */
export interface InspectedSlot {
  readonly slot: number;
  readonly server: number;
  /** η_s(t). */
  readonly eta: number;
  /** M_pk(t) over the pool. */
  readonly peak: number;
  /** K_s(t). */
  readonly iterations: number;
  /** Y_s(t). */
  readonly deviation: number;
  /** Z_s(t). */
  readonly queue: number;
}

/** All requests, iterations and slots of a short run, with the drain after slot T. */
export interface Inspection {
  readonly config: SystemConfig;
  readonly kvBytesPerToken: number;
  readonly servers: readonly ServerSpec[];
  /** Completed requests, in order of arrival. */
  readonly requests: readonly InspectedRequest[];
  /** By server, then in time. */
  readonly iterations: readonly InspectedIteration[];
  readonly slots: readonly InspectedSlot[];
  /** Server of every request, [T][count of the slot]. */
  readonly assignments: readonly (readonly number[])[];
  readonly metrics: RunMetrics;
}

/**
 * Runs a scheduler as `simulate` does, with the same report, and keeps every iteration, request and slot. Its memory
 * grows with the run: tens of slots are for `inspect`, longer runs for `simulate`.
 */
export function inspect(
  config: SystemConfig,
  scheduler: SchedulerFactory,
  seed: number,
  options: Omit<EdgeEnvOptions, 'recorder'> = {},
): Inspection {
  const iterations: Iteration[] = [];
  const stays = new Map<string, Stay[]>();
  const env = new EdgeEnv(config, seed, {
    ...options,
    recorder: {
      record: (iteration) => iterations.push(iteration),
      preempted(slot, index, joinedAt, endedAt) {
        const id = requestId(slot, index);
        stays.set(id, [...(stays.get(id) ?? []), { joinedAt, endedAt }]);
      },
    },
  });
  const slots: InspectedSlot[] = [];
  const assignments: number[][] = [];
  const requests: InspectedRequest[] = [];
  const noted: SchedulerFactory = (system, rng) => {
    const assign = scheduler(system, rng);
    return (view, assignment) => {
      assign(view, assignment);
      assignments.push(Array.from(assignment.subarray(0, view.count)));
    };
  };
  const metrics = simulateOn(env, noted, (outcome) => {
    slots.push(...slotRows(outcome));
    for (const request of outcome.completions.rows()) {
      const id = requestId(request.slot, request.index);
      const arrivedAt = request.slot * config.slotSeconds;
      const transmittedAt = arrivedAt + request.transmission;
      requests.push({ ...request, id, arrivedAt, transmittedAt, earlierStays: stays.get(id) ?? [] });
    }
  });
  requests.sort((a, b) => a.slot - b.slot || a.index - b.index);
  iterations.sort((a, b) => a.server - b.server || a.startsAt - b.startsAt);
  const servers = env.servers.map((server) => server.spec);
  const rows = withPhases(iterations, requests);
  return {
    config,
    kvBytesPerToken: kilobytesToBytes(config.kvKilobytesPerToken),
    servers,
    requests,
    iterations: rows,
    slots,
    assignments,
    metrics,
  };
}

function slotRows({ slot, eta, peak, iterations, deviation, queue }: SlotOutcome): InspectedSlot[] {
  return Array.from(eta, (value, s) => ({
    slot,
    server: s,
    eta: value,
    peak: peak[s],
    iterations: iterations[s],
    deviation: deviation[s],
    queue: queue[s],
  }));
}

/** "t3-7": the eighth request of slot 3. */
function requestId(slot: number, index: number): string {
  return `t${String(slot)}-${String(index)}`;
}

/** k ≤ k̃: the iteration starts before the prefill of its slot's batch has ended. */
function withPhases(iterations: readonly Iteration[], requests: readonly InspectedRequest[]): InspectedIteration[] {
  const key = ({ server, slot }: { readonly server: number; readonly slot: number }): string => `${server} ${slot}`;
  const prefillEndAt = new Map(requests.map((request) => [key(request), request.prefillEndAt]));
  return iterations.map((row) => ({ ...row, phase: row.startsAt < (prefillEndAt.get(key(row)) ?? 0) ? 'I' : 'II' }));
}
