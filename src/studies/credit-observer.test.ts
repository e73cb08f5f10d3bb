import { expect, it } from 'vitest';
import { Learner, type UpdateDetail } from '../lyreo/lyreo';
import { type LearningMethod, trainingDefaults } from '../lyreo/method';
import { systemConfig } from '../system/presets';
import { CreditObserver } from './credit-observer';
import { methods } from '../paper/methods';

const config = systemConfig('calibrated', { users: 4, servers: 3, slots: 60 });
const method = methods.lyreo.learning as LearningMethod;
const delayed = methods['ly-ppo'].learning as LearningMethod;
const observerOf = (observed: LearningMethod): CreditObserver =>
  new CreditObserver(config, observed, trainingDefaults(observed), 3);
const learner = (): Learner => new Learner(config, method, trainingDefaults(method), 3);

it('learns the values of what it watches', () => {
  const watched = learner();
  const { rollout } = watched.update() as UpdateDetail;
  const observer = observerOf(delayed);
  const errors = Array.from({ length: 8 }, () => {
    const { advantages, targets } = observer.watch(rollout);
    expect(advantages).toHaveLength(60 * 4);
    const values = observer.values(rollout);
    return targets.reduce((sum, y, k) => sum + (y - values[k]) ** 2, 0);
  });
  expect(errors.at(-1)).toBeLessThan((errors.at(0) ?? 0) / 2);
  watched.dispose();
  observer.dispose();
});

it('leaves the learner that plays as it was', () => {
  const [watched, alone] = [learner(), learner()];
  const observer = observerOf(method);
  for (let k = 0; k < 2; k++) {
    const { rollout, log } = watched.update() as UpdateDetail;
    observer.watch(rollout);
    expect((alone.update() as UpdateDetail).log).toEqual(log);
  }
  for (const one of [watched, alone, observer]) one.dispose();
});
