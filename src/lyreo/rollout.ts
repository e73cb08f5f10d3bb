import type { Rng } from '../core/rng';
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
  /** Inputs of the policy, [T, sharedInputs] and [T·rowsPerSlot, rowInputs]. */
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
  /** Requests of the slot that were not refused, at most U, [T]; what stands behind them is void. */
  readonly counts: Int32Array;
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
  /** Σ D_tot of what the drain completed, s. */
  readonly drainedLatency: number;
  /** ∫ N(t) dt over the slot, request-seconds, [T]. */
  readonly requestSeconds: Float64Array;
  /** Y_s(t) of the balance measure, [T, S]; Z_s(t) before it, [T, S]. */
  readonly deviation: Float64Array;
  readonly queue: Float64Array;
  readonly metrics: RunMetrics;
}

/** A rollout while it is written. */
type Recording = Omit<Rollout, 'metrics' | 'drainedLatency'> & { drainedLatency: number };

/** Optional parts of an episode. */
export interface EpisodeOptions {
  /** Default: the drift-plus-penalty reward with the weights of `rewardWeights`. */
  readonly reward?: Reward | undefined;
  readonly weights?: RewardWeights | undefined;
  /** Default 'eta'. */
  readonly balanceMeasure?: BalanceMeasure | undefined;
  /** Whether policy, critic and predictor see Z. Default true. */
  readonly showsQueue?: boolean | undefined;
  /** How a factorised policy draws. Default 'independent'. */
  readonly draws?: Draws | undefined;
  /** Share of the slots that are drawn independently whatever `draws` says. Default 0. */
  readonly independentShare?: number | undefined;
  /** Slots at the start in which all requests go to a random half of the servers. Default 0. */
  readonly burstSlots?: number | undefined;
}

/**
 * Plays one episode with a policy: the first step of Algorithm 1.
 *
 * @param rng draws the assignments; null takes the most probable servers.
 */
export function playEpisode(
  config: SystemConfig,
  policy: Policy,
  envSeed: number,
  rng: Rng | null,
  options: EpisodeOptions = {},
): Rollout {
  const { slots: T, users: U, servers: S, slotSeconds } = config;
  const { reward = driftPlusPenalty, weights = rewardWeights(config), burstSlots = 0 } = options;
  const { balanceMeasure, showsQueue } = options;
  const env = new EdgeEnv(config, envSeed, { balanceMeasure, showsQueue });
  const metrics = new Metrics(S, config.balanceTolerance);
  const { sharedInputs, rowInputs } = policy.net.shape;
  const rowsPerSlot = U * policy.rowsPerRequest;
  const C = criticInputs(S);
  const P = PREDICTOR_FEATURES;
  const rollout: Recording = {
    slots: T,
    requests: U,
    servers: S,
    shared: new Float32Array(T * sharedInputs),
    rows: new Float32Array(T * rowsPerSlot * rowInputs),
    prior: new Float32Array(T * U * S),
    actions: new Int32Array(T * U),
    logProbs: new Float32Array(T * U),
    allLogProbs: new Float32Array(T * U * S),
    states: new Float32Array((T + 1) * C),
    chi: new Float32Array(T * S * P),
    contribution: new Float32Array(T * U * S * ASSIGNED_FEATURES),
    counts: new Int32Array(T),
    answered: new Uint8Array(T * U),
    predicted: new Int32Array(T * U).fill(1),
    latency: new Float64Array(T * U),
    completedSlot: new Int32Array(T * U).fill(-1),
    terms: { latency: new Float64Array(T), balance: new Float64Array(T), memory: new Float64Array(T) },
    drainedLatency: 0,
    requestSeconds: new Float64Array(T),
    deviation: new Float64Array(T * S),
    queue: new Float64Array(T * S),
  };
  const record = slotRecord(policy, U, S);
  const assignment = new Int32Array(U);
  const burst = burstSlots === 0 || rng === null ? null : burstOn(S, rng);
  let step = env.reset();
  for (let t = 0; t < T; t++) {
    const { view } = step;
    encodeState(view, rollout.states, t * C);
    policy.act(view, assignment, record, rng, drawsOfSlot(options, rng));
    if (burst !== null && t < burstSlots) burst(record.actions, assignment, view.count);
    rollout.counts[t] = view.count;
    rollout.predicted.set(view.predictedTokens.subarray(0, view.count), t * U);
    keep(rollout, record, t, sharedInputs, rowsPerSlot * rowInputs, U, S);
    encodeChi(view, assignment, rollout.chi, t * S * P, rollout.contribution, t * U * S * ASSIGNED_FEATURES);
    step = env.step(assignment);
    const outcome = step.outcome as SlotOutcome;
    metrics.add(outcome);
    keepOutcome(rollout, outcome, t, T, slotSeconds);
    const { latency, balance, memory } = reward.terms(outcome, weights);
    rollout.terms.latency[t] = latency;
    rollout.terms.balance[t] = balance;
    rollout.terms.memory[t] = memory;
  }
  encodeState(step.view, rollout.states, T * C);
  rollout.answered.fill(0, 0, Math.min(burstSlots, T) * U);
  return { ...rollout, metrics: metrics.report() };
}

