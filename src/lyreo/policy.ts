import { invalid } from '../core/errors';
import type { Rng } from '../core/rng';
import {
  SERVER_CONSTANTS,
  SERVER_FEATURES,
  SLOT_FEATURES,
  encodeConstants,
  encodeRequests,
  encodeServers,
  encodeSlot,
  requestFeatures,
} from '../env/observation';
import type { SlotView } from '../env/slot-view';
import { logSoftmax, sample, argMax } from '../nn/categorical';
import { Mlp } from '../nn/mlp';
import { type Draws, independentDraws, stratifiedDraws } from './draws';
import { DriftForecast } from '../schedulers/drift-plus-penalty';

/** How a slot's requests are assigned. */
export type PolicyKind = 'factorised' | 'sequential';

/** What one slot leaves behind for learning: the inputs of the network and the draws. */
export interface SlotRecord {
  /** Inputs that all rows have in common, [sharedInputs]. */
  readonly shared: Float32Array;
  /** [rowsPerSlot, rowInputs]. */
  readonly rows: Float32Array;
  /** Added to the network's outputs, [U, S]. */
  readonly prior: Float32Array;
  /** Server drawn for every request, [U]. */
  readonly actions: Int32Array;
  /** Its log probability, [U]. */
  readonly logProbs: Float32Array;
  /** All log probabilities, [U, S]. */
  readonly allLogProbs: Float32Array;
}

/**
 * A stochastic policy π(x(t) | s_t): a network whose outputs, with a prior, are the logits of every request over the
 * servers.
 */
export interface Policy {
  readonly kind: PolicyKind;
  readonly net: Mlp;
  /** Rows of the network per slot of U requests: U, or U·S where it scores pairs. */
  readonly rowsPerRequest: number;
  /**
   * Draws the slot's assignment, or takes the most probable one, and writes what learning needs.
   *
   * @param rng null takes the most probable servers.
   * @param draws how a factorised policy draws; a sequential one draws request by request. Default 'independent'.
   */
  act(view: SlotView, assignment: Int32Array, record: SlotRecord, rng: Rng | null, draws?: Draws): void;
}

/** An empty record for slots of `requests` requests. */
export function slotRecord(policy: Policy, requests: number, servers: number): SlotRecord {
  return {
    shared: new Float32Array(policy.net.shape.sharedInputs),
    rows: new Float32Array(requests * policy.rowsPerRequest * policy.net.shape.rowInputs),
    prior: new Float32Array(requests * servers),
    actions: new Int32Array(requests),
    logProbs: new Float32Array(requests),
    allLogProbs: new Float32Array(requests * servers),
  };
}

/** Servers that cannot hold a request get this logit. */
const IMPOSSIBLE = -1e9;

/**
 * Every request is drawn on its own from the state at the slot's start. It must be *sampled* when it is evaluated too:
 * the most probable server is the same for nearly all requests of a slot.
 */
function factorisedPolicy(net: Mlp, S: number): Policy {
  return {
    kind: 'factorised',
    net,
    rowsPerRequest: 1,
    act(view, assignment, record, rng, draws = 'independent'): void {
      const U = view.count;
      encodeServers(view, record.shared);
      encodeSlot(view, record.shared, S * SERVER_FEATURES);
      encodeRequests(view, record.rows);
      mask(view, record.prior);
      const rows = record.rows.subarray(0, U * requestFeatures(S));
      const logits = net.predict({ groups: 1, rowsPerGroup: U, shared: record.shared, rows });
      for (let k = 0; k < U * S; k++) record.allLogProbs[k] = logits[k] + record.prior[k];
      logSoftmax(record.allLogProbs.subarray(0, U * S), S, record.allLogProbs);
      const { actions, allLogProbs } = record;
      if (rng === null) for (let i = 0; i < U; i++) actions[i] = argMax(allLogProbs, i * S, S);
      else if (draws === 'stratified') stratifiedDraws(allLogProbs, U, S, rng, actions);
      else independentDraws(allLogProbs, U, S, rng, actions);
      for (let i = 0; i < U; i++) {
        record.logProbs[i] = allLogProbs[i * S + actions[i]];
        assignment[i] = actions[i];
      }
    },
  };
}

function mask(view: SlotView, prior: Float32Array): void {
  const S = view.serverCount;
  prior.fill(0);
  if (view.allFit) return;
  for (let i = 0; i < view.count; i++)
    for (let s = 0; s < S; s++) if (!view.isCandidate(i, s)) prior[i * S + s] = IMPOSSIBLE;
}

