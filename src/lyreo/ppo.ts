import type { Rng } from '../core/rng';
import { mean } from '../core/statistics';
import { Adam } from '../nn/adam';
import { logSoftmax } from '../nn/categorical';
import { gather } from '../nn/gather';
import { Mlp, type MlpBatch } from '../nn/mlp';
import { squaredError } from '../nn/network';
import { type ClipSums, clipLoss, noSums } from './clip-loss';
import { type Policy, stateFeatures } from './policy';
import type { Rollout } from './rollout';
import type { TrainingConfig } from './training-config';

/** The log of an update: means over decisions of the last epoch, and the critic's. */
export interface PpoLog extends Readonly<Omit<ClipSums, 'count'>> {
  readonly valueLoss: number;
  readonly explainedVariance: number;
  readonly epochs: number;
}

/** A critic has one head per stream of rewards. */
export function createCritic(servers: number, hidden: readonly number[], heads: number, rng: Rng): Mlp {
  return new Mlp({ sharedInputs: 0, rowInputs: stateFeatures(servers), hidden, outputs: heads }, rng, 0.1);
}

/** States as rows of the critic, a group each. */
function batchOf(critic: Mlp, states: Float32Array): MlpBatch {
  return { groups: states.length / critic.shape.rowInputs, rowsPerGroup: 1, shared: new Float32Array(0), rows: states };
}

/** V of every state, [T + 1, heads]. */
export function stateValues(critic: Mlp, states: Float32Array): Float32Array {
  return critic.predict(batchOf(critic, states));
}

/** One PPO update of a policy and its critic from one rollout. */
export class Ppo {
  readonly actorOptimiser: Adam;
  readonly criticOptimiser: Adam;

  constructor(
    readonly policy: Policy,
    readonly critic: Mlp,
    private readonly config: TrainingConfig,
  ) {
    const { learningRate, criticRate, maxGradNorm } = config;
    this.actorOptimiser = new Adam(policy.net.parameters, learningRate, maxGradNorm);
    this.criticOptimiser = new Adam(critic.parameters, learningRate * criticRate, maxGradNorm);
  }

  /**
   * @param advantages Â of every request, [T·U].
   * @param targets of V, [T, heads].
   */
  update(rollout: Rollout, advantages: Float32Array, targets: Float32Array, rng: Rng): PpoLog {
    const normalised = standardised(advantages, rollout.answered);
    const batches = this.minibatches(rollout.slots, rng);
    let sums = noSums();
    let valueLoss = 0;
    let epochs = 0;
    for (let isFar = false; epochs < this.config.updateEpochs && !isFar; epochs++) {
      sums = noSums();
      let seen = 0;
      let loss = 0;
      for (const slots of batches()) {
        isFar = !this.stepActor(rollout, normalised, slots, sums);
        if (isFar) break;
        loss += this.stepCritic(rollout, targets, slots) / rollout.slots;
        seen += slots.length;
      }
      // Where the actor stopped at once the critic's last epoch is the one before.
      if (seen > 0) valueLoss = loss * (rollout.slots / seen);
    }
    const { policyLoss, entropy, approxKl, clipFrac, count } = sums;
    return {
      policyLoss: policyLoss / count,
      valueLoss,
      entropy: entropy / count,
      approxKl: approxKl / count,
      clipFrac: clipFrac / count,
      explainedVariance: this.explainedVariance(rollout, targets),
      epochs,
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
    const batches = this.minibatches(rollout.slots, rng);
    for (let epoch = 0; epoch < this.config.updateEpochs; epoch++)
      for (const slots of batches()) this.stepCritic(rollout, targets, slots);
  }

  /** Shuffles the slots (Fisher and Yates) and cuts them into an epoch's minibatches, at every call. */
  private minibatches(T: number, rng: Rng): () => Int32Array[] {
    const order = Int32Array.from({ length: T }, (_, t) => t);
    const size = Math.ceil(T / this.config.minibatches);
    return () => {
      for (let k = T - 1; k > 0; k--) {
        const j = rng.int(k + 1);
        [order[k], order[j]] = [order[j], order[k]];
      }
      return Array.from({ length: Math.ceil(T / size) }, (_, k) => order.subarray(k * size, (k + 1) * size));
    };
  }

  /** One minibatch of whole slots; false, and no step, once the policy is further than `targetKl` from the one that drew. */
  private stepActor(rollout: Rollout, advantages: Float32Array, slots: Int32Array, sums: ClipSums): boolean {
    const { requests: U, servers: S, answered } = rollout;
    const { net } = this.policy;
    const shared = gather(rollout.states, slots, net.shape.sharedInputs);
    const rows = gather(rollout.rows, slots, U * net.shape.rowInputs);
    const prior = gather(rollout.prior, slots, U * S);
    const { approxKl, count } = sums;
    const scale = 1 / gather(answered, slots, U).reduce((sum, one) => sum + one, 0);
    net.learn({ groups: slots.length, rowsPerGroup: U, shared, rows }, (outputs, out, first) => {
      for (let k = 0; k < outputs.length; k++) outputs[k] += prior[first * S + k];
      logSoftmax(outputs, S, outputs);
      const own = slots.subarray(first / U, first / U + outputs.length / (U * S));
      clipLoss(outputs, rollout, advantages, own, this.config, scale, out, sums);
    });
    if ((sums.approxKl - approxKl) / (sums.count - count) > this.config.targetKl) {
      net.parameters.gradient.fill(0);
      return false;
    }
    this.actorOptimiser.step();
    return true;
  }

  /** Mean squared error of every head, L^VF of IV-B3; returns the sum over slots. */
  private stepCritic(rollout: Rollout, targets: Float32Array, slots: Int32Array): number {
    const { rowInputs, outputs: heads } = this.critic.shape;
    const states = gather(rollout.states, slots, rowInputs);
    const target = gather(targets, slots, heads);
    let loss = 0;
    this.critic.learn(batchOf(this.critic, states), (outputs, out, first) => {
      loss += squaredError(outputs, target.subarray(first * heads), this.config.vfCoef, slots.length, out);
    });
    this.criticOptimiser.step();
    return loss;
  }

  /** 1 − Var(target − V)/Var(target) of the first head. */
  private explainedVariance({ slots: T, states }: Rollout, targets: Float32Array): number {
    const { rowInputs, outputs: heads } = this.critic.shape;
    const values = stateValues(this.critic, states.subarray(0, T * rowInputs));
    const target = Float64Array.from({ length: T }, (_, t) => targets[t * heads]);
    const variance = (x: Float64Array): number => {
      const centre = mean(x);
      return mean(x.map((y) => (y - centre) ** 2));
    };
    const total = variance(target);
    return total === 0 ? 0 : 1 - variance(target.map((y, t) => y - values[t * heads])) / total;
  }
}

/**
 * Mean 0, standard deviation 1, bounded to ±5 so that no outlier rules an update.
 *
 * @param counted 0 for values that are left out and become 0; default: none is.
 */
export function standardised(values: Float32Array, counted?: Uint8Array): Float32Array {
  const all = values.filter((_, k) => counted?.[k] !== 0);
  const centre = all.reduce((sum, x) => sum + x / all.length, 0);
  const square = all.reduce((sum, x) => sum + (x - centre) ** 2 / all.length, 0);
  const scale = 1 / (Math.sqrt(square) + 1e-8);
  return values.map((x, k) => (counted?.[k] === 0 ? 0 : Math.min(5, Math.max(-5, (x - centre) * scale))));
}
