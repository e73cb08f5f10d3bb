import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../src/core/errors';
import { replay } from '../src/system/replay';
import type { Scenario, ScenarioRequest } from '../src/system/scenario';
import { anyScenario, decimalScenario, dyadicScenario } from './support/arbitraries';
import { differences, goldens } from './support/compare';
import { fuzz } from './support/fuzz';
import { isOversized, isRefused, oracleReplay } from './support/oracle';

/** Ids of the requests that are refused on arrival. */
function oracleRefuses(scenario: Scenario): Set<string> {
  const requests = scenario.slots.flatMap((slot) => slot.requests);
  return new Set(requests.filter((request) => isRefused(scenario, request)).map(({ id }) => id));
}

describe('replay', () => {
  it.each(goldens())('agrees with the independent program on $name', ({ scenario, expected }) => {
    expect(differences(replay(scenario), expected)).toEqual([]);
  });

  const agrees = (scenario: Scenario): void => {
    expect(differences(replay(scenario), oracleReplay(scenario))).toEqual([]);
  };

  it('agrees with the oracle on random scenarios full of exact ties', () => {
    fc.assert(fc.property(dyadicScenario(), agrees), fuzz(3000));
  });

  it('agrees with the oracle on random scenarios of decimal numbers', () => {
    fc.assert(fc.property(decimalScenario(), agrees), fuzz(1500));
  });

  it('agrees with the oracle where predictions are wrong, admission goes by them and requests are preempted', () => {
    let preempted = 0;
    let lost = 0;
    const agreesAndCounts = (scenario: Scenario): void => {
      const result = replay(scenario);
      expect(differences(result, oracleReplay(scenario))).toEqual([]);
      if (result.requests.some((request) => 'preemptions' in request)) preempted++;
      const refused = oracleRefuses(scenario);
      if (result.requests.some((request) => 'rejected' in request && !refused.has(request.id))) lost++;
    };
    fc.assert(fc.property(dyadicScenario({ predictions: true }), agreesAndCounts), fuzz(800));
    fc.assert(fc.property(decimalScenario({ predictions: true }), agreesAndCounts), fuzz(400));
    // Otherwise the scenarios are too tame to show anything.
    expect(preempted).toBeGreaterThan(40);
    expect(lost).toBeGreaterThan(40);
  });

  describe('agrees with the oracle far from the usual sizes', () => {
    type Sketch = Partial<ScenarioRequest>;
    /** One fast server, requests `slot-place` of one token in and one out unless said otherwise. */
    const sketch = (
      slots: readonly (readonly Sketch[])[],
      scenario: Partial<Scenario> = {},
      kvCapacityBytes = 1e12,
    ): Scenario => ({
      slotSeconds: 1,
      kvBytesPerToken: 1,
      prefillSlowdown: 0.5,
      batching: 'deed',
      servers: [
        {
          name: 'a',
          kvCapacityBytes,
          prefillTokensPerSecond: 1e9,
          decodeProfile: [{ kvBytes: 0, iterationsPerSecond: 70 }],
        },
      ],
      slots: slots.map((requests, t) => ({
        requests: requests.map((request, i) => ({
          id: `${String(t)}-${String(i)}`,
          inputTokens: 1,
          outputTokens: 1,
          server: 'a',
          transmissionSeconds: 0,
          ...request,
        })),
      })),
      ...scenario,
    });
    const crowd = (count: number): Sketch[] =>
      Array.from({ length: count }, (_, i) => ({ inputTokens: 1 + ((i * 5) % 11), outputTokens: 1 + ((i * 7) % 13) }));
    const longWait = [{ transmissionSeconds: 1e6 }, { outputTokens: 100 }];

    it.each<[string, Scenario]>([
      ['no slots', sketch([])],
      ['a crowd', sketch([crowd(500), crowd(300)])],
      ['a crowd with little memory', sketch([crowd(500)], {}, 100)],
      ['a static crowd with little memory', sketch([crowd(500)], { batching: 'static' }, 100)],
      [
        'outputs of thousands of tokens',
        sketch(
          [[{ outputTokens: 3000 }, { inputTokens: 77, outputTokens: 2000 }], [], [{ outputTokens: 2500 }]],
          {},
          5200,
        ),
      ],
      ['a thousand slots', sketch(Array.from({ length: 1000 }, (_, t) => (t % 7 === 0 ? [{ outputTokens: 9 }] : [])))],
      [
        'slot numbers beyond 32 bits',
        sketch([[{ transmissionSeconds: 1e5, outputTokens: 3 }], [{}]], { slotSeconds: 1e-6 }),
      ],
      ['byte counts near the largest double', sketch([[{ outputTokens: 3 }]], { kvBytesPerToken: 1e300 }, 1e308)],
      ['an output too long to count to, rejected', sketch([[{ outputTokens: 9e15 }, {}]], { oversized: 'reject' })],
      [
        'batches of more than 2³² tokens',
        sketch([[{ inputTokens: 2e9, outputTokens: 2 }, { inputTokens: 2e9, outputTokens: 3 }, { inputTokens: 2e9 }]]),
      ],
      ['prompts of more than 2³¹ tokens', sketch([[{ inputTokens: 3e9, outputTokens: 2 }, { inputTokens: 5 }]])],
      [
        'a clock of a million seconds: decode is the sum of the iterations, not a difference of two late instants',
        sketch([longWait]),
      ],
    ])('%s', (_, scenario) => {
      agrees(scenario);
    });
  });

  it('stops on an oversized request by default, with a message that names one', () => {
    fc.assert(
      fc.property(anyScenario(), fc.constantFrom<'error' | undefined>('error', undefined), (rejecting, oversized) => {
        const scenario: Scenario = { ...rejecting, oversized };
        const giants = scenario.slots
          .flatMap((slot) => slot.requests)
          .filter((request) => isOversized(scenario, request));
        if (giants.length === 0) {
          expect(replay(scenario)).toEqual(replay(rejecting));
          return;
        }
        let message = '';
        try {
          replay(scenario);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
          message = (error as UserError).message;
        }
        expect(giants.some((request) => message.includes(`"${request.id}"`))).toBe(true);
      }),
      fuzz(300),
    );
  });
});
