import { describe, expect, it } from 'vitest';
import { type Goal, goals, goodFrom } from './goals';
import { matrix } from '../paper/matrix';
import { profiles } from '../paper/profiles';
import type { RunSpec } from '../paper/run-spec';
import type { StabilityVerdict } from '../env/stability';
import type { MethodName } from '../paper/methods';
import { Results } from '../paper/results';
import type { StoredRun } from '../paper/run-store';

/** Latency, deviation, and the update from which on the training is good. */
const base: Partial<Record<MethodName, readonly [latency: number, deviation: number, good: number]>> = {
  lyreo: [2, 0.006, 5],
  'lyreo-seq': [1.9, 0.006, 1],
  'ly-ppo': [2.1, 0.009, 14],
  ppo: [2.2, 0.008, 9],
  'drift-plus-penalty': [1.95, 0.005, 1],
};

function stored(spec: RunSpec, verdict: StabilityVerdict, slower = 0, later = 0): StoredRun {
  const [latency, deviation, first] = base[spec.method] ?? [3, 0.02, 1];
  const good = first + later;
  const meanLatency = latency + slower + spec.seed / 1000;
  const log = {
    latency: Array.from({ length: 16 }, (_, k) => (k + 1 < good ? 2 * meanLatency : meanLatency)),
    deviation: Array.from({ length: 16 }, () => deviation),
  };
  const evaluation = { meanLatency, deviation: deviation + spec.seed / 1e5, stability: { verdict } };
  return { ...spec, log, evaluation } as unknown as StoredRun;
}

function resultsWith(make: (spec: RunSpec) => StoredRun): Results {
  return new Results(profiles.paper, matrix(profiles.paper, ['fig4', 'rho0', 'extras']).map(make));
}

function failing(found: readonly Goal[]): string[] {
  return found
    .filter(({ judgement }) => judgement.verdict !== 'holds')
    .map(({ goal, users, memoryWeight }) => `${goal}, U = ${users}, ϱ = ${memoryWeight}`);
}

describe('the goals', () => {
  it('hold where they are reached', () => {
    const found = goals(resultsWith((spec) => stored(spec, 'STABLE')));
    expect(failing(found)).toEqual([]);
    expect(found).toHaveLength(3 + 6 + 2 + 3 + 6);
  });

  it('fail where LYREO is slower, unstable or late', () => {
    const isLyreo = ({ method }: RunSpec): boolean => method === 'lyreo';
    const slower = goals(resultsWith((spec) => stored(spec, 'STABLE', isLyreo(spec) ? 0.15 : 0)));
    expect(failing(slower)).toEqual([
      'LYREO’s latency not significantly above Ly-PPO’s and PPO’s, U = 40, ϱ = 1',
      'LYREO’s latency not significantly above Ly-PPO’s and PPO’s, U = 40, ϱ = 0',
    ]);
    const unstable = goals(
      resultsWith((spec) =>
        stored(spec, isLyreo(spec) && spec.config.users === 60 && spec.seed === 3 ? 'OVERLOADED' : 'STABLE'),
      ),
    );
    expect(failing(unstable)).toEqual([
      'LYREO stable with every seed, U = 60, ϱ = 1',
      'LYREO stable with every seed, U = 60, ϱ = 0',
    ]);
    const open = goals(
      resultsWith((spec) =>
        stored(spec, isLyreo(spec) && spec.config.users === 60 && spec.seed === 3 ? 'UNKNOWN' : 'STABLE'),
      ),
    );
    const stable = open.filter(({ goal, users }) => goal.includes('stable') && users === 60);
    expect(stable.map(({ judgement }) => judgement.verdict)).toEqual(['cannot be tested', 'cannot be tested']);
    expect(stable[0].judgement.reason).toBe('the stability of some runs is UNKNOWN');
  });

  it('cannot be told without runs', () => {
    const found = goals(new Results(profiles.paper, []));
    expect(new Set(found.map(({ judgement }) => judgement.verdict))).toEqual(new Set(['cannot be tested']));
  });

  it('count a training as good from its last lapse on', () => {
    const log = { latency: [5, 2, 5, 2, 2], deviation: [0, 0, 0, 0.03, 0] };
    expect(goodFrom({ log } as unknown as StoredRun, 3)).toBe(5);
    expect(goodFrom({ log } as unknown as StoredRun, 1)).toBe(6);
  });
});
