import { z } from 'zod';
import { invalid, show } from '../core/errors';
import { parseWith } from '../core/parse';
import { belowOne, integer, nonNegative, oneOf, positive, text } from '../core/schema';

/** The forming of a server's decoding batch: DEED (III-C2) or batch-at-a-time (V-B). */
export type Batching = 'deed' | 'static';

/**
 * The length by which a request is admitted to the KV pool: its prediction and the tokens generated so far, as on a real
 * server, or its true length. The two are the same where predictions are exact, as in the paper.
 */
export type Admission = 'predicted-length' | 'true-length';

/** A point of a measured decode profile; between points the iteration *time* is linear in the KV bytes. */
export interface DecodePoint {
  readonly kvBytes: number;
  readonly iterationsPerSecond: number;
}

/** The constants of one edge server in the serving model. */
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
  /** l̂, tokens. Default: outputTokens. */
  readonly predictedTokens?: number | undefined;
  /** Name of the server it is sent to. */
  readonly server: string;
  /** D_tx, s. */
  readonly transmissionSeconds: number;
}

/** The constants that all servers of a system share. */
export interface ServingConstants {
  /** Δ, s. */
  readonly slotSeconds: number;
  /** α, bytes/token. */
  readonly kvBytesPerToken: number;
  /** w, the share of decode speed that a running prefill takes, III-C2. */
  readonly prefillSlowdown: number;
  readonly batching: Batching;
  /** Default 'predicted-length'. */
  readonly admission?: Admission | undefined;
}

/** A scenario fixes servers, requests, assignments and transmission times, so that nothing is random. */
export interface Scenario extends ServingConstants {
  /** A request that no KV pool can ever hold: stop with an error (default), or drop and list it. */
  readonly oversized?: 'error' | 'reject' | undefined;
  readonly servers: readonly ServerSpec[];
  readonly slots: readonly { readonly requests: readonly ScenarioRequest[] }[];
}

/** A record with these fields and no others; the message lists them. */
const record = <Shape extends z.ZodRawShape>(name: string, shape: Shape): z.ZodObject<Shape, z.core.$strict> =>
  z.strictObject(shape, `${name}{${Object.keys(shape).join(', ')}}`);

const tokens = integer(1, Number.MAX_SAFE_INTEGER, 'an integer >= 1');
const name = text('a non-empty string');

const point = record('', { kvBytes: nonNegative, iterationsPerSecond: positive });

const decodeProfile = z
  .array(point, 'a list of {kvBytes, iterationsPerSecond}')
  .min(1, 'at least one {kvBytes, iterationsPerSecond}')
  .superRefine((points, context) => {
    points.slice(1).forEach((point, k) => {
      const before = points[k];
      const complain = (field: keyof DecodePoint, limit: string): void => {
        const message = `${limit} the point before (${before[field]})`;
        context.addIssue({ code: 'custom', input: point[field], path: [k + 1, field], message });
      };
      if (point.kvBytes <= before.kvBytes) complain('kvBytes', 'more than');
      if (point.iterationsPerSecond > before.iterationsPerSecond) complain('iterationsPerSecond', 'at most');
    });
  });

const server = record('a server, ', {
  name,
  kvCapacityBytes: positive,
  prefillTokensPerSecond: positive,
  decodeProfile,
});

const request = record('a request, ', {
  id: name,
  inputTokens: tokens,
  outputTokens: tokens,
  predictedTokens: tokens.optional(),
  server: name,
  transmissionSeconds: nonNegative,
});

const schema: z.ZodType<Scenario> = record('a scenario, ', {
  slotSeconds: positive,
  kvBytesPerToken: positive,
  prefillSlowdown: belowOne,
  batching: oneOf('deed', 'static'),
  admission: oneOf('predicted-length', 'true-length').optional(),
  oversized: oneOf('error', 'reject').optional(),
  servers: z.array(server, 'a list of servers').min(1, 'at least one server'),
  slots: z.array(record('a slot, ', { requests: z.array(request, 'a list of requests') }), 'a list of slots'),
});

/** @param places the value at each place. */
function checkUnique(field: 'name' | 'id', places: ReadonlyMap<string, string>, file: string): void {
  const earlier = new Map<string, string>();
  for (const [place, value] of places) {
    const other = earlier.get(value);
    if (other !== undefined) throw invalid(`${file}: ${place}.${field}`, value, `unique ${field}s (${other} has it)`);
    earlier.set(value, place);
  }
}

/**
 * Checks a scenario, parsed JSON.
 *
 * @throws UserError naming the file, the field, its value and the allowed values.
 */
export function parseScenario(value: unknown, file = 'scenario'): Scenario {
  const scenario = parseWith(schema, value, file);
  const names = scenario.servers.map((server) => server.name);
  const requests = scenario.slots.flatMap((slot, t) =>
    slot.requests.map((request, i) => [`slots[${t}].requests[${i}]`, request] as const),
  );
  checkUnique('name', new Map(names.map((name, s) => [`servers[${s}]`, name])), file);
  checkUnique('id', new Map(requests.map(([place, { id }]) => [place, id])), file);
  for (const [place, { server }] of requests)
    if (!names.includes(server)) throw invalid(`${file}: ${place}.server`, server, names.map(show).join(', '));
  return scenario;
}
