import { describe, expect, it } from 'vitest';
import { differences, goldens } from './support/compare';
import { oracleReplay } from './support/oracle';

describe('oracleReplay', () => {
  const shared = goldens();

  it('finds all the shared scenarios', () => {
    expect(shared).toHaveLength(11);
  });

  it.each(shared)('agrees with the independent program on $name', ({ scenario, expected }) => {
    expect(differences(oracleReplay(scenario), expected)).toEqual([]);
  });

  it('names a request that can never run', () => {
    const server = {
      name: 'a',
      kvCapacityBytes: 4,
      prefillTokensPerSecond: 1,
      decodeProfile: [{ kvBytes: 0, iterationsPerSecond: 1 }],
    };
    const request = { id: 'giant', inputTokens: 3, outputTokens: 2, server: 'a', transmissionSeconds: 0 };
    const scenario = {
      slotSeconds: 1,
      kvBytesPerToken: 1,
      prefillSlowdown: 0,
      batching: 'deed',
      servers: [server],
      slots: [{ requests: [request] }],
    } as const;
    expect(() => oracleReplay(scenario)).toThrow(/giant/);
  });
});
