import { describe, expect, it } from 'vitest';
import { type Conclusion, conditionClaims } from './condition-claims';
import type { ConditionName } from '../paper/conditions';
import { profiles } from '../paper/profiles';
import { type RunSpec, matrix } from '../paper/run-spec';
import type { MethodName } from '../paper/methods';
import { Results } from '../paper/results';
import type { StoredRun } from '../paper/run-store';

/** Latency and deviation of the paper's order, a little different from seed to seed. */
const base: Partial<Record<MethodName, readonly [latency: number, deviation: number]>> = {
  lyreo: [2, 0.004],
  'ly-ppo': [3, 0.006],
  ppo: [4, 0.008],
  static: [5, 0.02],
  ll: [6, 0.03],
  random: [7, 0.04],
};

function resultsWith(
  change: (spec: RunSpec, latency: number) => number,
  keep: (spec: RunSpec) => boolean = () => true,
): Results {
  const stored = matrix(profiles.paper, ['beyond'])
    .filter(keep)
    .map((spec) => {
      const [latency, deviation] = base[spec.method] ?? [2.5, 0.005];
      const meanLatency = change(spec, latency + spec.seed / 100);
      const evaluation = { meanLatency, deviation: deviation + spec.seed / 1e4, stability: { verdict: 'STABLE' } };
      return { ...spec, evaluation } as unknown as StoredRun;
    });
  return new Results(profiles.paper, stored);
}

function verdicts(results: Results, name: ConditionName | 'default'): Partial<Record<Conclusion, string | undefined>> {
  return Object.fromEntries(
    conditionClaims(results, name).map(({ conclusion, judgement }) => [conclusion, judgement?.verdict]),
  );
}

const allHold = {
  order: 'holds',
  fastest: 'holds',
  'simple rules': 'holds',
  balance: 'holds',
  'best balance': 'holds',
};

describe('the conclusions in a condition', () => {
  const asPrinted = resultsWith((_, latency) => latency);

  it.each(['default', ...profiles.paper.conditions] as const)(
    'hold where runs are as the paper has them: %s',
    (name) => {
      const found = verdicts(asPrinted, name);
      const none = Object.fromEntries(Object.keys(allHold).map((conclusion) => [conclusion, undefined]));
      expect(found).toEqual(name === 'stale-3' || name === 'tenfold' ? none : allHold);
    },
  );

  it('are judged by the runs of the condition alone', () => {
    const isHeavy = ({ config, method }: RunSpec): boolean => config.lengths === 'lmsys-like' && method === 'lyreo';
    const slower = resultsWith((spec, latency) => latency + (isHeavy(spec) ? 1.5 : 0));
    expect(verdicts(slower, 'heavy-tails')).toEqual({ ...allHold, order: 'contradicted', fastest: 'contradicted' });
    for (const name of ['default', 'stale-1', 'azure'] as const) expect(verdicts(slower, name)).toEqual(allHold);
  });

  it('need a clear difference', () => {
    const noisy = resultsWith(({ method, seed }, latency) => latency + (method === 'ly-ppo' ? 4 * (seed - 2) : 0));
    expect(verdicts(noisy, 'azure')).toMatchObject({
      order: 'not shown',
      fastest: 'not shown',
      balance: 'holds',
    });
  });

  it('cannot be tested without runs, or with one seed', () => {
    const one = resultsWith(
      (_, latency) => latency,
      ({ seed }) => seed === 1,
    );
    for (const results of [one, new Results(profiles.paper, [])])
      expect(new Set(Object.values(verdicts(results, 'length-error')))).toEqual(new Set(['cannot be tested']));
  });
});
