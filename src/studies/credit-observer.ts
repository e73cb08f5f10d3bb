import { createRng, type Rng } from '../core/rng';
import type { Credit, CreditRule } from '../lyreo/credit/credit';
import type { LearningMethod } from '../lyreo/method';
import type { TrainingConfig } from '../lyreo/training-config';
import { type Critic, createCritic, stateValues } from '../lyreo/ppo';
import type { Rollout } from '../lyreo/rollout';
import { TargetNorm } from '../lyreo/target-norm';
import { Adam } from '../nn/adam';
import type { SystemConfig } from '../system/config';

/**
 * Assigns credit by a method's rule to rollouts that another learner plays, so that several rules can be compared on
 * the same decisions. It has its own critic and return predictor, which learn as much from every rollout as the
 * method's own would, and no policy.
 */
export class CreditObserver {
  readonly credit: CreditRule;
  private readonly critic: Critic;
  private readonly optimiser: Adam;
  private readonly norm = new TargetNorm(2);
  private readonly rng: Rng;

  constructor(
    config: SystemConfig,
    method: LearningMethod,
    private readonly training: TrainingConfig,
    seed: number,
  ) {
    const root = createRng(seed).fork('observer');
    const { learningRate, criticRate, maxGradNorm, hidden } = training;
    this.critic = createCritic(config.servers, hidden, 2, root.fork('critic'));
    this.optimiser = new Adam(this.critic.net.parameters, { learningRate: criticRate * learningRate, maxGradNorm });
    this.credit = method.credit.create({ config, training, reward: method.reward, rng: root.fork('predictor') });
    this.rng = root.fork('windows');
  }

  /** The credit of a rollout, by critic and predictor as they are; then both learn from it. */
  watch(rollout: Rollout): Credit {
    const credit = this.credit.assign(rollout, this.values(rollout), this.rng);
    this.fit(rollout, credit.targets);
    return credit;
  }

  /** V of the latency and the immediate stream, [T + 1, 2]. */
  values(rollout: Rollout): Float64Array {
    return this.norm.restored(stateValues(this.critic, rollout.states, rollout.slots + 1));
  }

  dispose(): void {
    this.critic.net.dispose();
    this.credit.dispose?.();
  }

  /** As many gradient steps as PPO's critic takes, each on the whole rollout. */
  private fit({ slots: T, states }: Rollout, targets: Float64Array): void {
    const { net } = this.critic;
    const { updateEpochs, minibatches, vfCoef } = this.training;
    const last = net.depth - 1;
    this.norm.follow(
      [targets],
      net.parameters.view(`layer ${last} weights`),
      net.parameters.view(`layer ${last} bias`),
    );
    net.parameters.changed();
    const y = this.norm.normalised(targets);
    const shared = states.subarray(0, T * net.shape.sharedInputs);
    for (let step = 0; step < updateEpochs * minibatches; step++) {
      net.accumulate({ groups: T, rowsPerGroup: 1, shared, rows: new Float32Array(0) }, (outputs, first, out) => {
        for (let k = 0; k < out.length; k++) out[k] = (2 * vfCoef * (outputs[k] - y[first * 2 + k])) / T;
      });
      this.optimiser.step();
    }
  }
}
