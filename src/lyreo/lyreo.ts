import { invalid } from '../core/errors';
import { createRng, hashLabel, type Rng } from '../core/rng';
import { rewardWeights } from '../env/reward';
import type { AdamState } from '../nn/adam';
import type { Mlp } from '../nn/mlp';
import type { SystemConfig } from '../system/config';
import { type FileHashes, fileHashes } from '../system/config-files';
import { checkedConfig } from '../system/presets';
import type { Credit, CreditRule } from './credit/credit';
import { type HeldOutLog, evaluateHeldOut } from './held-out';
import { type DecisionOptions, type LearningMethod, decisionOptions } from './method';
import { type Policy, createPolicy } from './policy';
import { Ppo, type PpoLog, createCritic, stateValues } from './ppo';
import { type Rollout, playEpisode } from './rollout';
import { type NormState, TargetNorm } from './target-norm';
import type { TrainingConfig } from './training-config';

/** One line of a training's log. */
export interface UpdateLog extends PpoLog, Partial<HeldOutLog> {
  /** From 1. */
  readonly update: number;
  /** Slots of experience so far. */
  readonly slots: number;
  /** Mean D_tot of the episode, s. */
  readonly latency: number;
  readonly p99Latency: number;
  /** Mean Y. */
  readonly deviation: number;
  /** Mean Z over servers and slots. */
  readonly queue: number;
  readonly highKvPercent: number;
  /** Quality of the return predictor on this episode, before it learned from it; 0 without one. */
  readonly quality: number;
  readonly predictorLoss: number;
}

/** An update with its parts. */
export interface UpdateDetail {
  readonly log: UpdateLog;
  readonly rollout: Rollout;
  readonly credit: Credit;
}

/** All that a learner has to remember: JSON and typed arrays. */
export interface LearnerState {
  readonly actor: AdamState;
  readonly critic: AdamState;
  readonly credit: unknown;
  readonly norm: NormState;
  readonly draws: readonly (readonly number[])[];
  readonly updates: number;
}

/** A number that is not finite has turned up; learning has stopped before it spread. */
export class DivergenceError extends Error {
  override readonly name: string = 'DivergenceError';
}

/**
 * Algorithm 1 in its three steps: `play` an episode of T slots with the policy, `assignCredit` for its delayed outcomes,
 * `learn` policy and critic by PPO. Each method of Section V that learns is this with another `LearningMethod`.
 *
 * Everything random comes from streams of the seed, so that two processes give the same bytes, and a learner restored
 * from `save` goes on as if it had never stopped.
 */
export class Learner {
  /** As they were at the beginning. */
  readonly files: FileHashes;
  readonly policy: Policy;
  /** V of the latency and the immediate stream. */
  readonly critic: Mlp;
  readonly ppo: Ppo;
  readonly credit: CreditRule;
  readonly valueNorm: TargetNorm;
  /** How the policy sees the system and decides when it is evaluated. */
  readonly decision: DecisionOptions;
  updates = 0;
  private readonly rngs: Readonly<Record<'actions' | 'minibatches' | 'windows', Rng>>;

  constructor(
    readonly config: SystemConfig,
    readonly method: LearningMethod,
    readonly training: TrainingConfig,
    readonly seed: number,
  ) {
    checkedConfig(config);
    this.files = fileHashes(config);
    this.decision = decisionOptions(method, training);
    const root = createRng(seed);
    const { servers } = config;
    this.policy = createPolicy(servers, training.hidden, root.fork('policy'));
    this.critic = createCritic(servers, training.hidden, 2, root.fork('critic'));
    this.ppo = new Ppo(this.policy, this.critic, training);
    this.credit = method.credit.create({ config, training, reward: method.reward, rng: root.fork('predictor') });
    this.valueNorm = new TargetNorm(...this.critic.layer(this.critic.depth - 1));
    const [actions, minibatches, windows] = ['actions', 'minibatches', 'windows'].map((name) => root.fork(name));
    this.rngs = { actions, minibatches, windows };
  }

  /**
   * One update: the three steps, and its line of the log.
   *
   * @throws DivergenceError naming the tensor that is not finite.
   * @throws UserError when no request of the episode was answered.
   */
  update(): UpdateDetail {
    const rollout = this.play();
    const credit = this.assignCredit(rollout);
    const ppo = this.learn(rollout, credit);
    const { meanLatency: latency, meanQueue: queue, p99Latency, deviation, highKvPercent } = rollout.metrics;
    const { config, policy, decision, training, seed } = this;
    const log = {
      update: this.updates,
      slots: this.updates * config.slots,
      latency,
      p99Latency,
      deviation,
      queue,
      highKvPercent,
      quality: credit.quality ?? 0,
      predictorLoss: credit.predictorLoss ?? 0,
      ...ppo,
      ...(training.heldOutEpisodes > 0 && evaluateHeldOut(config, policy, decision, training, seed)),
    };
    this.checkTensors(log.update);
    for (const [name, value] of Object.entries(log))
      if (!Number.isFinite(value)) throw new DivergenceError(`update ${log.update}: ${name} is ${value}`);
    return { log, rollout, credit };
  }

