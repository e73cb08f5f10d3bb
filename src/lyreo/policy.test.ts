import { describe, expect, it } from 'vitest';
import { createRng } from '../core/rng';
import { simulate } from '../env/simulate';
import { systemConfig } from '../system/presets';
import { tinyConfig } from '../../tests/support/tiny';
import { atServers, createPolicy } from './policy';
import { policyScheduler } from './policy-scheduler';

describe('a policy among another number of servers', () => {
  const sequential = createPolicy('sequential', { servers: 3, hidden: [8, 8] }, createRng(1));

  it('keeps its network, and acts among its own as before', () => {
    const config = tinyConfig();
    const run = (policy: typeof sequential): unknown => simulate(config, (_, rng) => policyScheduler(policy, rng), 2);
    const same = atServers(sequential, config.servers);
    expect(same.net).toBe(sequential.net);
    expect(run(same)).toEqual(run(sequential));
  });

  it('uses all of them', () => {
    const config = systemConfig('calibrated', { users: 240, servers: 30, slots: 8 });
    const used = new Set<number>();
    const { completed } = simulate(
      config,
      (_, rng) => {
        const act = policyScheduler(atServers(sequential, 30), rng);
        return (view, assignment) => {
          act(view, assignment);
          for (const s of assignment.subarray(0, view.count)) used.add(s);
        };
      },
      1,
    );
    expect(completed).toBe(240 * 8);
    expect(used.size).toBe(30);
  });

  it('is refused where the network has an output per server', () => {
    const factorised = createPolicy('factorised', { servers: 3, hidden: [8] }, createRng(1));
    expect(() => atServers(factorised, 4)).toThrow('policy is "factorised"; allowed: a sequential one');
  });
});
