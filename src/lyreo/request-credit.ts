import type { SystemConfig } from '../system/config';
import { lambdaTargets } from './returns';
import { ASSIGNED_AT, ASSIGNED_FEATURES, PREDICTOR_FEATURES, type Rollout } from './rollout';

/** Heads of the per-server return predictor. */
export const REQUEST_HEADS = 3;
/** Discounted booked latency of the slots to come. */
const LATER = 0;
/** What the requests that were there before still wait. */
const EARLIER = 1;
/** Discounted deviation, this slot's included. */
export const BALANCE = 2;

/**
 * Bound of Z_s/unit as a weight of the balance credit. In an overloaded system Z grows without end while a single
 * request moves a full server's η by nothing; unbounded, that noise would drown the latency credit.
 */
const LARGEST_QUEUE = 50;

/** What each server costs in each slot, [S·T] server by server, in seconds per user like all rewards. */
export interface ServerCosts {
  /** −ν·Σ D of the requests assigned to the server in the slot. */
  readonly booked: Float64Array;
  /** −ν·Σ of the seconds that requests assigned to it earlier still have to wait from the slot's start. */
  readonly earlier: Float64Array;
  /** −Y_s in the balance unit. */
  readonly balance: Float64Array;
}

/** Books a rollout's outcomes to servers and slots. */
export function serverCosts(rollout: Rollout, config: SystemConfig): ServerCosts {
  const { slots: T, requests: U, servers: S } = rollout;
  const nu = config.latencyWeight / U;
  const booked = new Float64Array(S * T);
  const earlier = new Float64Array(S * T);
  const balance = new Float64Array(S * T);
  for (let t = 0; t < T; t++) {
    for (let s = 0; s < S; s++) balance[s * T + t] = -rollout.deviation[t * S + s] / (config.balanceUnit * U);
    for (let d = t * U; d < (t + 1) * U; d++) {
      const row = rollout.actions[d] * T;
      booked[row + t] -= nu * rollout.latency[d];
      let left = rollout.latency[d] - config.slotSeconds;
      for (let later = t + 1; later < T && left > 0; later++, left -= config.slotSeconds)
        earlier[row + later] -= nu * left;
    }
  }
  return { booked, earlier, balance };
}

/**
 * What the predictor is to say of every server after every slot's decision, [S·T, 3]: the prospect of the slots to
 * come, the wait of those already there, the prospect of deviation. Discounted sums are bootstrapped with the
 * predictor's own estimates.
 *
 * @param estimates what it says now, [S·T, 3].
 */
export function serverTargets(
  costs: ServerCosts,
  estimates: Float64Array,
  servers: number,
  gamma: number,
): Float64Array {
  const T = costs.booked.length / servers;
  const targets = new Float64Array(estimates.length);
  for (let s = 0; s < servers; s++) {
    const rows = { from: s * T, to: (s + 1) * T };
    const booked = costs.booked.subarray(rows.from, rows.to);
    const balance = costs.balance.subarray(rows.from, rows.to);
    const whole = booked.map((c, t) => c + estimates[(rows.from + t) * REQUEST_HEADS + LATER]);
    const later = lambdaTargets(booked, whole, gamma, 0.9);
    const deviation = lambdaTargets(
      balance,
      balance.map((_, t) => estimates[(rows.from + t) * REQUEST_HEADS + BALANCE]),
      gamma,
      0.9,
    );
    for (let t = 0; t < T; t++) {
      const k = (rows.from + t) * REQUEST_HEADS;
      targets[k + LATER] = later[t] - booked[t];
      targets[k + EARLIER] = costs.earlier[rows.from + t];
      targets[k + BALANCE] = deviation[t];
    }
  }
  return targets;
}

/** χ of every server, [S, T, PREDICTOR_FEATURES]: the rollout's [T, S, …] server by server. */
export function serverSequences(rollout: Rollout): Float32Array {
  const { slots: T, servers: S } = rollout;
  const P = PREDICTOR_FEATURES;
  const inputs = new Float32Array(S * T * P);
  for (let t = 0; t < T; t++)
    for (let s = 0; s < S; s++) inputs.set(rollout.chi.subarray((t * S + s) * P, (t * S + s + 1) * P), (s * T + t) * P);
  return inputs;
}

/**
 * A request's own latency as its credit, [T·U]: −ν·(D_i − l̂_i·mean over the slot of D_j/l̂_j), so that a long answer
 * is not held against the server that gave it. Requests that were not answered have none.
 */
export function ownCredit(rollout: Rollout, config: SystemConfig): Float32Array {
  const { slots: T, requests: U } = rollout;
  const nu = config.latencyWeight / U;
  const credit = new Float32Array(T * U);
  for (let t = 0; t < T; t++) {
    let perToken = 0;
    let count = 0;
    for (let d = t * U; d < (t + 1) * U; d++) count += rollout.answered[d];
    for (let d = t * U; d < (t + 1) * U; d++) perToken += rollout.latency[d] / rollout.predicted[d] / count;
    for (let d = t * U; d < (t + 1) * U; d++)
      if (rollout.answered[d] === 1) credit[d] = -nu * (rollout.latency[d] - perToken * rollout.predicted[d]);
  }
  return credit;
}

