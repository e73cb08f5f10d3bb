import type { Rng } from '../core/rng';
import type { SystemConfig } from '../system/config';
import type { LearningMethod, TrainingConfig } from './method';
import { predictionQuality, redistributeReturn, redistributeToGo } from './redistribution';
import { type Lesson, ReturnPredictor, type Sequences } from './return-predictor';
import { generalisedAdvantage, lambdaTargets, truncatedReturn } from './returns';
import { ASSIGNED_AT, ASSIGNED_FEATURES, PREDICTOR_FEATURES, type Rollout } from './rollout';
import { type State, arrayOf, floatsOf, named, partOf } from './state';

/** What PPO learns from: an advantage per request and targets of the critic's two heads. */
export interface Credit {
  /** [T·U]. */
  readonly advantages: Float32Array;
  /** Latency head and immediate head, [T, 2]. */
  readonly targets: Float64Array;
  /** Quality of the predictor on the new rollout, before it learned from it; 0 without a predictor. */
  readonly quality: number;
  /** Its mean squared error while it learned, normalised. */
  readonly predictorLoss: number;
  /** Redistributed reward r' of every slot, [T]; empty without a predictor. */
  readonly redistributed: Float64Array;
  /** The raw latency reward of every slot, [T]. */
  readonly raw: Float64Array;
}

/** The rewards of a rollout as streams, [T] each, in seconds per user: divided by U so that they do not grow with it. */
export interface RewardStreams {
  /** −ν·Σ D of the requests that completed in the slot. */
  readonly delayed: Float64Array;
  /** −ν·Σ D of the requests that were assigned in the slot. */
  readonly booked: Float64Array;
  /** −ν·∫ N dt. */
  readonly presence: Float64Array;
  /** Balance term and memory infeasibility. */
  readonly immediate: Float64Array;
}

/** Splits a rollout's rewards by where they arise; the balance term is that of the method. */
export function rewardStreams(rollout: Rollout, config: SystemConfig, method: LearningMethod, training: TrainingConfig): RewardStreams {
  const { slots: T, requests: U, servers: S } = rollout;
  const nu = config.latencyWeight / U;
  const booked = new Float64Array(T);
  for (let k = 0; k < T * U; k++) booked[Math.floor(k / U)] -= nu * rollout.latency[k];
  const immediate = new Float64Array(T);
  for (let t = 0; t < T; t++) {
    let balance = 0;
    if (method.balance === 'virtual-queue') balance = rollout.balance[t];
    if (method.balance === 'fixed-penalty')
      for (let s = 0; s < S; s++) balance += (training.fixedPenalty * Math.max(rollout.deviation[t * S + s] - config.balanceTolerance, 0)) / config.balanceTolerance;
    immediate[t] = -(balance + training.memoryWeight * rollout.waiting[t]) / U;
  }
  return { delayed: rollout.completedLatency.map((x) => -nu * x), booked, presence: rollout.requestSeconds.map((x) => -nu * x), immediate };
}

/** Turns rollouts into credit; keeps the return predictor and what it learns from. */
export class CreditAssigner {
  readonly predictor: ReturnPredictor | null;
  /** The last rollouts' sequences, newest last. */
  memory: Lesson[] = [];

  constructor(
    private readonly config: SystemConfig,
    private readonly method: LearningMethod,
    private readonly training: TrainingConfig,
    rng: Rng,
  ) {
    const { servers } = config;
    const settings = {
      window: training.window,
      steps: training.predictorSteps,
      batch: training.predictorBatch,
      learningRate: training.predictorLearningRate,
      hidden: 64,
      layers: 2,
      maxGradNorm: 1,
    };
    const perServer = method.credit === 'request';
    const usesPredictor = perServer || method.credit === 'slot' || method.credit === 'printed';
    this.predictor = usesPredictor ? new ReturnPredictor(perServer ? PREDICTOR_FEATURES : servers * PREDICTOR_FEATURES, perServer ? 2 : 1, settings, rng) : null;
  }

