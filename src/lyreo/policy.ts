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
import type { TrainingConfig } from './training-config';
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

/** Sizes of a policy's networks. */
export interface PolicyOptions {
  readonly servers: number;
  readonly hidden: readonly number[];
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
function factorisedPolicy({ servers: S, hidden }: PolicyOptions, rng: Rng): Policy {
  const sharedInputs = S * SERVER_FEATURES + SLOT_FEATURES;
  const net = new Mlp({ sharedInputs, rowInputs: requestFeatures(S), hidden, outputs: S }, rng, 0.01);
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
        let k = 0;
        for (let s = 0; s < S; s++) {
          rows[k++] = clip(Math.log(view.inputTokens[i] / meanInputTokens));
          rows[k++] = clip(2 * Math.log(view.predictedTokens[i] / meanOutputTokens));
          rows[k++] = clip(latency[s] - meanLatency);
          rows[k++] = clip(latency[s]);
          rows[k++] = clip(delay[s]);
          rows[k++] = clip(balance[s]);
          rows[k++] = clip(cost[s] - least);
          rows[k++] = clip(forecast.share(s));
          rows[k++] = clip(forecast.share(s) - meanShare);
          rows[k++] = clip(forecast.batch[s] / 10);
          rows[k++] = clip(view.queue[s] / balanceUnit);
          rows[k++] = clip(view.waiting[s] / 10);
          rows[k++] = clip(forecast.requests[s] / 20);
          rows[k++] = clip(i / view.count);
          for (let c = 0; c < SERVER_CONSTANTS; c++) rows[k++] = constants[s * SERVER_CONSTANTS + c];
        }
        const scores = net.predict({ groups: 1, rowsPerGroup: S, shared: record.shared, rows });
        const row = record.allLogProbs.subarray(i * S, (i + 1) * S);
        for (let s = 0; s < S; s++) row[s] = scores[s] + record.prior[i * S + s];
        logSoftmax(row, S, row);
        const s = draw === null ? argMax(row, 0, S) : sample(row, 0, S, draw);
        record.actions[i] = s;
        record.logProbs[i] = row[s];
        assignment[i] = s;
        forecast.assign(i, s);
      }
    },
  };
}

function clip(x: number): number {
  return x > 10 ? 10 : x < -10 ? -10 : x;
}

/** Hyperparameters that differ from the defaults where the policy is of a kind: the pair scorer has S times the rows. */
export function policyDefaults(kind: PolicyKind): Partial<TrainingConfig> {
  return kind === 'sequential' ? { hidden: [32, 32, 16] } : {};
}

/** Makes the policy of a kind. */
export function createPolicy(kind: PolicyKind, options: PolicyOptions, rng: Rng): Policy {
  if (kind === 'factorised') return factorisedPolicy(options, rng);
  const { servers, hidden } = options;
  return pairPolicy(new Mlp({ sharedInputs: 0, rowInputs: PAIR_FEATURES, hidden, outputs: 1 }, rng, 0.01), servers);
}
