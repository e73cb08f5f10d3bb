import type { Rng } from '../core/rng';
import type { SystemConfig } from '../system/config';
import type { LearningMethod, TrainingConfig } from './method';
import { predictionQuality, redistributeReturn, redistributeToGo } from './redistribution';
import { type Lesson, ReturnPredictor, type Sequences } from './return-predictor';
import { generalisedAdvantage, lambdaTargets, truncatedReturn } from './returns';
import {
  BALANCE,
  REQUEST_HEADS,
  againstPolicy,
  headTrust,
  ownCredit,
  requestWorth,
  serverCosts,
  serverSequences,
  serverTargets,
} from './request-credit';
import { PREDICTOR_FEATURES, type Rollout } from './rollout';
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
  /** What the predictor said of every slot, the g_t or Q_t behind r', summed over servers, [T]; empty without one. */
  readonly prospect: Float64Array;
  /** q_i(s), what request i would change in the prospect of each server, [T·U, S]; empty where credit is given by slot. */
  readonly worth: Float64Array;
  /** How far the heads later, earlier and balance are trusted, [3]; empty but for `request`. */
  readonly trust: readonly number[];
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
export function rewardStreams(
  rollout: Rollout,
  config: SystemConfig,
  method: LearningMethod,
  training: TrainingConfig,
): RewardStreams {
  const { slots: T, requests: U, servers: S } = rollout;
  const nu = config.latencyWeight / U;
  const booked = new Float64Array(T);
  for (let k = 0; k < T * U; k++) booked[Math.floor(k / U)] -= nu * rollout.latency[k];
  const immediate = new Float64Array(T);
  for (let t = 0; t < T; t++) {
    let balance = 0;
    if (method.balance === 'virtual-queue') balance = rollout.balance[t];
    if (method.balance === 'fixed-penalty')
      for (let s = 0; s < S; s++)
        balance +=
          (training.fixedPenalty * Math.max(rollout.deviation[t * S + s] - config.balanceTolerance, 0)) /
          config.balanceTolerance;
    immediate[t] = -(balance + training.memoryWeight * rollout.waiting[t]) / U;
  }
  return {
    delayed: rollout.completedLatency.map((x) => -nu * x),
    booked,
    presence: rollout.requestSeconds.map((x) => -nu * x),
    immediate,
  };
}

/** Most that the balance credit of a slot may outweigh its requests' own latency; a long queue must be able to. */
const MOST_BALANCE = 3;