  /**
   * @param values V of the latency and the immediate stream, [T + 1, 2].
   */
  assign(rollout: Rollout, values: Float64Array, rng: Rng): Credit {
    const streams = rewardStreams(rollout, this.config, this.method, this.training);
    switch (this.method.credit) {
      case 'delayed':
        return this.single(rollout, streams.delayed, streams, values);
      case 'littles-law':
        return this.single(rollout, streams.presence, streams, values);
      case 'booked':
        return this.plain(rollout, streams, values);
      case 'printed':
        return this.printed(rollout, streams, values, rng);
      case 'slot':
        return this.bySlot(rollout, streams, values, rng);
      case 'request':
        return this.byRequest(rollout, streams, values, rng);
    }
  }

  /** The predictor and the rollouts that it learns from. */
  save(): State {
    const { predictor, memory } = this;
    if (predictor === null) return {};
    const kept = memory.map(({ sequences, targets }, k) =>
      named(`rollout ${k}`, {
        sizes: Float64Array.of(sequences.count, sequences.steps),
        inputs: sequences.inputs,
        targets,
      }),
    );
    return Object.assign({ rollouts: Float64Array.of(memory.length) }, named('predictor', predictor.save()), ...kept) as State;
  }

  restore(state: State): void {
    if (this.predictor === null) return;
    this.predictor.restore(partOf(state, 'predictor'));
    const [rollouts] = arrayOf(state, 'rollouts');
    this.memory = Array.from({ length: rollouts }, (_, k) => {
      const kept = partOf(state, `rollout ${k}`);
      const [count, steps] = arrayOf(kept, 'sizes');
      return {
        sequences: { count, steps, inputs: floatsOf(kept, 'inputs') },
        targets: Float64Array.from(arrayOf(kept, 'targets')),
      };
    });
  }

  /** One stream, GAE(λ) as published. */
  private single(rollout: Rollout, latency: Float64Array, streams: RewardStreams, values: Float64Array): Credit {
    const { gamma, gaeLambda } = this.training;
    const first = stream(latency, column(values, 0), gamma, gaeLambda);
    const second = stream(streams.immediate, column(values, 1), gamma, gaeLambda);
    return credit(rollout, sum(first.advantage, second.advantage), [first.target, second.target], latency);
  }

  /** Latency booked to the assigning slot with λ = 0, immediate terms with a small λ. */
  private plain(rollout: Rollout, streams: RewardStreams, values: Float64Array): Credit {
    const { gamma, immediateLambda } = this.training;
    const first = stream(streams.booked, column(values, 0), gamma, 0);
    const second = stream(streams.immediate, column(values, 1), gamma, immediateLambda);
    return credit(rollout, sum(first.advantage, second.advantage), [first.target, second.target], streams.booked);
  }

  /**
   * As printed: ŷ_H of windows that begin every H slots, r' = g_t − g_{t−1}, GAE(λ) over r'.
   * Note: ŷ_H is discounted to its window's start and GAE discounts r' once more; the paper does not say otherwise.
   */
  private printed(rollout: Rollout, streams: RewardStreams, values: Float64Array, rng: Rng): Credit {
    const { gamma, gaeLambda, window } = this.training;
    const { slots: T } = rollout;
    const total = sum(streams.delayed, streams.immediate);
    const stateValue = sum(column(values, 0), column(values, 1));
    const H = Math.min(window, T);
    // The target at every t of a window is the window's return: one lesson per window.
    const returns = new Float64Array(T);
    for (let begin = 0; begin < T; begin += H) {
      const end = Math.min(T, begin + H);
      returns.fill(truncatedReturn(total.subarray(begin, end), gamma, stateValue[end]), begin, end);
    }
    const sequences: Sequences = { count: 1, steps: T, inputs: rollout.chi };
    const predictions = this.windowPredictions(sequences, H);
    const quality = predictionQuality(predictions, returns);
    const predictorLoss = this.learn({ sequences, targets: returns }, rng);
    const redistributed = new Float64Array(T);
    for (let begin = 0; begin < T; begin += H) {
      const end = Math.min(T, begin + H);
      redistributed.set(redistributeReturn(predictions.subarray(begin, end), returns[begin]), begin);
    }
    const first = stream(redistributed, column(values, 0), gamma, gaeLambda);
    const zero = new Float64Array(T);
    return { ...credit(rollout, first.advantage, [first.target, zero], total), quality, predictorLoss, redistributed };
  }

