import fc from 'fast-check';
import type { Batching, DecodePoint, Scenario, ScenarioRequest, ServerSpec } from '../../src/system/scenario';
import { isOversized } from './oracle';

/**
 * Random valid scenarios, small enough that thousands replay in seconds and mean enough to meet every tie.
 * In a *dyadic* scenario each time and byte count is a small multiple of a power of two: sums are exact in doubles, so slot
 * boundaries, prefill ends and iteration boundaries coincide exactly and an engine has no rounding to hide behind.
 * A *decimal* scenario has the numbers people write (0.1 s, w = 0.9, α = 1/3).
 */

const DYADIC = {
  slotSeconds: [0.125, 0.25, 0.5, 1, 2],
  kvBytesPerToken: [0.5, 1, 2, 1024],
  prefillSlowdown: [0, 0.5, 0.75],
  prefillTokensPerSecond: [1, 4, 8, 16, 64, 1024],
  iterationsPerSecond: [64, 32, 16, 8, 4, 2, 1, 0.25],
  // Between profile points, tokens.
  profileGaps: [1, 2, 4, 8, 16, 32],
  transmissionSeconds: [0, 0, 0, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1, 2, 3.75],
  // Far beyond the last slot; sums near 2²⁰ s are still exact.
  hugeTransmissionSeconds: [64, 1000, 1048576],
};

/** The numbers a scenario is made of. */
type Palette = Readonly<Record<keyof typeof DYADIC, readonly number[]>>;

const DECIMAL: Palette = {
  slotSeconds: [0.1, 0.3, 1 / 3, 0.7, 1, 5],
  kvBytesPerToken: [0.1, 1 / 3, 1, 163840, 819200.7],
  prefillSlowdown: [0, 0.1, 1 / 3, 0.9, 0.99],
  prefillTokensPerSecond: [3, 10, 33.3, 160, 8000],
  iterationsPerSecond: [70, 40, 33.3, 10, 9.99, 3, 0.7],
  profileGaps: [1, 3, 7, 10, 25.5],
  transmissionSeconds: [0, 0, 0.05, 0.1, 0.2, 0.3, 1 / 3, 0.9, 2.1],
  hugeTransmissionSeconds: [64.1, 1000 / 3],
};

/** Names that break an engine which keeps its requests in a plain object, sorts by UTF-16 units or reads ids as numbers. */
const NAMES = ['r', '', '0', 'a ', 'Z', 'é', '\u{1f600}', '\uff5e', '__proto__', 'constructor', 'toString', 'length'];

export interface ScenarioOptions {
  readonly batching?: Batching;
  /** Every request fits its server alone. */
  readonly feasible?: boolean;
  /** Requests have predictions of their own, and admission goes by them or by the true lengths. Default: exact ones. */
  readonly predictions?: boolean;
}

/** A number ≥ 1 that is mostly tiny and now and then long. */
const tokens = (long: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: long }) },
  );

/** One to four points, speeds falling or level. */
function decodeProfile(palette: Palette, kvBytesPerToken: number): fc.Arbitrary<DecodePoint[]> {
  const count = palette.iterationsPerSecond.length - 1;
  const step = fc.record({ gap: fc.constantFrom(...palette.profileGaps), slower: fc.nat({ max: 2 }) });
  return fc
    .record({
      from: fc.constantFrom(0, 0, 2, 8),
      fastest: fc.nat({ max: count }),
      steps: fc.array(step, { maxLength: 3 }),
    })
    .map(({ from, fastest, steps }) => {
      let [kvTokens, rank] = [from, fastest];
      return [{ gap: 0, slower: 0 }, ...steps].map(({ gap, slower }) => {
        kvTokens += gap;
        rank += slower;
        const iterationsPerSecond = palette.iterationsPerSecond[Math.min(rank, count)];
        return { kvBytes: kvBytesPerToken * kvTokens, iterationsPerSecond };
      });
    });
}

/** Memory for one or two requests, for some, or for all; at times half a token more than a whole number. */
const capacityTokens: fc.Arbitrary<number> = fc
  .record({
    whole: fc.oneof(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 20, max: 200 }), fc.constant(10000)),
    half: fc.constantFrom(0, 0, 0.5),
  })
  .map(({ whole, half }) => whole + half);

interface Draft {
  readonly id: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly predictedTokens: number;
  readonly serverIndex: number;
  readonly transmissionSeconds: number;
}

