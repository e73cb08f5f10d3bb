import { z } from 'zod';
import { UserError } from '../core/errors';
import { parseJson, parseWith } from '../core/parse';

/** How a server forms its decoding batch: DEED (III-C2) or batch-at-a-time (V-B). */
export type Batching = 'deed' | 'static';

/** One point of a measured decode profile; between points the iteration *time* is linear in the KV bytes. */
export interface DecodePoint {
  /** KV cache held, bytes. */
  readonly kvBytes: number;
  /** Decode iterations per second at that occupation. */
  readonly iterationsPerSecond: number;
}

/** What the serving model needs to know of one edge server. */
export interface ServerSpec {
  readonly name: string;
  /** The reserved KV pool κ·M_s, bytes. */
  readonly kvCapacityBytes: number;
  /** v_pre, tokens/s. */
  readonly prefillTokensPerSecond: number;
  /** v_dec(m): increasing in kvBytes, non-increasing in speed. */
  readonly decodeProfile: readonly DecodePoint[];
}

/** One request of a scenario, already assigned and with its transmission time fixed. */
export interface ScenarioRequest {
  readonly id: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Name of the server it is sent to. */
  readonly server: string;
  /** D_tx, s. */
  readonly transmissionSeconds: number;
}

/** A scenario fixes servers, requests, assignments and transmission times, so that nothing is random. */
export interface Scenario {
  /** Δ, s. */
  readonly slotSeconds: number;
  /** α, bytes/token. */
  readonly kvBytesPerToken: number;
  /** w, the share of decode speed that a running prefill takes. */
  readonly prefillSlowdown: number;
  readonly batching: Batching;
  /** A request that no KV pool can ever hold: stop with an error (default), or drop and list it. */
  readonly oversized?: 'error' | 'reject' | undefined;
  readonly servers: readonly ServerSpec[];
  readonly slots: readonly { readonly requests: readonly ScenarioRequest[] }[];
}

const positive = z.number('a finite number > 0').positive('a finite number > 0');
const nonNegative = z.number('a finite number >= 0').nonnegative('a finite number >= 0');
const tokens = z.int('an integer >= 1').min(1, 'an integer >= 1');
const name = z.string('a non-empty string').min(1, 'a non-empty string');

const decodeProfile = z
  .array(z.strictObject({ kvBytes: nonNegative, iterationsPerSecond: positive }), 'a list of {kvBytes, iterationsPerSecond}')
  .min(1, 'at least one {kvBytes, iterationsPerSecond}')
  .superRefine((points, context) => {
    points.forEach((point, i) => {
      const before = points[i - 1];
      if (before === undefined) return;
      if (point.kvBytes <= before.kvBytes) context.addIssue({ code: 'custom', path: [i, 'kvBytes'], message: `more than the point before (${String(before.kvBytes)})` });
      if (point.iterationsPerSecond > before.iterationsPerSecond)
        context.addIssue({ code: 'custom', path: [i, 'iterationsPerSecond'], message: `at most the point before (${String(before.iterationsPerSecond)})` });
    });
  });

const schema: z.ZodType<Scenario> = z.strictObject({
  slotSeconds: positive,
  kvBytesPerToken: positive,
  prefillSlowdown: z.number('a number in [0, 1)').min(0, 'a number in [0, 1)').lt(1, 'a number in [0, 1)'),
  batching: z.enum(['deed', 'static'], '"deed" or "static"'),
  oversized: z.enum(['error', 'reject'], '"error" or "reject"').optional(),
  servers: z
    .array(z.strictObject({ name, kvCapacityBytes: positive, prefillTokensPerSecond: positive, decodeProfile }), 'a list of servers')
    .min(1, 'at least one server'),
  slots: z.array(
    z.strictObject({
      requests: z.array(
        z.strictObject({ id: name, inputTokens: tokens, outputTokens: tokens, server: name, transmissionSeconds: nonNegative }),
        'a list of requests',
      ),
    }),
    'a list of slots',
  ),
});

/** The check of a decode profile, for every reader of one. */
export const decodeProfileSchema: z.ZodType<readonly DecodePoint[]> = decodeProfile;

/** Names must be unique and every request's server must exist; the schema sees one field at a time and cannot tell. */
function checkReferences(scenario: Scenario, file: string): void {
  const serverNames = new Set<string>();
  scenario.servers.forEach((server, i) => {
    if (serverNames.has(server.name)) throw new UserError(`${file}: servers[${String(i)}].name is "${server.name}", which an earlier server has; allowed: unique names`);
    serverNames.add(server.name);
  });
  const ids = new Set<string>();
  scenario.slots.forEach((slot, t) => {
    slot.requests.forEach((request, i) => {
      const where = `${file}: slots[${String(t)}].requests[${String(i)}]`;
      if (ids.has(request.id)) throw new UserError(`${where}.id is "${request.id}", which an earlier request has; allowed: unique ids`);
      ids.add(request.id);
      if (!serverNames.has(request.server)) throw new UserError(`${where}.server is "${request.server}"; allowed: ${[...serverNames].join(', ')}`);
    });
  });
}

/**
 * Checks a scenario read from JSON.
 *
 * @param value the parsed JSON.
 * @param file the name that errors begin with.
 * @throws UserError naming the field, its value and what is allowed.
 */
export function parseScenario(value: unknown, file = 'scenario'): Scenario {
  const scenario = parseWith(schema, value, file);
  checkReferences(scenario, file);
  return scenario;
}

/** Reads a scenario from JSON text (a byte order mark is allowed). */
export function parseScenarioText(text: string, file = 'scenario'): Scenario {
  return parseScenario(parseJson(text, file), file);
}