  /** Predictions of windows that begin every H slots, each from a zero state. */
  private windowPredictions(sequences: Sequences, H: number): Float64Array {
    const predictor = this.needed();
    const I = predictor.inputs;
    const out = new Float64Array(sequences.steps);
    for (let begin = 0; begin < sequences.steps; begin += H) {
      const steps = Math.min(H, sequences.steps - begin);
      out.set(predictor.norm.restored(predictor.lstm.predict({ steps, batch: 1, inputs: sequences.inputs.subarray(begin * I, (begin + steps) * I) })), begin);
    }
    return out;
  }

  /** Booked latency, redistributed by return to go; the quality decides how much of it is used. */
  private bySlot(rollout: Rollout, streams: RewardStreams, values: Float64Array, rng: Rng): Credit {
    const { gamma, immediateLambda, prospectGamma } = this.training;
    const sequences: Sequences = { count: 1, steps: rollout.slots, inputs: rollout.chi };
    const { quality, predictorLoss } = this.learnProspect(sequences, streams.booked, rng);
    const estimates = this.needed().predict(sequences);
    const redistributed = redistributeToGo(estimates, streams.booked, prospectGamma);
    const share = this.shareUsed(quality);
    const mixed = mix(redistributed, streams.booked, share);
    const first = stream(mixed, column(values, 0), share > 0 ? 0 : gamma, 0);
    const second = stream(streams.immediate, column(values, 1), gamma, immediateLambda);
    return { ...credit(rollout, sum(first.advantage, second.advantage), [first.target, second.target], streams.booked), quality, predictorLoss, redistributed };
  }

  /**
   * One prospect per server; a request's credit is what its assignment changed in its server's prospect, against the
   * policy's mean over the servers it could have gone to:
   *   Â_i = q_i(s_i) − Σ_s π(s | i)·q_i(s),   q_i(s) = ∇_χ Q_s·f_{i,s},   Q = Q^latency + Z_s·Q^balance.
   */
  private byRequest(rollout: Rollout, streams: RewardStreams, values: Float64Array, rng: Rng): Credit {
    const { slots: T, requests: U, servers: S } = rollout;
    const P = PREDICTOR_FEATURES;
    const nu = this.config.latencyWeight / U;
    const unit = this.config.balanceUnit;
    const inputs = new Float32Array(S * T * P);
    const costs = new Float64Array(S * T * 2);
    for (let t = 0; t < T; t++) {
      for (let s = 0; s < S; s++) {
        inputs.set(rollout.chi.subarray((t * S + s) * P, (t * S + s + 1) * P), (s * T + t) * P);
        costs[(s * T + t) * 2 + 1] = -rollout.deviation[t * S + s] / (unit * U);
      }
      for (let i = 0; i < U; i++) costs[(rollout.actions[t * U + i] * T + t) * 2] -= nu * rollout.latency[t * U + i];
    }
    const sequences: Sequences = { count: S, steps: T, inputs };
    const { quality, predictorLoss } = this.learnProspect(sequences, costs, rng);
    const { predictions: estimates, gradients } = this.needed().sensitivity(sequences);
    const [latency, balance] = gradients;
    const weighsBalance = this.method.balance !== 'none';
    const fine = new Float32Array(T * U);
    const worth = new Float64Array(S);
    for (let t = 0; t < T; t++) {
      for (let i = 0; i < U; i++) {
        const d = t * U + i;
        let mean = 0;
        for (let s = 0; s < S; s++) {
          const at = (s * T + t) * P + ASSIGNED_AT;
          const from = (d * S + s) * ASSIGNED_FEATURES;
          const weight = weighsBalance ? rollout.queue[t * S + s] / unit : 0;
          let q = 0;
          for (let f = 0; f < ASSIGNED_FEATURES; f++) q += (latency[at + f] + weight * balance[at + f]) * rollout.contribution[from + f];
          worth[s] = q;
          mean += Math.exp(rollout.allLogProbs[d * S + s]) * q;
        }
        fine[d] = worth[rollout.actions[d]] - mean;
      }
    }
    const coarse = this.plain(rollout, streams, values);
    const share = this.shareUsed(quality);
    const advantages = new Float32Array(T * U);
    const fineScale = 1 / (spread(fine) + 1e-12);
    const coarseScale = 1 / (spread(coarse.advantages) + 1e-12);
    for (let d = 0; d < advantages.length; d++) advantages[d] = share * fine[d] * fineScale + (1 - share) * coarse.advantages[d] * coarseScale;
    const redistributed = new Float64Array(T);
    for (let s = 0; s < S; s++) {
      const own = redistributeToGo(every(estimates, 2, 0, s * T, T), every(costs, 2, 0, s * T, T), this.training.prospectGamma);
      for (let t = 0; t < T; t++) redistributed[t] += own[t];
    }
    return { ...coarse, advantages, quality, predictorLoss, redistributed };
  }

