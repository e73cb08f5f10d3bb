import { describe, expect, it } from 'vitest';
import { simulate } from './simulate';
import { schedulers } from '../schedulers/index';
import { systemConfig } from '../system/presets';
import { checkEnv } from '../../tests/support/check-env';
import { requestsOf, serversOf } from '../../tests/support/views';
import { EdgeEnv } from './edge-env';
import { type RewardFunction, driftPlusPenalty, rewardWeights } from './reward';
import type { SlotView } from './slot-view';

const fresh = systemConfig('calibrated', { users: 30, servers: 4, slots: 20 });
const stale = (stateDelaySlots: number): typeof fresh => ({ ...fresh, stateDelaySlots });

/** All requests to a server that moves on slot by slot: looks at no state. */
function assign(view: SlotView): Int32Array {
  return Int32Array.from({ length: view.count }, (_, i) => (i % 3 === 0 ? 0 : (i + view.slot) % view.serverCount));
}

/** The content of a run's views, slot by slot, those of the cut at T included. */
function views(env: EdgeEnv): { servers: Record<string, number[]>; requests: unknown }[] {
  const seen = (view: SlotView): ReturnType<typeof views>[number] => ({
    servers: serversOf(view),
    requests: requestsOf(view),
  });
  const first = seen(env.reset().view);
  return [first, ...Array.from({ length: 20 }, () => seen(env.step(assign(env.view)).view))];
}

describe('stale state', () => {
  const now = views(new EdgeEnv(fresh, 3));

  it.each([1, 3, 19, 500])('%i slots old: the servers as they were, the requests as they are', (delay) => {
    const old = views(new EdgeEnv(stale(delay), 3));
    expect(old).toHaveLength(21);
    old.forEach(({ servers, requests }, t) => {
      expect(servers).toEqual(now[Math.max(0, t - delay)].servers);
      expect(requests).toEqual(now[t].requests);
    });
    // Z and the backlog have been moving, so that old and new can be told apart.
    expect(now[20].servers).not.toEqual(now[19].servers);
    expect(Math.max(...now[20].servers.queue)).toBeGreaterThan(0);
  });

  it('changes nothing but what is seen', () => {
    const run = (config: typeof fresh, name: keyof typeof schedulers): unknown => simulate(config, schedulers[name], 5);
    expect(run(stale(0), 'drift-plus-penalty')).toEqual(run(fresh, 'drift-plus-penalty'));
    expect(run(stale(2), 'random')).toEqual(run(fresh, 'random'));
    expect(run(stale(2), 'drift-plus-penalty')).not.toEqual(run(fresh, 'drift-plus-penalty'));
  });

  it('conforms', () => {
    const reward: RewardFunction = (outcome) => driftPlusPenalty.terms(outcome, rewardWeights(fresh));
    checkEnv(
      () => new EdgeEnv(stale(2), 3, { reward }),
      (view, assignment) => {
        assignment.set(assign(view));
      },
    );
  });

  it.each([0, 1, 2, 9])('a fork in slot %i knows what the original knows, and goes on alike', (t) => {
    const env = new EdgeEnv(stale(2), 8);
    let step = env.reset();
    for (let k = 0; k < t; k++) step = env.step(assign(step.view));
    const copy = env.fork();
    expect(serversOf(copy.view)).toEqual(serversOf(env.view));
    for (let k = t; k < 20; k++) {
      const assignment = assign(env.view);
      env.step(assignment);
      copy.step(assignment);
      expect(serversOf(copy.view)).toEqual(serversOf(env.view));
      expect([...copy.outcome.eta]).toEqual([...env.outcome.eta]);
    }
  });

  it('counts of requests are of the servers as they are, their queues are seen late', () => {
    const trail = (config: typeof fresh): { deviations: number[][]; queues: number[][] } => {
      const env = new EdgeEnv(config, 4, { balanceMeasure: 'count' });
      const [deviations, queues]: number[][][] = [[], []];
      for (let step = env.reset(); step.stepType !== 'last';) {
        queues.push([...step.view.queue]);
        step = env.step(assign(step.view));
        deviations.push([...env.outcome.learned.deviation]);
      }
      return { deviations, queues };
    };
    const [a, b] = [trail(fresh), trail(stale(2))];
    expect(b.deviations).toEqual(a.deviations);
    expect(b.queues).toEqual(a.queues.map((_, t) => a.queues[Math.max(0, t - 2)]));
    expect(a.queues[19]).not.toEqual(a.queues[17]);
  });
});
