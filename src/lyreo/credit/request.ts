import { redistributeToGo } from '../redistribution';
import { ASSIGNED_AT, ASSIGNED_FEATURES } from '../rollout';
import { type CreditFactory, predictorRule } from './credit';
import { againstPolicy, headWeights, marginalEffect } from './effect';
import { ownLatencyCredit, requestCredit } from './own';
import { HEADS, LATER, serverCosts, serverSequences, serverTargets } from './server-returns';

/** The largest ratio of a slot's balance credit to its requests' own latency; a long queue must outweigh latency. */
const MOST_BALANCE = 3;

/**
 * The rule of LYREO (request credit): each request is credited with its own latency and, by one predicted return to go
 * per server, with its marginal effect on the requests already there, on those that come later, and on the balance:
 *   Â_i = own_i + q_i(s_i) − Σ_s π(s | i)·q_i(s).
 * Each head of q counts by its weight. The mean of a slot's requests is subtracted: it is noise to a credit that tells
 * them apart, and large enough to hide it. Only where the balance head has a small weight do the
 * slot's requests share the advantage of the immediate terms.
 */
export const request: CreditFactory = predictorRule(
  {
    id: 'request',
    // Near the draws that it decides with, and a predictor that is useful before the policy crowds the fast servers: notebook 23.
    defaults: { independentShare: 0.3, predictorLearningRate: 3e-3 },
    heads: HEADS,
    knee: 0.01,
  },
  (rollout, values, setup, rng) => {
    const { config, predictor, reward } = setup;
    const { returnToGoGamma, fullQuality } = setup.training;
    const { slots: T, servers: S } = rollout;
    const costs = serverCosts(rollout, config);
    const sequences = { count: S, steps: T, inputs: serverSequences(rollout) };
    const before = predictor.sensitivity(sequences, ASSIGNED_AT, ASSIGNED_FEATURES);
    const targets = serverTargets(costs, before.predictions, S, returnToGoGamma);
    const weights = headWeights(rollout, before.gradients, before.predictions, targets);
    const predictorLoss = setup.learn({ sequences, targets }, rng);
    const { predictions, gradients } = predictor.sensitivity(sequences, ASSIGNED_AT, ASSIGNED_FEATURES);
    const [later, earlier, ofBalance] = weights;
    const [latencyEffect, balanceEffect] = [
      [later, earlier, 0],
      [0, 0, reward.usesQueue ? ofBalance : 0],
    ].map((heads) => marginalEffect(rollout, gradients, heads, config.balanceUnit));
    const own = ownLatencyCredit(rollout, config);
    const others = againstPolicy(rollout, latencyEffect, own, 1);
    const balance = againstPolicy(rollout, balanceEffect, own, MOST_BALANCE);
    const sums = own.map((credit, d) => credit + (others[d] + balance[d]));
    const share = 1 - Math.min(1, ofBalance / fullQuality);
    const { shared, ...credit } = requestCredit(rollout, values, setup, sums, share);
    const [redistributed, returnToGo] = [0, 1].map(() => new Float64Array(T));
    for (let s = 0; s < S; s++) {
      const assigned = costs.assigned.subarray(s * T, (s + 1) * T);
      const ofServer = assigned.map((c, t) => c + predictions[(s * T + t) * HEADS + LATER]);
      redistributeToGo(ofServer, assigned, returnToGoGamma).forEach((change, t) => {
        redistributed[t] += change;
        returnToGo[t] += ofServer[t];
      });
    }
    return {
      ...credit,
      quality: (later + earlier + ofBalance) / HEADS,
      headWeights: weights,
      predictorLoss,
      redistributed,
      returnToGo,
      marginalEffect: latencyEffect.map((q, k) => q + balanceEffect[k]),
      parts: { own, others, balance, shared },
    };
  },
);