  /**
   * Lets the predictor learn the prospects y_t = c_t + γ·((1 − λ)·Q_{t+1} + λ·y_{t+1}) of the last rollouts. The
   * quality is that of the predictor before it saw the new one.
   */
  private learnProspect(sequences: Sequences, costs: Float64Array, rng: Rng): { quality: number; predictorLoss: number } {
    const before = this.needed().predict(sequences);
    const targets = this.prospectTargets(sequences, costs, before);
    return { quality: predictionQuality(before, targets), predictorLoss: this.learn({ sequences, targets }, rng) };
  }

  private prospectTargets(sequences: Sequences, costs: Float64Array, estimates: Float64Array): Float64Array {
    const { count, steps: T } = sequences;
    const O = costs.length / (count * T);
    const y = new Float64Array(costs.length);
    for (let n = 0; n < count; n++) {
      for (let o = 0; o < O; o++) {
        const target = lambdaTargets(every(costs, O, o, n * T, T), every(estimates, O, o, n * T, T), this.training.prospectGamma, 0.9);
        for (let t = 0; t < T; t++) y[(n * T + t) * O + o] = target[t];
      }
    }
    return y;
  }

  /** Adds the rollout to the memory and takes the predictor's gradient steps. */
  private learn(kept: Lesson, rng: Rng): number {
    this.memory.push(kept);
    if (this.memory.length > this.training.predictorMemory) this.memory.shift();
    return this.needed().train(this.memory, rng);
  }

  private shareUsed(quality: number): number {
    return Math.min(1, quality / this.training.fullQuality);
  }

  private needed(): ReturnPredictor {
    if (this.predictor === null) throw new Error(`credit "${this.method.credit}" has no predictor`);
    return this.predictor;
  }
}

/** Advantage and critic target of one stream. */
function stream(rewards: Float64Array, values: Float64Array, gamma: number, lambda: number): { advantage: Float64Array; target: Float64Array } {
  const advantage = generalisedAdvantage(rewards, values, gamma, lambda);
  return { advantage, target: advantage.map((a, t) => a + values[t]) };
}

/** Credit in which all of a slot's requests share its advantage. */
function credit(rollout: Rollout, advantage: Float64Array, heads: readonly Float64Array[], raw: Float64Array): Credit {
  const { slots: T, requests: U } = rollout;
  const advantages = new Float32Array(T * U);
  const targets = new Float64Array(T * heads.length);
  for (let t = 0; t < T; t++) {
    advantages.fill(advantage[t], t * U, (t + 1) * U);
    heads.forEach((head, k) => {
      targets[t * heads.length + k] = head[t];
    });
  }
  return { advantages, targets, quality: 0, predictorLoss: 0, redistributed: new Float64Array(0), raw };
}

function sum(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((x, k) => x + b[k]);
}

function mix(a: Float64Array, b: Float64Array, share: number): Float64Array {
  return a.map((x, k) => share * x + (1 - share) * b[k]);
}

/** Column `k` of a two-column array. */
function column(values: Float64Array, k: number): Float64Array {
  return every(values, 2, k, 0, values.length / 2);
}

/** Column `k` of rows begin..begin+count−1. */
function every(values: Float64Array, columns: number, k: number, begin: number, count: number): Float64Array {
  const out = new Float64Array(count);
  for (let t = 0; t < count; t++) out[t] = values[(begin + t) * columns + k];
  return out;
}

function spread(values: Float32Array): number {
  let square = 0;
  for (const x of values) square += (x * x) / values.length;
  return Math.sqrt(square);
}
