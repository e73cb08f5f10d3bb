import { describe, expect, it } from 'vitest';
import { UserError } from '../core/errors';
import { createRng } from '../core/rng';
import { EdgeEnv } from '../env/edge-env';
import { type Workload, configuredWorkload } from '../system/workload';
import { methodWith, tinyConfig } from '../../tests/support/tiny';
import { DivergenceError, Learner } from './lyreo';
import { fixedPenalty, latencyOnly } from '../env/reward';
import { assigned, delayed, littlesLaw, slot } from './credit/by-slot';
import { own } from './credit/own';
import { printed } from './credit/printed';
import { request } from './credit/request';
import { type LearningMethod, methodIds, trainingConfig } from './method';
import { createPolicy, slotRecord } from './policy';
import type { Rollout } from './rollout';

const quick = { updateEpochs: 2, predictorSteps: 4, predictorBatch: 8, hidden: [16, 16, 8] };

const lyreo = methodWith(request);

function learner(method: Partial<LearningMethod>, seed = 1, slots = 20): Learner {
  const whole: LearningMethod = { ...lyreo, ...method };
  return new Learner(tinyConfig({ slots }), whole, trainingConfig(whole, quick), seed);
}

function updates(one: Learner, count: number): string[] {
  return Array.from({ length: count }, () => JSON.stringify(one.update().log));
}

const methods: readonly Partial<LearningMethod>[] = [
  ...[delayed, assigned, littlesLaw, printed, slot, own, request].map((credit) => ({ credit })),
  { balanceMeasure: 'count' },
  { reward: latencyOnly },
  { reward: fixedPenalty, credit: delayed },
];

/** Methods with a name for the test's title. */
const named = (list: readonly Partial<LearningMethod>[]): { name: string; method: Partial<LearningMethod> }[] =>
  list.map((method) => ({ name: Object.values(methodIds({ ...lyreo, ...method })).join(', '), method }));

describe('Learner', () => {
  it('says what to change where no request finds room', () => {
    const config = tinyConfig({ slots: 2, kvPoolFraction: 1e-9 });
    expect(() => new Learner(config, lyreo, trainingConfig(lyreo, quick), 1).update()).toThrow(
      new UserError(
        "kvPoolFraction is 1e-9; allowed: more, or shorter requests; in update 1 none of 12 requests had room in its server's KV pool",
      ),
    );
  });

  it.each(named(methods))(
    '$name: same seed same bytes, another seed others; goes on from what it saved',
    ({ method }) => {
      const [a, b, c, d] = [learner(method), learner(method), learner(method, 2), learner(method, 1)];
      const log = updates(a, 2);
      expect(updates(b, 2)).toEqual(log);
      expect(updates(c, 2)).not.toEqual(log);
      d.restore(a.save());
      expect(d.updates).toBe(2);
      expect(updates(d, 2)).toEqual(updates(a, 2));
      expect([...d.policy.net.parameters.values]).toEqual([...a.policy.net.parameters.values]);
      expect([...d.critic.parameters.values]).toEqual([...a.critic.parameters.values]);
    },
  );

  it('what was saved is a copy: learning on does not change it', () => {
    const one = learner({});
    updates(one, 2);
    const saved = one.save();
    const before = JSON.stringify(saved);
    updates(one, 1);
    expect(JSON.stringify(saved)).toBe(before);
  });

  it('is the three steps of Algorithm 1', () => {
    const [whole, stepped] = [learner({}), learner({})];
    for (let k = 0; k < 2; k++) {
      const detail = whole.update();
      const rollout = stepped.play();
      const credit = stepped.assignCredit(rollout);
      expect(detail.log).toMatchObject(stepped.learn(rollout, credit));
      expect([...credit.advantages]).toEqual([...detail.credit.advantages]);
    }
    expect([...stepped.policy.net.parameters.values]).toEqual([...whole.policy.net.parameters.values]);
  });

  it('an observer learns the values of what another plays, keeps its own policy, and leaves the other as it was', () => {
    const [watched, alone, observer] = [learner({}), learner({}), learner({ credit: delayed })];
    const before = [...observer.policy.net.parameters.values];
    const played: Rollout[] = [];
    for (let k = 0; k < 2; k++) {
      const rollout = watched.play();
      played.push(rollout);
      observer.learnValues(rollout, observer.assignCredit(rollout));
      const log = watched.learn(rollout, watched.assignCredit(rollout));
      expect(alone.update().log).toMatchObject(log);
    }
    const seen = played[1];
    const errors = Array.from({ length: 60 }, () => {
      const credit = observer.assignCredit(seen);
      const values = observer.values(seen);
      observer.learnValues(seen, credit);
      return credit.targets.reduce((sum, y, k) => sum + (y - values[k]) ** 2, 0);
    });
    expect(errors[59]).toBeLessThan(0.7 * errors[0]);
    expect([...observer.policy.net.parameters.values]).toEqual(before);
  });

  it.each(['actor', 'critic', 'return predictor'] as const)('names what is not finite: %s', (who) => {
    const one = learner({});
    updates(one, 1);
    const { lstm } = one.credit.predictor ?? { lstm: undefined };
    const parameters = {
      actor: one.policy.net.parameters,
      critic: one.critic.parameters,
      'return predictor': lstm?.parameters,
    }[who];
    parameters?.values.fill(Number.NaN, 0, 1);
    const update = (): unknown => one.update();
    expect(update).toThrow(DivergenceError);
    expect(update).toThrow(who);
  });
});

describe('a policy that sees predicted lengths', () => {
  const config = tinyConfig({ predictionError: 'lognormal', predictionSigma: 0.5 });

  /** The same predictions, other truths: all requests of the first slots are `tokens` long. */
  function withTruth(tokens: number): Workload {
    const inner = configuredWorkload(config, 1);
    return {
      maxRequestsPerSlot: inner.maxRequestsPerSlot,
      fill(slot, out): void {
        inner.fill(slot, out);
        out.outputTokens.fill(tokens, 0, out.count);
      },
    };
  }

  it('cannot tell true lengths apart until requests end', () => {
    const { users: U, servers: S } = config;
    const policy = createPolicy(S, [16, 16, 8], createRng(3));
    const seen = [400, 600].map((tokens) => {
      const env = new EdgeEnv({ ...config, predictionError: 'none' }, 1, { workload: withTruth(tokens) });
      const record = slotRecord(policy, U, S);
      const assignment = new Int32Array(U);
      let { view } = env.reset();
      const inputs: number[][] = [];
      // Nobody makes 400 tokens in three slots.
      for (let t = 0; t < 3; t++) {
        policy.act(view, assignment, record, createRng(t));
        inputs.push([...record.states, ...record.rows, ...record.prior, ...record.allLogProbs]);
        const step = env.step(assignment);
        expect(step.outcome?.completions.length).toBe(0);
        ({ view } = step);
      }
      return inputs;
    });
    expect(seen[0]).toEqual(seen[1]);
  });
});