  /**
   * Step 1: an episode of T slots. Each update has an episode of its own; played again before `learn`, it meets the same
   * users, links and requests.
   *
   * @throws UserError when no request was answered: each was too large for the KV pool of its server.
   */
  play(): Rollout {
    const { config, method, training } = this;
    const { memoryWeight, fixedPenalty, penaltyUnit, independentShare, startQueue } = training;
    const violationUnit = penaltyUnit === 'printed' ? 1 : config.balanceTolerance;
    const weights = rewardWeights(config, memoryWeight, fixedPenalty, violationUnit);
    const options = { ...this.decision, reward: method.reward, weights, independentShare, startQueue };
    const envSeed = hashLabel(this.seed, `episode ${this.updates}`);
    const rollout = playEpisode(config, this.policy, envSeed, this.rngs.actions, options);
    const { completed, arrived } = rollout.metrics;
    if (completed > 0) return rollout;
    const found = `in update ${this.updates + 1} none of ${arrived} requests had room in its server's KV pool`;
    throw invalid('kvPoolFraction', config.kvPoolFraction, `more, or shorter requests; ${found}`);
  }

  /**
   * Step 2: the credit of an episode's decisions, by the method's rule, which may learn from it.
   *
   * @throws UserError when the rule's advantages or targets are of another kind or length than allowed.
   * @throws DivergenceError when one of them is not finite, naming the tensor that made it so or else the rule.
   */
  assignCredit(rollout: Rollout): Credit {
    const credit = this.credit.assign(rollout, this.values(rollout), this.rngs.windows) as Credit | undefined;
    for (const [name, kind, length] of [
      ['advantages', Float32Array, rollout.actions.length],
      ['targets', Float64Array, 2 * rollout.slots],
    ] as const) {
      const where = `credit rule "${this.credit.id}": ${name}`;
      const given: unknown = credit?.[name];
      if (!(given instanceof kind) || given.length !== length) {
        const found = given instanceof kind ? `a ${kind.name} of ${given.length}` : given && typeof given;
        throw invalid(where, found, `a ${kind.name} of ${length}`);
      }
      const k = given.findIndex((x) => !Number.isFinite(x));
      if (k < 0) continue;
      const update = this.updates + 1;
      this.checkTensors(update);
      throw new DivergenceError(`update ${update}: ${where}[${k}] is ${given[k]}; allowed: finite numbers`);
    }
    return credit as Credit;
  }

  /** Step 3: PPO's epochs for policy and critic. The next `play` has another episode. */
  learn(rollout: Rollout, credit: Credit): PpoLog {
    this.ppo.scaleRates(2 ** (-this.updates / this.training.learningRateHalfLife));
    const targets = this.criticTargets(credit.targets);
    const log = this.ppo.update(rollout, credit.advantages, targets, this.rngs.minibatches);
    this.updates++;
    return log;
  }

  /**
   * Step 3 without the policy: the critic learns from an episode that another learner has played. With `assignCredit`,
   * several credit rules can so be compared on the same decisions.
   */
  learnValues(rollout: Rollout, credit: Credit): void {
    this.ppo.updateCritic(rollout, this.criticTargets(credit.targets), this.rngs.minibatches);
  }

  /** Targets as the critic is to predict them; its last layer follows their scale. */
  private criticTargets(targets: Float64Array): Float32Array {
    if (!this.training.returnNorm) return Float32Array.from(targets);
    this.valueNorm.follow(targets);
    return this.valueNorm.normalised(targets);
  }

  /** V of the latency and the immediate stream, [T + 1, 2]. */
  values(rollout: Rollout): Float64Array {
    return this.valueNorm.restored(stateValues(this.critic, rollout.states));
  }

  /** All that `restore` needs; a copy. */
  save(): LearnerState {
    return {
      actor: this.ppo.actorOptimiser.save(),
      critic: this.ppo.criticOptimiser.save(),
      credit: this.credit.save?.(),
      norm: this.valueNorm.state,
      draws: Object.values(this.rngs).map((rng) => rng.save()),
      updates: this.updates,
    };
  }

  /** @throws RangeError when the state is that of another system. */
  restore({ actor, critic, credit, norm, draws, updates }: LearnerState): void {
    this.ppo.actorOptimiser.restore(actor);
    this.ppo.criticOptimiser.restore(critic);
    this.credit.restore?.(credit);
    this.valueNorm.state = norm;
    Object.values(this.rngs).forEach((rng, k) => {
      rng.restore(draws[k]);
    });
    this.updates = updates;
  }

  /** @throws DivergenceError naming the first tensor with NaN or ∞, in the order in which one spoils the next. */
  private checkTensors(update: number): void {
    const parts = {
      'return predictor': this.credit.predictor?.lstm.parameters,
      critic: this.critic.parameters,
      actor: this.policy.net.parameters,
    };
    for (const [part, parameters] of Object.entries(parts)) {
      const name = parameters?.firstNonFinite();
      if (name !== undefined) throw new DivergenceError(`update ${update}: ${part}, ${name} is not finite`);
    }
  }
}
