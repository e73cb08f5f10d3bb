import { type Rng, createRng } from '../core/rng';
import { EdgeEnv } from '../env/edge-env';
import {
  SERVER_CONSTANTS,
  SERVER_FEATURES,
  SLOT_FEATURES,
  encodeConstants,
  encodeServers,
  encodeSlot,
} from '../env/observation';
import { type Reward, type RewardWeights, driftPlusPenalty, rewardWeights } from '../env/reward';
import type { SlotOutcome } from '../env/outcome';
import type { SlotView } from '../env/slot-view';
import type { BalanceMeasure } from '../env/count-balance';
import { Metrics, type RunMetrics } from '../env/metrics';
import type { SystemConfig } from '../system/config';
import type { Draws } from './draws';
import { type Policy, type SlotRecord, slotRecord } from './policy';

/** What the assignment adds to a server's features: requests, Σ l_in, Σ l̂, Σ KV memory-time. */
export const ASSIGNED_FEATURES = 4;
/** Inputs of the return predictor per server and slot: state, constants, what was assigned, means over servers. */
export const PREDICTOR_FEATURES: number = SERVER_FEATURES + SERVER_CONSTANTS + ASSIGNED_FEATURES + 3;
/** Where the assigned features begin. */
export const ASSIGNED_AT: number = SERVER_FEATURES + SERVER_CONSTANTS;

/** Width of the critic's input. */
export function criticInputs(servers: number): number {
  return servers * SERVER_FEATURES + SLOT_FEATURES;
}

/**
 * One episode of T slots with U requests each, as a learner needs it. Row-major; times 0..T−1 unless said otherwise.
 */
export interface Rollout {
  readonly slots: number;
  readonly requests: number;
  readonly servers: number;
  /** Inputs of the policy, [T, sharedInputs] and [T·U, rowInputs]. */
  readonly shared: Float32Array;
  readonly rows: Float32Array;
  /** [T·U, S]. */
  readonly prior: Float32Array;
  /** [T·U]. */
  readonly actions: Int32Array;
  readonly logProbs: Float32Array;
  /** [T·U, S]. */
  readonly allLogProbs: Float32Array;
  /** Inputs of the critic, [T + 1, criticInputs]; the last is the state at the cut. */
  readonly states: Float32Array;
  /** Inputs of the return predictor χ_t, [T, S, PREDICTOR_FEATURES]: state and action. */
  readonly chi: Float32Array;
  /** What request i would add to χ_t of server s, [T·U, S, ASSIGNED_FEATURES]; the first three are the same for all s. */
  readonly contribution: Float32Array;
  /** 1 where a request was answered, else 0, [T·U]: what was refused or rejected has no latency and teaches nothing. */
  readonly answered: Uint8Array;
  /** l̂_out of every request, tokens, [T·U]. */
  readonly predicted: Int32Array;
  /** D_tot of every request, s, 0 where it was not answered, [T·U]. */
  readonly latency: Float64Array;
  /** Slot in which the outcome of a request became known, [T·U]; T − 1 for the drain's, −1 where it was not answered. */
  readonly completedSlot: Int32Array;
  /** The terms of the reward of every slot, [T] each. */
  readonly terms: {
    readonly latency: Float64Array;
    readonly balance: Float64Array;
    readonly memory: Float64Array;
  };
  /** ∫ N(t) dt over the slot, request-seconds, [T]. */
  readonly requestSeconds: Float64Array;
  /** Y_s(t) of the balance measure, [T, S]; Z_s(t) before it, [T, S]. */
  readonly deviation: Float64Array;
  readonly queue: Float64Array;
  readonly metrics: RunMetrics;
}

/** Optional parts of an episode. */
export interface EpisodeOptions {
  /** Default: the drift-plus-penalty reward with the weights of `rewardWeights`. */
  readonly reward?: Reward | undefined;
  readonly weights?: RewardWeights | undefined;
  /** Default 'eta'. */
  readonly balanceMeasure?: BalanceMeasure | undefined;
  /** Whether policy, critic and predictor see Z. Default true. */
  readonly showsQueue?: boolean | undefined;
  /** How the policy draws. Default 'independent'. */
  readonly draws?: Draws | undefined;
  /** Share of the slots that are drawn independently whatever `draws` says. Default 0. */
  readonly independentShare?: number | undefined;
  /** Largest Z_s at the start, in units of `balanceUnit`; drawn by the episode's seed. Default 0. */
  readonly startQueue?: number | undefined;
}

/**
 * Plays one episode with a policy: the first step of Algorithm 1.
 *
 * @param rng draws the assignments.
 */
