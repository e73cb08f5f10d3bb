import type { Rng } from '../core/rng';
import {
  SERVER_FEATURES,
  SLOT_FEATURES,
  encodeRequests,
  encodeServers,
  encodeSlot,
  requestFeatures,
} from '../env/observation';
import type { Scheduler } from '../env/scheduler';
import type { SlotView } from '../env/slot-view';
import { logSoftmax } from '../nn/categorical';
import { Mlp } from '../nn/mlp';
import { type Draws, independentDraws, stratifiedDraws } from './draws';

/** Width C of a state: the servers and the slot, as policy and critic see them. */
export function stateFeatures(servers: number): number {
  return servers * SERVER_FEATURES + SLOT_FEATURES;
}

/** Writes a state, [C]; it begins with the servers, [S, SERVER_FEATURES]. */
export function encodeState(view: SlotView, out: Float32Array): void {
  encodeServers(view, out);
  encodeSlot(view, out.subarray(view.serverCount * SERVER_FEATURES));
}

/** The record of one slot for learning: the inputs of the network and the draws. */
export interface SlotRecord {
  /** The state, [C]. */
  readonly states: Float32Array;
  /** Inputs of each request's own, [U, rowInputs]. */
  readonly rows: Float32Array;
  /** Added to the network's outputs: 0, or a large negative number where a server cannot hold a request, [U, S]. */
  readonly prior: Float32Array;
  /** Server drawn for every request, [U]. */
  readonly actions: Int32Array;
  /** Its log probability, [U]. */
  readonly logProbs: Float32Array;
  /** All log probabilities, [U, S]. */
  readonly allLogProbs: Float32Array;
}

/**
 * A stochastic policy π(x(t) | s_t): every request is drawn on its own from the state at the slot's start. It must be
 * *drawn* when it is evaluated too: the most probable server is the same for nearly all requests of a slot.
 */
export interface Policy {
  /** The logits of every request over the servers. */
  readonly net: Mlp;
  /** Draws the slot's assignment, and writes the record for learning. Default of `draws`: 'independent'. */
  act(view: SlotView, assignment: Int32Array, record: SlotRecord, rng: Rng, draws?: Draws): void;
}

/** An empty record for `requests` requests, and `states` states. */
export function slotRecord({ net: { shape } }: Policy, requests: number, servers: number, states = 1): SlotRecord {
  return {
    states: new Float32Array(states * shape.sharedInputs),
    rows: new Float32Array(requests * shape.rowInputs),
    prior: new Float32Array(requests * servers),
    actions: new Int32Array(requests),
    logProbs: new Float32Array(requests),
    allLogProbs: new Float32Array(requests * servers),
  };
}

/** @param hidden widths of the network's hidden layers. */
export function createPolicy(S: number, hidden: readonly number[], rng: Rng): Policy {
  const rowInputs = requestFeatures(S);
  const net = new Mlp({ sharedInputs: stateFeatures(S), rowInputs, hidden, outputs: S }, rng, 0.01);
  return {
    net,
    act(view, assignment, record, draw, draws = 'independent'): void {
      const U = view.count;
      const { states, rows, prior, actions, logProbs, allLogProbs } = record;
      encodeState(view, states);
      encodeRequests(view, rows);
      prior.fill(0);
      for (let k = 0; k < U * S && !view.allFit; k++) if (!view.isCandidate(Math.floor(k / S), k % S)) prior[k] = -1e9;
      const own = rows.subarray(0, U * rowInputs);
      const logits = net.predict({ groups: 1, rowsPerGroup: U, shared: states, rows: own });
      for (let k = 0; k < U * S; k++) allLogProbs[k] = logits[k] + prior[k];
      logSoftmax(allLogProbs.subarray(0, U * S), S, allLogProbs);
      (draws === 'stratified' ? stratifiedDraws : independentDraws)(allLogProbs, U, S, draw, actions);
      for (let i = 0; i < U; i++) logProbs[i] = allLogProbs[i * S + actions[i]];
      assignment.set(actions.subarray(0, U));
    },
  };
}

/** A learned policy as a scheduler. Default of `draws`: 'independent'. */
export function policyScheduler(policy: Policy, rng: Rng, draws?: Draws): Scheduler {
  return (view, assignment) => {
    policy.act(view, assignment, slotRecord(policy, view.count, view.serverCount), rng, draws);
  };
}
