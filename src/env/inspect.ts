import { kilobytesToBytes } from '../core/units';
import type { Completion } from '../system/completion';
import type { SystemConfig } from '../system/config';
import { serverSpecs } from '../system/gpus';
import type { ServerSpec } from '../system/scenario';
import type { Iteration } from '../system/trajectory';
import type { EdgeEnvOptions } from './edge-env';
import type { RunMetrics } from './metrics';
import type { SchedulerFactory } from './scheduler';
import { simulate } from './simulate';

/** A stay of a request in the running batch, s. */
export interface Stay {
  readonly joinedAt: number;
  readonly endedAt: number;
}

/** A completed request with the points in time that it passed and the parts of D_tot between them, all s. */
export interface InspectedRequest extends Completion {
  /** "t3-7": the eighth request of slot 3. */
  readonly id: string;
  /** Start of its slot. */
  readonly arrivedAt: number;
  readonly transmittedAt: number;
  /** More than one if it was preempted. */
  readonly stays: readonly Stay[];
}

export interface InspectedIteration extends Iteration {
  /** I while the slot's new batch is being sent and prefilled (k ≤ k̃), II afterwards. */
  readonly phase: 'I' | 'II';
}

/** The columns of a slot's outcome that are kept: η_s(t), M_pk(t) over the pool, K_s(t), Y_s(t) and Z_s(t). */
const SLOT_COLUMNS = ['eta', 'peak', 'iterations', 'deviation', 'queue'] as const;

/** One server in one slot, t < T. */
export type InspectedSlot = Readonly<Record<'slot' | 'server' | (typeof SLOT_COLUMNS)[number], number>>;

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
  const requests: InspectedRequest[] = [];
  const slots: InspectedSlot[] = [];
  const assignments: number[][] = [];
  /** Stays that ended with a preemption, by the request's id. */
  const preempted = new Map<string, Stay[]>();
  const noted: SchedulerFactory = (system, rng) => {
    const assign = scheduler(system, rng);
    return (view, assignment) => {
      assign(view, assignment);
      assignments.push(Array.from(assignment.subarray(0, view.count)));
    };
  };
  const metrics = simulate(config, noted, seed, {
    ...options,
    recorder: {
      record: (iteration) => iterations.push(iteration),
      preempted(slot, index, joinedAt, endedAt) {
        const id = requestId(slot, index);
        preempted.set(id, [...(preempted.get(id) ?? []), { joinedAt, endedAt }]);
      },
    },
    onSlot(outcome) {
      const { slot, eta, completions } = outcome;
      eta.forEach((_, server) => {
        const columns = SLOT_COLUMNS.map((name) => [name, outcome[name][server]]);
        slots.push({ slot, server, ...Object.fromEntries(columns) } as InspectedSlot);
      });
      for (const request of completions.rows()) {
        const id = requestId(request.slot, request.index);
        const arrivedAt = request.slot * config.slotSeconds;
        const stays = [...(preempted.get(id) ?? []), { joinedAt: request.joinedAt, endedAt: request.completedAt }];
        requests.push({ ...request, id, arrivedAt, transmittedAt: arrivedAt + request.transmission, stays });
      }
    },
  });
  requests.sort((a, b) => a.slot - b.slot || a.index - b.index);
  iterations.sort((a, b) => a.server - b.server || a.startsAt - b.startsAt);
  return {
    config,
    kvBytesPerToken: kilobytesToBytes(config.kvKilobytesPerToken),
    servers: serverSpecs(config),
    requests,
    iterations: withPhases(iterations, requests),
    slots,
    assignments,
    metrics,
  };
}

function requestId(slot: number, index: number): string {
  return `t${slot}-${index}`;
}

/** k ≤ k̃: the iteration starts before the prefill of its slot's batch has ended. */
function withPhases(iterations: readonly Iteration[], requests: readonly InspectedRequest[]): InspectedIteration[] {
  const key = ({ server, slot }: { readonly server: number; readonly slot: number }): string => `${server} ${slot}`;
  const prefillEndAt = new Map(requests.map((request) => [key(request), request.prefillEndAt]));
  return iterations.map((row) => ({ ...row, phase: row.startsAt < (prefillEndAt.get(key(row)) ?? 0) ? 'I' : 'II' }));
}