/** Rewards this small, in seconds per user, are predicted linearly, larger ones by their logarithm. */
const REWARD_KNEE = 0.01;

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
    const perServer = method.credit === 'request';
    const settings = {
      window: training.window,
      steps: training.predictorSteps,
      batch: training.predictorBatch,
      learningRate: training.predictorLearningRate,
      hidden: 64,
      layers: 2,
      maxGradNorm: 1,
      knee: perServer ? REWARD_KNEE : Infinity,
    };
    const usesPredictor = perServer || method.credit === 'slot' || method.credit === 'printed';
    this.predictor = usesPredictor
      ? new ReturnPredictor(
          perServer ? PREDICTOR_FEATURES : servers * PREDICTOR_FEATURES,
          perServer ? REQUEST_HEADS : 1,
          settings,
          rng,
        )
      : null;
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
      case 'own':
        return this.own(rollout, streams, values);
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
    return Object.assign(
      { rollouts: Float64Array.of(memory.length) },
      named('predictor', predictor.save()),
      ...kept,
    ) as State;
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
   * As printed: ŷ_H of windows that begin every H slots, r' = g_t − g_{t−1}, GAE(λ) over r' within the window.
   * Note: ŷ_H is discounted to its window's start and GAE discounts r' once more; the paper does not say otherwise.
   * Note: r' of a window already holds γ^H·V_φ(s_H), all that comes after it, so GAE ends there with value 0 (going on
   * would count the future once per window), and V_φ is a head of its own that learns the raw rewards.
   */
  private printed(rollout: Rollout, streams: RewardStreams, values: Float64Array, rng: Rng): Credit {
    const { gamma, gaeLambda, window } = this.training;
    const { slots: T } = rollout;
    const total = sum(streams.delayed, streams.immediate);
    const stateValue = column(values, 1);
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
    const advantage = new Float64Array(T);
    const target = new Float64Array(T);
    for (let begin = 0; begin < T; begin += H) {
      const end = Math.min(T, begin + H);
      const within = column(values, 0)
        .slice(begin, end + 1)
        .fill(0, end - begin);
      const window = stream(redistributed.subarray(begin, end), within, gamma, gaeLambda);
      advantage.set(window.advantage, begin);
      target.set(window.target, begin);
    }
    const raw = stream(total, stateValue, gamma, gaeLambda).target;
    return {
      ...credit(rollout, advantage, [target, raw], total),
      quality,
      predictorLoss,
      redistributed,
      prospect: predictions,
    };
  }

  /** Predictions of windows that begin every H slots, each from a zero state. */
  private windowPredictions(sequences: Sequences, H: number): Float64Array {
    const predictor = this.needed();
    const I = predictor.inputs;
    const out = new Float64Array(sequences.steps);
    for (let begin = 0; begin < sequences.steps; begin += H) {
      const steps = Math.min(H, sequences.steps - begin);
      out.set(
        predictor.norm.restored(
          predictor.lstm.predict({
            steps,
            batch: 1,
            inputs: sequences.inputs.subarray(begin * I, (begin + steps) * I),
          }),
        ),
        begin,
      );
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
    return {
      ...credit(rollout, sum(first.advantage, second.advantage), [first.target, second.target], streams.booked),
      quality,
      predictorLoss,
      redistributed,
      prospect: estimates,
    };
  }

  /** Each request credited with its own latency, no predictor; immediate terms are shared by the slot. */
  private own(rollout: Rollout, streams: RewardStreams, values: Float64Array): Credit {
    const shared = this.plain(rollout, streams, values);
    const immediate = this.immediate(streams, values).advantage;
    const advantages = ownCredit(rollout, this.config);
    centre(advantages, rollout);
    for (let d = 0; d < advantages.length; d++) advantages[d] += immediate[Math.floor(d / rollout.requests)];
    return { ...shared, advantages: levelled(advantages, rollout.requests) };
  }

  /**
   * Each request credited with its own latency and, by one prospect per server, with what it changed for those already
   * there, those who come later, and the balance:
   *   Â_i = own_i + q_i(s_i) − Σ_s π(s | i)·q_i(s).
   * Each head of q counts as far as its trust goes. What all of a slot's requests have in common is taken off: it is
   * noise to a credit that tells them apart, and large enough to hide it (notebook 21, try 15). Only where the predictor
   * of balance cannot be trusted do the slot's requests share the plain advantage of the immediate terms.
   */
  private byRequest(rollout: Rollout, streams: RewardStreams, values: Float64Array, rng: Rng): Credit {
    const { slots: T, servers: S, requests: U } = rollout;
    const { prospectGamma } = this.training;
    const predictor = this.needed();
    const costs = serverCosts(rollout, this.config);
    const sequences: Sequences = { count: S, steps: T, inputs: serverSequences(rollout) };
    const before = predictor.sensitivity(sequences);
    const targets = serverTargets(costs, before.predictions, S, prospectGamma);
    const trust = headTrust(rollout, before.gradients, before.predictions, targets);
    const predictorLoss = this.learn({ sequences, targets }, rng);
    const { predictions, gradients } = predictor.sensitivity(sequences);
    const { balanceUnit } = this.config;
    const latencyWorth = requestWorth(rollout, gradients, [trust[0], trust[1], 0], balanceUnit);
    const balanceWorth = requestWorth(
      rollout,
      gradients,
      [0, 0, this.method.balance === 'none' ? 0 : trust[BALANCE]],
      balanceUnit,
    );
    const immediate = this.immediate(streams, values).advantage;
    const advantages = ownCredit(rollout, this.config);
    const others = bounded(againstPolicy(rollout, latencyWorth), advantages, U, 1);
    const balance = bounded(againstPolicy(rollout, balanceWorth), advantages, U, MOST_BALANCE);
    for (let d = 0; d < advantages.length; d++) advantages[d] += others[d] + balance[d];
    centre(advantages, rollout);
    const shared = 1 - Math.min(1, trust[BALANCE] / this.training.fullQuality);
    for (let d = 0; d < advantages.length; d++) advantages[d] += shared * immediate[Math.floor(d / U)];
    const redistributed = new Float64Array(T);
    const prospect = new Float64Array(T);
    for (let s = 0; s < S; s++) {
      const booked = costs.booked.subarray(s * T, (s + 1) * T);
      const whole = booked.map((c, t) => c + predictions[(s * T + t) * REQUEST_HEADS]);
      const own = redistributeToGo(whole, booked, prospectGamma);
      for (let t = 0; t < T; t++) {
        redistributed[t] += own[t];
        prospect[t] += whole[t];
      }
    }
    return {
      ...this.plain(rollout, streams, values),
      advantages: levelled(advantages, U),
      quality: (trust[0] + trust[1] + trust[2]) / REQUEST_HEADS,
      trust,
      predictorLoss,
      redistributed,
      prospect,
      worth: latencyWorth.map((q, k) => q + balanceWorth[k]),
    };
  }

  private immediate(streams: RewardStreams, values: Float64Array): { advantage: Float64Array; target: Float64Array } {
    return stream(streams.immediate, column(values, 1), this.training.gamma, this.training.immediateLambda);
  }

  /**
   * Lets the predictor learn the prospects y_t = c_t + γ·((1 − λ)·Q_{t+1} + λ·y_{t+1}) of the last rollouts. The
   * quality is that of the predictor before it saw the new one.
   */
  private learnProspect(
    sequences: Sequences,
    costs: Float64Array,
    rng: Rng,
  ): { quality: number; predictorLoss: number } {
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
        const target = lambdaTargets(
          every(costs, O, o, n * T, T),
          every(estimates, O, o, n * T, T),
          this.training.prospectGamma,
          0.9,
        );
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
function stream(
  rewards: Float64Array,
  values: Float64Array,
  gamma: number,
  lambda: number,
): { advantage: Float64Array; target: Float64Array } {
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
  const nothing = new Float64Array(0);
  return {
    advantages,
    targets,
    quality: 0,
    predictorLoss: 0,
    redistributed: nothing,
    prospect: nothing,
    worth: nothing,
    trust: [],
    raw,
  };
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

/**
 * Divides each slot's credit by its own spread plus the median spread of all slots. An overloaded stretch of an episode
 * has credit a hundred times that of sound slots; levelled, each slot has its say, and a slot in which the choice made
 * no difference is not blown up.
 */
function levelled(credit: Float32Array, U: number): Float32Array {
  const spreads = Float64Array.from({ length: credit.length / U }, (_, t) =>
    spread(credit.subarray(t * U, (t + 1) * U)),
  );
  const median = spreads.slice().sort()[Math.floor(spreads.length / 2)];
  return credit.map((a, d) => a / (spreads[Math.floor(d / U)] + median + 1e-12));
}

/**
 * What was predicted, scaled down slot by slot to at most `most` times the spread of what was observed. In an
 * overloaded system prospects are hundreds of times larger than any one request's part in them, and an error of a few
 * percent would drown what is known for certain.
 */
function bounded(predicted: Float32Array, observed: Float32Array, U: number, most: number): Float32Array {
  const out = new Float32Array(predicted.length);
  for (let from = 0; from < predicted.length; from += U) {
    const slot = predicted.subarray(from, from + U);
    const scale = Math.min(1, (most * spread(observed.subarray(from, from + U))) / (spread(slot) + 1e-12));
    for (let i = 0; i < U; i++) out[from + i] = slot[i] * scale;
  }
  return out;
}

/** Takes each slot's mean off the credit of its answered requests; the others have none. */
function centre(credit: Float32Array, { answered, requests: U }: Rollout): void {
  for (let from = 0; from < credit.length; from += U) {
    let count = 0;
    let mean = 0;
    for (let d = from; d < from + U; d++) count += answered[d];
    for (let d = from; d < from + U; d++) if (answered[d] === 1) mean += credit[d] / count;
    for (let d = from; d < from + U; d++) credit[d] = answered[d] === 1 ? credit[d] - mean : 0;
  }
}

function spread(values: Float32Array): number {
  let square = 0;
  for (const x of values) square += (x * x) / values.length;
  return Math.sqrt(square);
}