/** Inputs of the pair scorer per (request, server). */
const PAIR_FEATURES = 14 + SERVER_CONSTANTS;
/** Logits per unit of the greedy's cost in the prior. */
const PRIOR_SHARPNESS = 12;

/**
 * A sequential policy for another number of servers: the same network, which scores pairs and does not know how many
 * there are.
 *
 * @throws UserError for a factorised policy, whose network has an output per server.
 */
export function atServers({ kind, net }: Policy, servers: number): Policy {
  if (kind !== 'sequential')
    throw invalid('policy', kind, 'a sequential one; a factorised network has an output per server');
  return pairPolicy(net, servers);
}

/**
 * A slot's requests are assigned one after the other, each seeing those before it; one small network scores every
 * (request, server) pair. It starts as the drift-plus-penalty greedy: the prior is that greedy's cost, softened, and
 * the network learns what to add. Taking the most probable server is sound here.
 */
function pairPolicy(net: Mlp, S: number): Policy {
  const constants = new Float32Array(S * SERVER_CONSTANTS);
  const [latency, delay, balance, cost] = [0, 1, 2, 3].map(() => new Float64Array(S));
  let forecast: DriftForecast | undefined;
  return {
    kind: 'sequential',
    net,
    rowsPerRequest: S,
    act(view, assignment, record, draw): void {
      const { latencyWeight, balanceUnit, meanInputTokens, meanOutputTokens } = view.config;
      forecast ??= new DriftForecast(view);
      forecast.begin(view);
      encodeConstants(view, constants);
      mask(view, record.prior);
      for (let i = 0; i < view.count; i++) {
        let least = Infinity;
        let meanLatency = 0;
        let meanShare = 0;
        for (let s = 0; s < S; s++) {
          latency[s] = forecast.latency(i, s);
          delay[s] = forecast.delayToOthers(i, s);
          balance[s] = forecast.balanceGrowth(i, s);
          cost[s] = latencyWeight * (latency[s] + delay[s]) + balance[s];
          record.prior[i * S + s] += -PRIOR_SHARPNESS * cost[s];
          least = Math.min(least, cost[s]);
          meanLatency += latency[s] / S;
          meanShare += forecast.share(s) / S;
        }
        for (let s = 0; s < S; s++) record.prior[i * S + s] += PRIOR_SHARPNESS * least;
        const rows = record.rows.subarray(i * S * PAIR_FEATURES, (i + 1) * S * PAIR_FEATURES);
        for (let s = 0; s < S; s++) {
          const pair = [
            Math.log(view.inputTokens[i] / meanInputTokens),
            2 * Math.log(view.predictedTokens[i] / meanOutputTokens),
            latency[s] - meanLatency,
            latency[s],
            delay[s],
            balance[s],
            cost[s] - least,
            forecast.share(s),
            forecast.share(s) - meanShare,
            forecast.batch[s] / 10,
            view.queue[s] / balanceUnit,
            view.waiting[s] / 10,
            forecast.requests[s] / 20,
            i / view.count,
          ];
          const bounded = pair.map((x) => Math.min(10, Math.max(-10, x)));
          const own = constants.subarray(s * SERVER_CONSTANTS, (s + 1) * SERVER_CONSTANTS);
          rows.set(bounded, s * PAIR_FEATURES);
          rows.set(own, s * PAIR_FEATURES + bounded.length);
        }
        const scores = net.predict({ groups: 1, rowsPerGroup: S, shared: record.shared, rows });
        const row = record.allLogProbs.subarray(i * S, (i + 1) * S);
        for (let s = 0; s < S; s++) row[s] = scores[s] + record.prior[i * S + s];
        logSoftmax(row, S, row);
        const s = draw === null ? argMax(row, 0, S) : sample(row, 0, S, draw.uniform());
        record.actions[i] = s;
        record.logProbs[i] = row[s];
        assignment[i] = s;
        forecast.assign(i, s);
      }
    },
  };
}

/**
 * Makes the policy of a kind.
 *
 * @param hidden widths of the network's hidden layers.
 */
export function createPolicy(
  kind: PolicyKind,
  { servers, hidden }: { readonly servers: number; readonly hidden: readonly number[] },
  rng: Rng,
): Policy {
  if (kind === 'sequential')
    return pairPolicy(new Mlp({ sharedInputs: 0, rowInputs: PAIR_FEATURES, hidden, outputs: 1 }, rng, 0.01), servers);
  const sharedInputs = servers * SERVER_FEATURES + SLOT_FEATURES;
  const shape = { sharedInputs, rowInputs: requestFeatures(servers), hidden, outputs: servers };
  return factorisedPolicy(new Mlp(shape, rng, 0.01), servers);
}