export function playEpisode(
  config: SystemConfig,
  policy: Policy,
  envSeed: number,
  rng: Rng,
  options: EpisodeOptions = {},
): Rollout {
  const { slots: T, users: U, servers: S, slotSeconds } = config;
  const { reward = driftPlusPenalty, weights = rewardWeights(config), startQueue = 0 } = options;
  const { balanceMeasure, showsQueue } = options;
  const startRng = createRng(envSeed).fork('virtual queues');
  const start = new Float64Array(S).map(() => startQueue * config.balanceUnit * startRng.uniform());
  const env = new EdgeEnv(config, envSeed, { balanceMeasure, showsQueue, startQueue: start });
  const metrics = new Metrics(S, config.balanceTolerance);
  const record = slotRecord(policy, T * U, S);
  const sharedInputs = record.shared.length;
  const C = criticInputs(S);
  const rollout: Omit<Rollout, 'metrics'> = {
    slots: T,
    requests: U,
    servers: S,
    ...record,
    shared: new Float32Array(T * sharedInputs),
    states: new Float32Array((T + 1) * C),
    chi: new Float32Array(T * S * PREDICTOR_FEATURES),
    contribution: new Float32Array(T * U * S * ASSIGNED_FEATURES),
    answered: new Uint8Array(T * U),
    predicted: new Int32Array(T * U).fill(1),
    latency: new Float64Array(T * U),
    completedSlot: new Int32Array(T * U).fill(-1),
    terms: { latency: new Float64Array(T), balance: new Float64Array(T), memory: new Float64Array(T) },
    requestSeconds: new Float64Array(T),
    deviation: new Float64Array(T * S),
    queue: new Float64Array(T * S),
  };
  const assignment = new Int32Array(U);
  let step = env.reset();
  for (let t = 0; t < T; t++) {
    /** The slot's part of an array over all slots. */
    const own = <A extends Float32Array | Int32Array>(all: A): A =>
      all.subarray((all.length / T) * t, (all.length / T) * (t + 1)) as A;
    const { view } = step;
    encodeState(view, rollout.states, t * C);
    const { shared, rows, prior, actions, logProbs, allLogProbs } = rollout;
    const slot: SlotRecord = {
      shared: own(shared),
      rows: own(rows),
      prior: own(prior),
      actions: own(actions),
      logProbs: own(logProbs),
      allLogProbs: own(allLogProbs),
    };
    policy.act(view, assignment, slot, rng, drawsOfSlot(options, rng));
    rollout.predicted.set(view.predictedTokens.subarray(0, view.count), t * U);
    encodeChi(view, assignment, rollout.states.subarray(t * C), own(rollout.chi), own(rollout.contribution));
    step = env.step(assignment);
    const outcome = step.outcome as SlotOutcome;
    metrics.add(outcome);
    keepOutcome(rollout, outcome, t, slotSeconds);
    const { latency, balance, memory } = reward.terms(outcome, weights);
    rollout.terms.latency[t] = latency;
    rollout.terms.balance[t] = balance;
    rollout.terms.memory[t] = memory;
  }
  encodeState(step.view, rollout.states, T * C);
  return { ...rollout, metrics: metrics.report() };
}

/** How the next slot is drawn; one uniform number decides where the draws are mixed. */
function drawsOfSlot({ draws = 'independent', independentShare = 0 }: EpisodeOptions, rng: Rng): Draws {
  if (draws === 'independent' || independentShare === 0) return draws;
  if (independentShare === 1 || rng.uniform() < independentShare) return 'independent';
  return draws;
}

function encodeState(view: SlotView, out: Float32Array, offset: number): void {
  encodeServers(view, out, offset);
  encodeSlot(view, out, offset + view.serverCount * SERVER_FEATURES);
}

/**
 * χ_t per server: its state, its constants, what it was assigned, and what the servers have on average.
 *
 * @param states begins with the servers' features, [S, SERVER_FEATURES].
 * @param chi [S, PREDICTOR_FEATURES].
 * @param contribution [U, S, ASSIGNED_FEATURES].
 */
function encodeChi(
  view: SlotView,
  assignment: Int32Array,
  states: Float32Array,
  chi: Float32Array,
  contribution: Float32Array,
): void {
  const { serverCount: S, count: U } = view;
  const P = PREDICTOR_FEATURES;
  const { meanInputTokens, meanOutputTokens } = view.config;
  const constants = new Float32Array(S * SERVER_CONSTANTS);
  encodeConstants(view, constants);
  const scale = S / U;
  for (let i = 0; i < U; i++) {
    for (let s = 0; s < S; s++) {
      const k = (i * S + s) * ASSIGNED_FEATURES;
      contribution[k] = scale;
      contribution[k + 1] = (scale * view.inputTokens[i]) / meanInputTokens;
      contribution[k + 2] = (scale * view.predictedTokens[i]) / meanOutputTokens;
      contribution[k + 3] = view.requestWorkload(i, s);
      if (assignment[i] !== s) continue;
      for (let f = 0; f < ASSIGNED_FEATURES; f++) chi[s * P + ASSIGNED_AT + f] += contribution[k + f];
    }
  }
  // Demand, workload and Z.
  const means = [1, 6, 8].map((feature) => {
    let mean = 0;
    for (let s = 0; s < S; s++) mean += states[s * SERVER_FEATURES + feature] / S;
    return mean;
  });
  for (let s = 0; s < S; s++) {
    chi.set(states.subarray(s * SERVER_FEATURES, (s + 1) * SERVER_FEATURES), s * P);
    chi.set(constants.subarray(s * SERVER_CONSTANTS, (s + 1) * SERVER_CONSTANTS), s * P + SERVER_FEATURES);
    chi.set(means, s * P + ASSIGNED_AT + ASSIGNED_FEATURES);
  }
}

/** Keeps a slot's outcome; a completed request's latency goes to its own place, whenever it completed. */
function keepOutcome(rollout: Omit<Rollout, 'metrics'>, outcome: SlotOutcome, t: number, slotSeconds: number): void {
  const { slots: T, requests: U, servers: S } = rollout;
  let beforeCut = 0;
  for (const { slot, index, total, completedAt } of outcome.completions.rows()) {
    const d = slot * U + index;
    rollout.latency[d] = total;
    rollout.completedSlot[d] = t;
    rollout.answered[d] = 1;
    beforeCut += Math.min(completedAt, T * slotSeconds) - t * slotSeconds;
  }
  // In the last slot, up to the cut: with the drain, everything that was there has completed.
  rollout.requestSeconds[t] = t === T - 1 ? beforeCut : outcome.requestSeconds;
  rollout.deviation.set(outcome.learned.deviation, t * S);
  rollout.queue.set(outcome.learned.queue, t * S);
}