/** How the next slot is drawn; one uniform number decides where the draws are mixed. */
function drawsOfSlot({ draws = 'independent', independentShare = 0 }: EpisodeOptions, rng: Rng | null): Draws {
  if (draws === 'independent' || independentShare === 0) return draws;
  if (rng === null || independentShare === 1 || rng.uniform() < independentShare) return 'independent';
  return draws;
}

/** Sends a slot's requests to servers of a random half, each to one drawn uniformly. */
function burstOn(S: number, rng: Rng): (actions: Int32Array, assignment: Int32Array, count: number) => void {
  const first = rng.int(S);
  const half = Math.ceil(S / 2);
  return (actions, assignment, count) => {
    for (let i = 0; i < count; i++) actions[i] = assignment[i] = (first + rng.int(half)) % S;
  };
}

function encodeState(view: SlotView, out: Float32Array, offset: number): void {
  encodeServers(view, out, offset);
  encodeSlot(view, out, offset + view.serverCount * SERVER_FEATURES);
}

function keep(
  rollout: Recording,
  record: SlotRecord,
  t: number,
  sharedInputs: number,
  rowNumbers: number,
  U: number,
  S: number,
): void {
  rollout.shared.set(record.shared, t * sharedInputs);
  rollout.rows.set(record.rows, t * rowNumbers);
  rollout.prior.set(record.prior, t * U * S);
  rollout.actions.set(record.actions, t * U);
  rollout.logProbs.set(record.logProbs, t * U);
  rollout.allLogProbs.set(record.allLogProbs, t * U * S);
}

/** χ_t per server: its state, its constants, what it was assigned, and what the servers have on average. */
function encodeChi(
  view: SlotView,
  assignment: Int32Array,
  chi: Float32Array,
  at: number,
  contribution: Float32Array,
  contributionAt: number,
): void {
  const S = view.serverCount;
  const U = view.count;
  const P = PREDICTOR_FEATURES;
  const { meanInputTokens, meanOutputTokens } = view.config;
  const states = new Float32Array(S * SERVER_FEATURES);
  const constants = new Float32Array(S * SERVER_CONSTANTS);
  encodeServers(view, states);
  encodeConstants(view, constants);
  for (let s = 0; s < S; s++) {
    chi.set(states.subarray(s * SERVER_FEATURES, (s + 1) * SERVER_FEATURES), at + s * P);
    chi.set(constants.subarray(s * SERVER_CONSTANTS, (s + 1) * SERVER_CONSTANTS), at + s * P + SERVER_FEATURES);
  }
  const scale = S / U;
  for (let i = 0; i < U; i++) {
    for (let s = 0; s < S; s++) {
      const k = contributionAt + (i * S + s) * ASSIGNED_FEATURES;
      contribution[k] = scale;
      contribution[k + 1] = (scale * view.inputTokens[i]) / meanInputTokens;
      contribution[k + 2] = (scale * view.predictedTokens[i]) / meanOutputTokens;
      contribution[k + 3] = view.requestWorkload(i, s);
      if (assignment[i] !== s) continue;
      for (let f = 0; f < ASSIGNED_FEATURES; f++) chi[at + s * P + ASSIGNED_AT + f] += contribution[k + f];
    }
  }
  let demand = 0;
  let workload = 0;
  let queue = 0;
  for (let s = 0; s < S; s++) {
    demand += states[s * SERVER_FEATURES + 1] / S;
    workload += states[s * SERVER_FEATURES + 6] / S;
    queue += states[s * SERVER_FEATURES + 8] / S;
  }
  for (let s = 0; s < S; s++) {
    const k = at + s * P + ASSIGNED_AT + ASSIGNED_FEATURES;
    chi[k] = demand;
    chi[k + 1] = workload;
    chi[k + 2] = queue;
  }
}

/** Keeps a slot's outcome; a completed request's latency goes to its own place, whenever it completed. */
function keepOutcome(rollout: Recording, outcome: SlotOutcome, t: number, T: number, slotSeconds: number): void {
  const { completions } = outcome;
  const { requests: U, servers: S } = rollout;
  for (const { slot, index, total } of completions.rows()) {
    const d = slot * U + index;
    rollout.latency[d] = total;
    rollout.completedSlot[d] = t;
    rollout.answered[d] = 1;
  }
  rollout.drainedLatency = outcome.drainedLatency;
  rollout.requestSeconds[t] =
    t === T - 1 ? secondsBeforeCut(outcome, t * slotSeconds, T * slotSeconds) : outcome.requestSeconds;
  rollout.deviation.set(outcome.learned.deviation, t * S);
  rollout.queue.set(outcome.learned.queue, t * S);
}

/** ∫ N(t) dt of the last slot, up to the cut: with the drain, everything that was there has completed. */
function secondsBeforeCut(outcome: SlotOutcome, startAt: number, cutAt: number): number {
  let seconds = 0;
  for (const { completedAt } of outcome.completions.rows()) seconds += Math.min(completedAt, cutAt) - startAt;
  return seconds;
}
