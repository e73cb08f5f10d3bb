import { type Rng, createRng } from '../core/rng';
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
  /** h: arrivals continue for so many slots, the decision's own included; then the servers run until they are empty. Default 20. */
  readonly horizon?: number | undefined;
  /** Futures over which an effect is averaged; each is the same for all that is compared. Default 2. */
  readonly repeats?: number | undefined;
  /** Other assignments that a slot's own is compared with. Default 8. */
  readonly alternatives?: number | undefined;
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
  const { requests: U } = rollout;
  const { slots, unit = 'request', requestsPerSlot = U, horizon = 20, repeats = 2, alternatives = 8 } = options;
  const rows = slots.flatMap((t): (readonly [decision: number, effect: number])[] => {
    const fork = new Fork({ ...config, slots: t + horizon }, policy, seed, rollout, t, repeats);
    if (unit === 'slot') return [[t * U, fork.slotEffect(alternatives)]];
    const count = Math.min(U, requestsPerSlot);
    return Array.from({ length: count }, (_, i) => [t * U + i, fork.requestEffect(i)] as const);
  });
  return {
    decisions: Int32Array.from(rows, ([decision]) => decision),
    effects: Float64Array.from(rows, ([, effect]) => effect),
  };
}

/** An episode as it stood at the start of slot t, with the decisions of that slot. */
class Fork {
  private readonly env: EdgeEnv;
  private readonly record: SlotRecord;
  private readonly decided: Int32Array;
  private readonly own: number;

  constructor(
    private readonly config: SystemConfig,
    private readonly policy: Policy,
    private readonly seed: number,
    private readonly rollout: Rollout,
    private readonly t: number,
    private readonly repeats: number,
  ) {
    const { requests: U, servers: S, actions } = rollout;
    this.env = new EdgeEnv(config, seed);
    this.env.reset();
    for (let before = 0; before < t; before++) this.env.step(actions.subarray(before * U, (before + 1) * U));
    this.record = slotRecord(policy, U, S);
    this.decided = actions.slice(t * U, (t + 1) * U);
    this.own = this.meanReturn(this.decided);
  }

  /** Against the servers that request i could have been sent to instead, the slot's others staying where they are. */
  requestEffect(i: number): number {
    const { requests: U, servers: S, allLogProbs } = this.rollout;
    const row = (this.t * U + i) * S;
    let mean = 0;
    let weight = 0;
    for (let s = 0; s < S; s++) {
      const p = Math.exp(allLogProbs[row + s]);
      if (p < RARE && s !== this.decided[i]) continue;
      const other = this.decided.slice();
      other[i] = s;
      mean += p * (s === this.decided[i] ? this.own : this.meanReturn(other));
      weight += p;
    }
    return this.own - mean / weight;
  }

  /** Against other assignments of the slot that the policy could have drawn. */
  slotEffect(alternatives: number): number {
    const rng = this.stream('alternatives');
    let mean = 0;
    for (let k = 0; k < alternatives; k++) mean += this.meanReturn(this.redrawn(rng)) / alternatives;
    return this.own - mean;
  }

  private redrawn(rng: Rng): Int32Array {
    const { requests: U, servers: S, allLogProbs } = this.rollout;
    const other = new Int32Array(U);
    if (this.policy.kind === 'sequential') this.policy.act(this.env.view, other, this.record, rng);
    else for (let i = 0; i < U; i++) other[i] = sample(allLogProbs, (this.t * U + i) * S, S, rng);
    return other;
  }

  private meanReturn(assignment: Int32Array): number {
    let mean = 0;
    for (let k = 0; k < this.repeats; k++) mean += this.returnOf(assignment, this.stream(`future ${k}`)) / this.repeats;
    return mean;
  }

  /** G of the branch that begins with this assignment. */
  private returnOf(assignment: Int32Array, rng: Rng): number {
    const { latencyWeight, balanceUnit } = this.config;
    const env = this.env.fork();
    const later = new Int32Array(this.rollout.requests);
    let sum = 0;
    let step = env.step(assignment);
    for (;;) {
      const outcome = step.outcome as SlotOutcome;
      const latency = completedLatency(outcome) + outcome.drainedLatency;
      sum -= latencyWeight * latency + weightedDeviation(outcome, balanceUnit);
      if (step.stepType === 'last') return sum / this.rollout.requests;
      this.policy.act(step.view, later, this.record, rng);
      step = env.step(later);
    }
  }

  private stream(purpose: string): Rng {
    return createRng(this.seed).fork(`counterfactual slot ${this.t}: ${purpose}`);
  }
}