function draftRequest(palette: Palette): fc.Arbitrary<Draft> {
  return fc.record({
    id: fc.oneof({ weight: 3, arbitrary: fc.constant('r') }, { weight: 1, arbitrary: fc.constantFrom(...NAMES) }),
    inputTokens: tokens(60),
    outputTokens: tokens(100),
    predictedTokens: fc.oneof(tokens(200), fc.constant(1_000_000)),
    serverIndex: fc.nat({ max: 5 }),
    transmissionSeconds: fc.oneof(
      { weight: 24, arbitrary: fc.constantFrom(...palette.transmissionSeconds) },
      { weight: 1, arbitrary: fc.constantFrom(...palette.hugeTransmissionSeconds) },
    ),
  });
}

/** The name itself the first time, numbered afterwards; an empty one is always numbered. */
function uniqueName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let i = 1; name === '' || taken.has(name); i++) name = `${wanted}${String(i)}`;
  taken.add(name);
  return name;
}

function scenarioFrom(palette: Palette, options: ScenarioOptions): fc.Arbitrary<Scenario> {
  const batching =
    options.batching === undefined ? fc.constantFrom<Batching>('deed', 'static') : fc.constant(options.batching);
  return fc
    .record({
      slotSeconds: fc.constantFrom(...palette.slotSeconds),
      kvBytesPerToken: fc.constantFrom(...palette.kvBytesPerToken),
      prefillSlowdown: fc.constantFrom(...palette.prefillSlowdown),
      batching,
    })
    .chain((head) => {
      const server = fc.record({
        name: fc.constantFrom('s', ...NAMES),
        capacityTokens,
        prefillTokensPerSecond: fc.constantFrom(...palette.prefillTokensPerSecond),
        decodeProfile: decodeProfile(palette, head.kvBytesPerToken),
      });
      const few = fc.array(draftRequest(palette), { minLength: 1, maxLength: 4 });
      const crowd = fc.array(draftRequest(palette), { minLength: 5, maxLength: 14 });
      const slot = fc.oneof(
        { weight: 2, arbitrary: fc.constant<Draft[]>([]) },
        { weight: 6, arbitrary: few },
        { weight: 1, arbitrary: crowd },
      );
      return fc
        .record({
          servers: fc.array(server, { minLength: 1, maxLength: 3 }),
          admission: fc.constantFrom('predicted-length', 'predicted-length', 'true-length'),
          slots: fc.oneof(
            { weight: 9, arbitrary: fc.array(slot, { minLength: 1, maxLength: 7, size: 'max' }) },
            { weight: 1, arbitrary: fc.array(slot, { maxLength: 2 }) },
          ),
        })
        .map((body) => {
          const serverNames = new Set<string>();
          const servers = body.servers.map(({ capacityTokens: wholeTokens, name, ...rest }): ServerSpec => ({
            name: uniqueName(name, serverNames),
            kvCapacityBytes: head.kvBytesPerToken * wholeTokens,
            ...rest,
          }));
          const ids = new Set<string>();
          const toRequest = ({ serverIndex, id, predictedTokens, ...rest }: Draft): ScenarioRequest => ({
            id: uniqueName(id, ids),
            ...rest,
            ...(options.predictions === true ? { predictedTokens } : {}),
            server: servers[serverIndex % servers.length].name,
          });
          const slots = body.slots.map((drafts) => ({ requests: drafts.map(toRequest) }));
          const admission = options.predictions === true ? { admission: body.admission } : {};
          const scenario: Scenario = { ...head, ...admission, oversized: 'reject', servers, slots };
          return options.feasible === true ? withoutOversized(scenario) : scenario;
        });
    });
}

/** The scenario less its oversized requests. */
function withoutOversized(scenario: Scenario): Scenario {
  return {
    ...scenario,
    oversized: 'error',
    slots: scenario.slots.map((slot) => ({
      requests: slot.requests.filter((request) => !isOversized(scenario, request)),
    })),
  };
}

/** Scenarios whose every time and size is exact in doubles. */
export const dyadicScenario = (options: ScenarioOptions = {}): fc.Arbitrary<Scenario> => scenarioFrom(DYADIC, options);

/** Scenarios with the numbers people write. */
export const decimalScenario = (options: ScenarioOptions = {}): fc.Arbitrary<Scenario> =>
  scenarioFrom(DECIMAL, options);

/** Either kind, two dyadic for one decimal. */
export const anyScenario = (options: ScenarioOptions = {}): fc.Arbitrary<Scenario> =>
  fc.oneof({ weight: 2, arbitrary: dyadicScenario(options) }, { weight: 1, arbitrary: decimalScenario(options) });
