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

  it('a policy, sampled: as an episode that a learner plays', () => {
    const [run] = evaluate(config, { policy }, [5]);
    expect(run).toEqual(playEpisode(config, policy, 5, createRng(5).fork('scheduler')).metrics);
  });

  it('a policy draws as it was trained to, and as it is told', () => {
    const run = (draws?: 'independent' | 'stratified'): unknown =>
      evaluate(config, { policy, decision: { draws: 'stratified' } }, [5], { draws })[0];
    const played = (draws: 'independent' | 'stratified'): unknown =>
      playEpisode(config, policy, 5, createRng(5).fork('scheduler'), { draws }).metrics;
    expect(run()).toEqual(played('stratified'));
    expect(run('independent')).toEqual(played('independent'));
    expect(run()).not.toEqual(run('independent'));
  });

  it('a policy with queues of its own sees those', () => {
    const [run] = evaluate(config, { policy, decision: { balanceMeasure: 'count' } }, [5]);
    expect(run).toEqual(
      playEpisode(config, policy, 5, createRng(5).fork('scheduler'), { balanceMeasure: 'count' }).metrics,
    );
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
