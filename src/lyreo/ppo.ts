import type { Rng } from '../core/rng';
import { Adam, type AdamState } from '../nn/adam';
import { logSoftmax } from '../nn/categorical';
import { Mlp } from '../nn/mlp';
import { ClipLoss } from './clip-loss';
import type { TrainingConfig } from './training-config';
import type { Policy } from './policy';
import { type Rollout, criticInputs } from './rollout';

/** What PPO reads of a training's hyperparameters. */
export type PpoConfig = Pick<
  TrainingConfig,
  | 'clipCoef'
  | 'learningRate'
  | 'updateEpochs'
  | 'minibatches'
  | 'entCoef'
  | 'vfCoef'
  | 'maxGradNorm'
  | 'targetKl'
  | 'ratio'
  | 'criticRate'
>;

/** What an update logs. */
export interface PpoLog {
  readonly policyLoss: number;
  readonly valueLoss: number;
  readonly entropy: number;
  readonly approxKl: number;
  readonly clipFrac: number;
  readonly explainedVariance: number;
  readonly epochs: number;
}

/** Policy and critic with their optimisers. */
export interface PpoState {
  readonly actor: AdamState;
  readonly critic: AdamState;
}

/** State values: one network, one head per stream of rewards. */
export interface Critic {
  readonly net: Mlp;
  readonly heads: number;
}

/** A critic for `heads` streams of rewards. */
export function createCritic(servers: number, hidden: readonly number[], heads: number, rng: Rng): Critic {
  return {
    net: new Mlp({ sharedInputs: criticInputs(servers), rowInputs: 0, hidden, outputs: heads }, rng, 0.1),
    heads,
  };
}

/** V of every state, [T + 1, heads]. */
export function stateValues(critic: Critic, states: Float32Array, count: number): Float32Array {
  return critic.net.predict({ groups: count, rowsPerGroup: 1, shared: states, rows: new Float32Array(0) });
}

/** One PPO update of a policy and its critic from one rollout. */
export class Ppo {
  readonly actorOptimiser: Adam;
  readonly criticOptimiser: Adam;

  constructor(
    readonly policy: Policy,
    readonly critic: Critic,
    private readonly config: PpoConfig,
  ) {
    const { learningRate, criticRate, maxGradNorm } = config;
    this.actorOptimiser = new Adam(policy.net.parameters, { learningRate, maxGradNorm });
    this.criticOptimiser = new Adam(critic.net.parameters, { learningRate: learningRate * criticRate, maxGradNorm });
  }

  /**
   * @param advantages Â of every request, [T·U].
   * @param targets what V is to predict, [T, heads].
   */
  update(rollout: Rollout, advantages: Float32Array, targets: Float32Array, rng: Rng): PpoLog {
    const { slots: T } = rollout;
    const { updateEpochs, minibatches } = this.config;
    const normalised = standardised(advantages, rollout.answered);
    const order = Int32Array.from({ length: T }, (_, t) => t);
    const size = Math.ceil(T / minibatches);
    let log: ClipLoss = this.newLoss(rollout.servers);
    let valueLoss = 0;
    let epoch = 0;
    let isFar = false;
    while (epoch < updateEpochs && !isFar) {
      shuffle(order, rng);
      log = this.newLoss(rollout.servers);
      let seen = 0;
      let loss = 0;
      for (let begin = 0; begin < T; begin += size) {
        const slots = order.subarray(begin, Math.min(T, begin + size));
        isFar = !this.stepActor(rollout, normalised, slots, log);
        if (isFar) break;
        loss += this.stepCritic(rollout, targets, slots) / T;
        seen += slots.length;
      }
      // Where the actor stopped at once the critic's last epoch is the one before.
      if (seen > 0) valueLoss = loss * (T / seen);
      epoch++;
    }
    return {
      policyLoss: log.policyLoss / log.count,
      valueLoss,
      entropy: log.entropy / log.count,
      approxKl: log.approxKl / log.count,
      clipFrac: log.clipped / log.count,
      explainedVariance: this.explainedVariance(rollout, targets),
      epochs: epoch,
    };
  }

  /** Sets the learning rates to a share of those of the configuration. */
  scaleRates(share: number): void {
    const { learningRate, criticRate } = this.config;
    this.actorOptimiser.learningRate = learningRate * share;
    this.criticOptimiser.learningRate = learningRate * criticRate * share;
  }

  /** The critic alone, with as many steps as `update` takes at most. */
  updateCritic(rollout: Rollout, targets: Float32Array, rng: Rng): void {
    const { updateEpochs, minibatches } = this.config;
    const order = Int32Array.from({ length: rollout.slots }, (_, t) => t);
    const size = Math.ceil(rollout.slots / minibatches);
    for (let epoch = 0; epoch < updateEpochs; epoch++) {
      shuffle(order, rng);
      for (let begin = 0; begin < order.length; begin += size)
        this.stepCritic(rollout, targets, order.subarray(begin, begin + size));
    }
  }

  /** Policy and critic with their optimisers. */
  save(): PpoState {
    return { actor: this.actorOptimiser.save(), critic: this.criticOptimiser.save() };
  }

  restore({ actor, critic }: PpoState): void {
    this.actorOptimiser.restore(actor);
    this.criticOptimiser.restore(critic);
  }

  private newLoss(servers: number): ClipLoss {
    return new ClipLoss(this.config.clipCoef, this.config.entCoef, servers);
  }

