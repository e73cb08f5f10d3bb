import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { createPolicy, policyScheduler } from '../lyreo/policy';
import { playEpisode } from '../lyreo/rollout';
import { schedulers } from '../schedulers/index';
import { syntheticWorkload } from '../system/workload';
import { tinyConfig } from '../../tests/support/tiny';
import { evaluate } from './evaluate';
import { simulate } from '../env/simulate';

const config = tinyConfig();
const policy = createPolicy(3, [8, 8, 8], createRng(1));

describe('evaluate', () => {
  it('a scheduler: as simulate has it, seed by seed', () => {
    const runs = evaluate(config, schedulers.random, [1, 2]);
    expect(runs).toEqual([1, 2].map((seed) => simulate(config, schedulers.random, seed)));
  });

  const told: readonly (readonly [string, object, object, object])[] = [
    ['draws as an episode that a learner plays', {}, {}, {}],
    ['draws as it was trained to', { draws: 'stratified' }, {}, { draws: 'stratified' }],
    ['draws as it is told', { draws: 'stratified' }, { draws: 'independent' }, { draws: 'independent' }],
    ['sees the queues of its own', { balanceMeasure: 'count' }, {}, { balanceMeasure: 'count' }],
  ];
  it.each(told)('a policy %s', (_, decision, options, played) => {
    const [run] = evaluate(config, { policy, decision }, [5], options);
    expect(run).toEqual(playEpisode(config, policy, 5, createRng(5).fork('scheduler'), played).metrics);
  });

  it('a policy that counts requests meets the requests of a workload of its own too', () => {
    const options = { workload: (seed: number) => syntheticWorkload({ ...config, meanOutputTokens: 100 }, seed) };
    const counting = { policy, decision: { balanceMeasure: 'count' } } as const;
    const [run] = evaluate(config, counting, [5], options);
    expect(run.arrived).toBe(config.users * config.slots);
    expect(run.meanLatency).not.toBe(evaluate(config, counting, [5])[0].meanLatency);
  });
});

describe('policyScheduler', () => {
  it('copes with more requests per slot than before', () => {
    const rows = syntheticWorkload({ ...config, users: 12 }, 1);
    const workload = {
      maxRequestsPerSlot: rows.maxRequestsPerSlot,
      fill(slot: number, out: Parameters<typeof rows.fill>[1]): void {
        rows.fill(slot, out);
        out.count = Math.min(12, 1 + slot);
        for (let i = 0; i < out.count; i++) out.user[i] = i % config.users;
      },
    };
    const metrics = simulate(config, (_, rng) => policyScheduler(policy, rng), 1, { workload });
    expect(metrics.completed).toBe(metrics.arrived);
  });
});
