import { gather } from '../../nn/gather';
import type { SystemConfig } from '../../system/config';
import { lambdaTargets } from '../returns';
import { PREDICTOR_FEATURES, type Rollout } from '../rollout';

/** Heads of the per-server return predictor. */
export const HEADS = 3;
/** Discounted latency of the requests that later slots assign. */
export const LATER = 0;
/** Remaining wait of the requests that were there before. */
export const EARLIER = 1;
/** Discounted deviation, this slot's included. */
export const BALANCE = 2;

/** Costs of each server in each slot, [S·T] server by server, in seconds per user like all rewards. */
export interface ServerCosts {
  /** −ν·Σ D of the requests assigned to the server in the slot. */
  readonly assigned: Float64Array;
  /** −ν·Σ of the seconds that requests assigned to it earlier still have to wait from the slot's start. */
  readonly earlier: Float64Array;
  /** −Y_s in the balance unit. */
  readonly balance: Float64Array;
}

export function serverCosts(rollout: Rollout, config: SystemConfig): ServerCosts {
  const { slots: T, requests: U, servers: S } = rollout;
  const nu = config.latencyWeight / U;
  const [assigned, earlier, balance] = [0, 1, 2].map(() => new Float64Array(S * T));
  for (let t = 0; t < T; t++) {
    for (let s = 0; s < S; s++) balance[s * T + t] = -rollout.deviation[t * S + s] / (config.balanceUnit * U);
    for (let d = t * U; d < (t + 1) * U; d++) {
      const row = rollout.actions[d] * T;
      assigned[row + t] -= nu * rollout.latency[d];
      let left = rollout.latency[d] - config.slotSeconds;
      for (let later = t + 1; later < T && left > 0; later++, left -= config.slotSeconds)
        earlier[row + later] -= nu * left;
    }
  }
  return { assigned, earlier, balance };
}

/**
 * Targets of the predictor for every server after every slot's decision, [S·T, 3]: the return to go of the slots to
 * come, the remaining wait of the requests already there, the return to go of deviation. Discounted sums are
 * bootstrapped with the predictor's present predictions, the estimates [S·T, 3].
 */
export function serverTargets(
  costs: ServerCosts,
  estimates: Float64Array,
  servers: number,
  gamma: number,
): Float64Array {
  const T = costs.assigned.length / servers;
  const targets = new Float64Array(estimates.length);
  for (let from = 0; from < servers * T; from += T) {
    const [assigned, balance] = [costs.assigned, costs.balance].map((cost) => cost.subarray(from, from + T));
    const estimate = (t: number, head: number): number => estimates[(from + t) * HEADS + head];
    const withLater = assigned.map((c, t) => c + estimate(t, LATER));
    const later = lambdaTargets(assigned, withLater, gamma, 0.9);
    const ofBalance = balance.map((_, t) => estimate(t, BALANCE));
    const deviation = lambdaTargets(balance, ofBalance, gamma, 0.9);
    for (let t = 0; t < T; t++)
      targets.set([later[t] - assigned[t], costs.earlier[from + t], deviation[t]], (from + t) * HEADS);
  }
  return targets;
}

/** χ of every server, [S, T, PREDICTOR_FEATURES]: the rollout's [T, S, …] server by server. */
export function serverSequences({ slots: T, servers: S, chi }: Rollout): Float32Array {
  const rows = Int32Array.from({ length: S * T }, (_, k) => (k % T) * S + Math.floor(k / T));
  return gather(chi, rows, PREDICTOR_FEATURES);
}