  /** One minibatch of whole slots; false, and no step, once the policy is further than `targetKl` from the one that drew. */
  private stepActor(rollout: Rollout, advantages: Float32Array, slots: Int32Array, log: ClipLoss): boolean {
    const { requests: U, servers: S } = rollout;
    const { net, rowsPerRequest } = this.policy;
    const { sharedInputs, rowInputs } = net.shape;
    const rowsPerSlot = U * rowsPerRequest;
    const shared = gather(rollout.shared, slots, sharedInputs);
    const rows = gather(rollout.rows, slots, rowsPerSlot * rowInputs);
    const prior = gather(rollout.prior, slots, U * S);
    const before = gather(rollout.logProbs, slots, U);
    const advantage = gather(advantages, slots, U);
    const actions = gather(rollout.actions, slots, U);
    const answered = gather(rollout.answered, slots, U);
    const count = answered.reduce((sum, one) => sum + one, 0);
    const numbersPerDecision = rowsPerRequest * net.shape.outputs;
    const start = { kl: log.approxKl, count: log.count };
    net.accumulate({ groups: slots.length, rowsPerGroup: rowsPerSlot, shared, rows }, (outputs, firstRow, out) => {
      const first = firstRow / rowsPerRequest;
      const n = outputs.length / numbersPerDecision;
      const logProbs = new Float32Array(n * S);
      for (let k = 0; k < logProbs.length; k++) logProbs[k] = outputs[k] + prior[first * S + k];
      logSoftmax(logProbs, S, logProbs);
      const ratios = this.ratios(logProbs, actions, before, answered, first, n, S, U);
      log.gradient(logProbs, actions, ratios, advantage, first, n, 1 / count, out, answered);
    });
    if ((log.approxKl - start.kl) / (log.count - start.count) > this.config.targetKl) {
      net.parameters.zeroGradient();
      return false;
    }
    this.actorOptimiser.step();
    return true;
  }

  /** ρ of every decision: its own, or the product over its slot. */
  private ratios(
    logProbs: Float32Array,
    actions: Int32Array,
    before: Float32Array,
    answered: Uint8Array,
    first: number,
    n: number,
    S: number,
    U: number,
  ): Float64Array {
    const ratios = new Float64Array(n);
    for (let d = 0; d < n; d++)
      if (answered[first + d] === 1) ratios[d] = logProbs[d * S + actions[first + d]] - before[first + d];
    if (this.config.ratio === 'per slot') {
      for (let begin = 0; begin < n; begin += U) {
        let sum = 0;
        for (let d = begin; d < begin + U; d++) sum += ratios[d];
        ratios.fill(sum, begin, begin + U);
      }
    }
    for (let d = 0; d < n; d++) ratios[d] = Math.exp(Math.min(20, Math.max(-20, ratios[d])));
    return ratios;
  }

  /** Mean squared error of every head, L^VF of IV-B3; returns the sum over slots. */
  private stepCritic(rollout: Rollout, targets: Float32Array, slots: Int32Array): number {
    const { net, heads } = this.critic;
    const shared = gather(rollout.states, slots, net.shape.sharedInputs);
    const target = gather(targets, slots, heads);
    const tape = net.forward({ groups: slots.length, rowsPerGroup: 1, shared, rows: new Float32Array(0) });
    const gradient = new Float32Array(target.length);
    let loss = 0;
    for (let k = 0; k < target.length; k++) {
      const error = tape.outputs[k] - target[k];
      loss += error * error;
      gradient[k] = (2 * this.config.vfCoef * error) / slots.length;
    }
    tape.backward(gradient);
    this.criticOptimiser.step();
    return loss;
  }

  /** 1 − Var(target − V)/Var(target) of the first head. */
  private explainedVariance(rollout: Rollout, targets: Float32Array): number {
    const { slots: T } = rollout;
    const { heads } = this.critic;
    const values = stateValues(this.critic, rollout.states.subarray(0, T * this.critic.net.shape.sharedInputs), T);
    const target = Float64Array.from({ length: T }, (_, t) => targets[t * heads]);
    const error = target.map((y, t) => y - values[t * heads]);
    const variance = (x: Float64Array): number => {
      const mean = x.reduce((a, b) => a + b, 0) / x.length;
      return x.reduce((a, b) => a + (b - mean) ** 2, 0) / x.length;
    };
    const total = variance(target);
    return total === 0 ? 0 : 1 - variance(error) / total;
  }
}

/** Rows of a [T, width] array in the order of `slots`. */
function gather<A extends Float32Array | Int32Array | Uint8Array>(source: A, slots: Int32Array, width: number): A {
  const out = new (source.constructor as new (length: number) => A)(slots.length * width);
  for (let k = 0; k < slots.length; k++) out.set(source.subarray(slots[k] * width, (slots[k] + 1) * width), k * width);
  return out;
}

/** Fisher and Yates, in place. */
function shuffle(order: Int32Array, rng: Rng): void {
  for (let k = order.length - 1; k > 0; k--) {
    const j = rng.int(k + 1);
    const kept = order[k];
    order[k] = order[j];
    order[j] = kept;
  }
}

/**
 * Mean 0, standard deviation 1, bounded to ±5 so that no outlier rules an update.
 *
 * @param counted 0 for values that are left out and become 0; default: none is.
 */
export function standardised(values: Float32Array, counted?: Uint8Array): Float32Array {
  const isIn = (k: number): boolean => counted?.[k] !== 0;
  const count = counted === undefined ? values.length : counted.reduce((sum, one) => sum + one, 0);
  let mean = 0;
  values.forEach((x, k) => {
    if (isIn(k)) mean += x / count;
  });
  let square = 0;
  values.forEach((x, k) => {
    if (isIn(k)) square += (x - mean) ** 2 / count;
  });
  const scale = 1 / (Math.sqrt(square) + 1e-8);
  return values.map((x, k) => (isIn(k) ? Math.min(5, Math.max(-5, (x - mean) * scale)) : 0));
}