/**
 * How far each head's gradients can be trusted, in [0, 1].
 *
 * A policy's draws are an experiment: what server s was assigned, less what the policy assigns on average,
 * a = Σ_i (1[s_i = s] − π(s | i))·f_{i,s}, is independent of everything before. If the predicted effect e = ∇Q·a is
 * right, what came out, y − (Q − e), rises by 1 for each unit of e. The slope of that regression less two standard
 * errors, cut to [0, 1], is the share of the predicted effect that is used: a predictor with a good fit but wrong
 * gradients counts nothing.
 *
 * Note: RUDDER weighs by how well the return is predicted. In an overloaded system nearly all of the return is
 * predictable and next to nothing of it is due to the slot's decision, so that R² says little about credit.
 *
 * @param predictions Q and `targets` y, [S·T, 3]; both of a rollout the predictor has not learned from.
 */
export function headTrust(
  rollout: Rollout,
  gradients: readonly Float32Array[],
  predictions: Float64Array,
  targets: Float64Array,
): number[] {
  const { slots: T, requests: U, servers: S } = rollout;
  const deviations = assignedDeviation(rollout);
  return gradients.map((gradient, head) => {
    const scale = medianSize(predictions, head);
    let se = 0;
    let sr = 0;
    const effects = new Float64Array(S * T);
    const surprises = new Float64Array(S * T);
    for (let row = 0; row < S * T; row++) {
      let effect = 0;
      for (let f = 0; f < ASSIGNED_FEATURES; f++)
        effect += gradient[row * PREDICTOR_FEATURES + ASSIGNED_AT + f] * deviations[row * ASSIGNED_FEATURES + f];
      const k = row * REQUEST_HEADS + head;
      const weight = 1 / (Math.abs(predictions[k]) + scale + 1e-9);
      effects[row] = effect * weight;
      surprises[row] = (targets[k] - predictions[k] + effect) * weight;
      se += effects[row] ** 2;
      sr += effects[row] * surprises[row];
    }
    if (se === 0 || U === 0) return 0;
    const slope = sr / se;
    let variance = 0;
    for (let row = 0; row < S * T; row++) variance += (effects[row] * (surprises[row] - slope * effects[row])) ** 2;
    return Math.min(1, Math.max(0, slope - (2 * Math.sqrt(variance)) / se));
  });
}

/** What each server was assigned less what the policy assigns on average, [S·T, ASSIGNED_FEATURES]. */
function assignedDeviation(rollout: Rollout): Float64Array {
  const { slots: T, requests: U, servers: S } = rollout;
  const deviation = new Float64Array(S * T * ASSIGNED_FEATURES);
  for (let d = 0; d < T * U; d++) {
    const t = Math.floor(d / U);
    for (let s = 0; s < S; s++) {
      const drawn = (rollout.actions[d] === s ? 1 : 0) - Math.exp(rollout.allLogProbs[d * S + s]);
      const from = (d * S + s) * ASSIGNED_FEATURES;
      const to = (s * T + t) * ASSIGNED_FEATURES;
      for (let f = 0; f < ASSIGNED_FEATURES; f++) deviation[to + f] += drawn * rollout.contribution[from + f];
    }
  }
  return deviation;
}

function medianSize(predictions: Float64Array, head: number): number {
  const sizes = Float64Array.from({ length: predictions.length / REQUEST_HEADS }, (_, row) =>
    Math.abs(predictions[row * REQUEST_HEADS + head]),
  ).sort();
  return sizes[Math.floor(sizes.length / 2)];
}

/**
 * What request i would change for others on server s, [T·U, S]: the predictor's prospect of s differentiated along what
 * the request adds to χ_s, q_i(s) = ∇_χ(Q^later + Q^earlier + Z_s·Q^balance)·f_{i,s}, each head in proportion to its trust.
 *
 * @param gradients of the three heads, [S·T, PREDICTOR_FEATURES] each.
 * @param trust share of each head's gradient that is used, see `headTrust`.
 */
export function requestWorth(
  rollout: Rollout,
  gradients: readonly Float32Array[],
  trust: readonly number[],
  balanceUnit: number,
): Float64Array {
  const { slots: T, requests: U, servers: S } = rollout;
  const worth = new Float64Array(T * U * S);
  const slope = new Float64Array(ASSIGNED_FEATURES);
  for (let t = 0; t < T; t++) {
    for (let s = 0; s < S; s++) {
      const at = (s * T + t) * PREDICTOR_FEATURES + ASSIGNED_AT;
      const queue = Math.min(LARGEST_QUEUE, rollout.queue[t * S + s] / balanceUnit);
      for (let f = 0; f < ASSIGNED_FEATURES; f++)
        slope[f] =
          trust[LATER] * gradients[LATER][at + f] +
          trust[EARLIER] * gradients[EARLIER][at + f] +
          queue * trust[BALANCE] * gradients[BALANCE][at + f];
      for (let d = t * U; d < (t + 1) * U; d++) {
        const from = (d * S + s) * ASSIGNED_FEATURES;
        let q = 0;
        for (let f = 0; f < ASSIGNED_FEATURES; f++) q += slope[f] * rollout.contribution[from + f];
        worth[d * S + s] = q;
      }
    }
  }
  return worth;
}

/** q_i(s_i) − Σ_s π(s | i)·q_i(s): the worth of what was chosen against what the policy would have got, [T·U]. */
export function againstPolicy(rollout: Rollout, worth: Float64Array): Float32Array {
  const { servers: S } = rollout;
  return Float32Array.from(rollout.actions, (action, d) => {
    let mean = 0;
    for (let s = 0; s < S; s++) mean += Math.exp(rollout.allLogProbs[d * S + s]) * worth[d * S + s];
    return worth[d * S + action] - mean;
  });
}
