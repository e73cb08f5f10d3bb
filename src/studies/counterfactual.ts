import { type Rng, createRng } from '../core/rng';
import { mean } from '../core/statistics';
import { EdgeEnv } from '../env/edge-env';
import type { SlotOutcome } from '../env/outcome';
import { completedLatency, weightedDeviation } from '../env/reward';
import { type Policy, type SlotRecord, slotRecord } from '../lyreo/policy';
import type { Rollout } from '../lyreo/rollout';
import { sample } from '../nn/categorical';
import type { SystemConfig } from '../system/config';

/** The decisions to look at, and how closely. */
export interface CounterfactualOptions {
  /** Slots whose decisions are looked at. */
  readonly slots: readonly number[];
  /** Single requests, or a slot's whole assignment. Default 'request'. */
  readonly unit?: 'request' | 'slot' | undefined;
  /** The first so many requests of each slot. Default: all. */
  readonly requestsPerSlot?: number | undefined;
  /** h: arrivals continue for so many slots, the decision's own included; then the servers are drained. Default 20. */
  readonly horizon?: number | undefined;
  /** Futures over which an effect is averaged; each is the same for all that is compared. Default 2. */
  readonly repeats?: number | undefined;
}

/** True effects of decisions. */
export interface CounterfactualEffects {
  /** t·U + i of each decision, its place in a credit's `advantages`; t·U where whole slots are looked at. [n] */
  readonly decisions: Int32Array;
  /** Effect of the decision, against the policy's average one, in the unit of the rewards. [n] */
  readonly effects: Float64Array;
}

/** Less probable servers are left out of a mean. */
const RARE = 0.005;

/** Other assignments that a slot's own is compared with. */
const ALTERNATIVES = 8;

/**
 * The true effects of decisions of a recorded episode. The simulator is forked at the decision's slot; each branch makes
 * another decision, and meets the same future with the same policy and the same draws:
 *   G = −(ν·Σ D_tot + Σ_t Σ_s Z_s·Y_s/unit²)/U,   effect = G(decision) − Σ_alternatives π·G(alternative),
 * the true advantage, of which a credit's `advantages` are estimates.
 *
 * @param seed the episode's, as it was given to `playEpisode`.
 */
export function counterfactualEffects(
  config: SystemConfig,
  policy: Policy,
  seed: number,
  rollout: Rollout,
  options: CounterfactualOptions,
): CounterfactualEffects {
  const { requests: U, servers: S, actions, allLogProbs } = rollout;
  const { slots, unit = 'request', requestsPerSlot = U, horizon = 20, repeats = 2 } = options;
  const record = slotRecord(policy, U, S);
  const decisions: number[] = [];
  const effects: number[] = [];
  for (const t of slots) {
    const env = new EdgeEnv({ ...config, slots: t + horizon }, seed);
    env.reset();
    for (let before = 0; before < t; before++) env.step(actions.subarray(before * U, (before + 1) * U));
    const decided = actions.slice(t * U, (t + 1) * U);
    const stream = (purpose: string): Rng => createRng(seed).fork(`counterfactual slot ${t}: ${purpose}`);
    const meanReturn = (assignment: Int32Array): number =>
      mean(
        Array.from({ length: repeats }, (_, k) =>
          returnOf(env.fork(), policy, record, assignment, stream(`future ${k}`)),
        ),
      );
    const own = meanReturn(decided);

    /** Against the servers that request i could have been sent to instead, the slot's others staying where they are. */
    const requestEffect = (i: number): number => {
      let sum = 0;
      let weight = 0;
      for (let s = 0; s < S; s++) {
        const p = Math.exp(allLogProbs[(t * U + i) * S + s]);
        if (p < RARE && s !== decided[i]) continue;
        sum += p * (s === decided[i] ? own : meanReturn(decided.map((server, j) => (j === i ? s : server))));
        weight += p;
      }
      return own - sum / weight;
    };
    /** Against other assignments of the slot that the policy could have drawn. */
    const slotEffect = (): number => {
      const rng = stream('alternatives');
      const others = Array.from({ length: ALTERNATIVES }, () =>
        decided.map((_, i) => sample(allLogProbs, (t * U + i) * S, S, rng.uniform())),
      );
      return own - mean(others.map(meanReturn));
    };
    for (let i = 0; i < (unit === 'slot' ? 1 : Math.min(U, requestsPerSlot)); i++) {
      decisions.push(t * U + i);
      effects.push(unit === 'slot' ? slotEffect() : requestEffect(i));
    }
  }
  return { decisions: Int32Array.from(decisions), effects: Float64Array.from(effects) };
}

/** G of the branch that begins with this assignment. */
function returnOf(env: EdgeEnv, policy: Policy, record: SlotRecord, assignment: Int32Array, rng: Rng): number {
  const { latencyWeight, balanceUnit } = env.config;
  const later = new Int32Array(assignment.length);
  let sum = 0;
  for (let step = env.step(assignment); ; step = env.step(later)) {
    const outcome = step.outcome as SlotOutcome;
    sum -=
      latencyWeight * (completedLatency(outcome) + outcome.drainedLatency) + weightedDeviation(outcome, balanceUnit);
    if (step.stepType === 'last') return sum / assignment.length;
    policy.act(step.view, later, record, rng);
  }
}
