import { invalid } from '../core/errors';
import { type Rng, createRng } from '../core/rng';
import { SERVER_CONSTANTS, SERVER_FEATURES, encodeConstants } from '../env/observation';
import { type Reward, type RewardWeights, driftPlusPenalty, rewardWeights } from '../env/reward';
import type { SlotOutcome } from '../env/outcome';
import type { SlotView } from '../env/slot-view';
import type { BalanceMeasure } from '../env/count-balance';
import type { RunMetrics } from '../env/metrics';
import { simulate } from '../env/simulate';
import type { SystemConfig } from '../system/config';
import type { Draws } from './draws';
import { type Policy, type SlotRecord, encodeState, slotRecord, stateFeatures } from './policy';

/** The assignment's additions to a server's features: requests, Σ l_in, Σ l̂, Σ KV memory-time. */
export const ASSIGNED_FEATURES = 4;
/** Inputs of the return predictor per server and slot: state, constants, additions by the assignment, means over servers. */
export const PREDICTOR_FEATURES: number = SERVER_FEATURES + SERVER_CONSTANTS + ASSIGNED_FEATURES + 3;
/** Where the assigned features begin. */
export const ASSIGNED_AT: number = SERVER_FEATURES + SERVER_CONSTANTS;

/**
 * One episode of T slots with U requests each, as a learner needs it. Row-major; times 0..T−1 unless said otherwise. The
 * columns of `SlotRecord` have T·U requests here, and T + 1 states: the last is that at the cut.
 */
export interface Rollout extends SlotRecord {
  readonly slots: number;
  readonly requests: number;
  readonly servers: number;
  /** Inputs of the return predictor χ_t, [T, S, PREDICTOR_FEATURES]: state and action. */
  readonly chi: Float32Array;
  /** The addition of request i to χ_t of server s, [T·U, S, ASSIGNED_FEATURES]; the first three are the same for all s. */
  readonly contribution: Float32Array;
  /** 1 where a request was answered, else 0, [T·U]: a refused or rejected one has no latency and teaches nothing. */
  readonly answered: Uint8Array;
  /** l̂_out of every request, tokens, [T·U]. */
  readonly predicted: Int32Array;
  /** D_tot of every request, s, 0 where it was not answered, [T·U]. */
  readonly latency: Float64Array;
  /** Slot in which the outcome of a request became known, [T·U]; T − 1 for the drain's, −1 where it was not answered. */
  readonly completedSlot: Int32Array;
  /** The terms of the reward of every slot, [T] each. */
  readonly terms: Readonly<Record<'latency' | 'balance' | 'memory', Float64Array>>;
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
  /** Default 'independent'. */
  readonly draws?: Draws | undefined;
  /** Share of the slots that are drawn independently under any `draws`. Default 0. */
  readonly independentShare?: number | undefined;
  /** Largest Z_s at the start, in units of `balanceUnit`; drawn by the episode's seed. Default 0. */
  readonly startQueue?: number | undefined;
}

/** Plays one episode with a policy, whose assignments `rng` draws: the first step of Algorithm 1. */
export function playEpisode(
  config: SystemConfig,
  policy: Policy,
  envSeed: number,
  rng: Rng,
  options: EpisodeOptions = {},
): Rollout {
  const { slots: T, users: U, servers: S } = config;
  const { reward = driftPlusPenalty, weights = rewardWeights(config), balanceMeasure, showsQueue } = options;
  const { draws = 'independent', independentShare = 0, startQueue = 0 } = options;
  const startRng = createRng(envSeed).fork('virtual queues');
  const start = new Float64Array(S).map(() => startQueue * config.balanceUnit * startRng.uniform());
  const rollout = {
    slots: T,
    requests: U,
    servers: S,
    ...slotRecord(policy, T * U, S, T + 1),
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
  const C = stateFeatures(S);
  let t = 0;
  /** Of the slot that is to be decided; after the run, of the cut. */
  let shown: SlotView | undefined;
  /** The slot's part of an array over all slots. */
  const own = <A extends Float32Array | Int32Array>(all: A): A =>
    all.subarray((all.length / T) * t, (all.length / T) * (t + 1)) as A;
  const act = (view: SlotView, assignment: Int32Array): void => {
    shown = view;
    const slot = {
      states: rollout.states.subarray(t * C, (t + 1) * C),
      rows: own(rollout.rows),
      prior: own(rollout.prior),
      actions: own(rollout.actions),
      logProbs: own(rollout.logProbs),
      allLogProbs: own(rollout.allLogProbs),
    };
    // One uniform number decides where the draws are mixed.
    const isMixed = draws === 'stratified' && independentShare > 0;
    const isIndependent = isMixed && (independentShare === 1 || rng.uniform() < independentShare);
    policy.act(view, assignment, slot, rng, isIndependent ? 'independent' : draws);
    rollout.predicted.set(view.predictedTokens.subarray(0, view.count), t * U);
    encodeChi(view, assignment, slot.states, own(rollout.chi), own(rollout.contribution));
  };
  const onSlot = (outcome: SlotOutcome): void => {
    let beforeCut = 0;
    // A completed request's latency goes to its own place, whenever it completed.
    for (const { slot, index, total, completedAt } of outcome.completions.rows()) {
      const d = slot * U + index;
      rollout.latency[d] = total;
      rollout.completedSlot[d] = t;
      rollout.answered[d] = 1;
      beforeCut += Math.min(completedAt, T * config.slotSeconds) - t * config.slotSeconds;
    }
    // In the last slot, up to the cut: with the drain, everything that was there has completed.
    rollout.requestSeconds[t] = t === T - 1 ? beforeCut : outcome.requestSeconds;
    rollout.deviation.set(outcome.learned.deviation, t * S);
    rollout.queue.set(outcome.learned.queue, t * S);
    const terms = reward.terms(outcome, weights);
    for (const name of ['latency', 'balance', 'memory'] as const) {
      if (!Number.isFinite(terms[name]))
        throw invalid(`reward "${reward.id}": ${name}`, terms[name], 'a finite number');
      rollout.terms[name][t] = terms[name];
    }
    t++;
  };
  const metrics = simulate(config, () => act, envSeed, { balanceMeasure, showsQueue, startQueue: start, onSlot });
  if (shown !== undefined) encodeState(shown, rollout.states.subarray(T * C));
  return { ...rollout, metrics };
}

/** χ_t per server: its state, its constants, the assignment's additions, and the means over servers. */
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
