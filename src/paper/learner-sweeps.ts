import { type TrainingConfig, trainingStandards } from '../lyreo/training-config';
import type { SystemConfig } from '../system/config';
import type { Profile } from './profiles';
import type { Sweep } from './sweeps';
import type { MethodName } from './methods';

/**
 * The system in which learners are compared: the constants of data/pilot.json, and Y and Z in the unit 0.3. That unit is
 * the largest of 1 (printed), 0.3 and 0.1 at which the greedy's mean Z is stationary: from T = 800 to T = 3,200 slots it
 * goes from 1.10 to 1.40 with unit 1, from 0.134 to 0.137 with 0.3 (U = 40, seed 1). No learner was asked.
 */
export const pilotSystem: Partial<SystemConfig> = { balanceUnit: 0.3 };

/** Credit by a request's completion, by its own latency, and by LYREO's marginal effects; all with virtual queues. */
const credits: readonly MethodName[] = ['ly-ppo', 'ly-ppo-own', 'lyreo'];

/** One ratio per slot and ten epochs without a KL stop, as printed; the critic's rate is a switch of its own. */
const perSlotWithoutStop: Partial<TrainingConfig> = { ratio: 'per slot', targetKl: Infinity };

type Value = Sweep['values'][number];
const byTraining = (x: string, training: Partial<TrainingConfig>): Value => ({ x, system: {}, training });

/** Credit × ratio × KL stop; 'per request' with the stop is our optimiser, 'per slot' without it the printed one. */
const factorial: readonly Value[] = [
  byTraining('per request, KL stop', {}),
  byTraining('per request, no KL stop', { targetKl: Infinity }),
  byTraining('per slot, KL stop', { ratio: 'per slot' }),
  byTraining('per slot, no KL stop', perSlotWithoutStop),
];

/** Return normalisation and the critic's rate as printed, at the printed optimiser. */
const switches: readonly Value[] = [
  byTraining('critic rate as printed', { ...perSlotWithoutStop, criticRate: 1 }),
  byTraining('raw returns', { ...perSlotWithoutStop, returnNorm: false }),
  byTraining('both as printed', { ...perSlotWithoutStop, criticRate: 1, returnNorm: false }),
];

/**
 * Weights of PPO's penalty in printed units; the paper prints neither its form nor its weight. PPO's own criterion is the
 * least latency among the weights whose deviation is at most ε.
 */
const penalties: readonly Value[] = [1, 10, 100, 1000].map((fixedPenalty) =>
  byTraining(`weight ${String(fixedPenalty)}`, { ...perSlotWithoutStop, fixedPenalty }),
);

/** Our optimiser, for a method that has the printed one. */
const { ratio, targetKl, criticRate } = trainingStandards;
const ourOptimiser: Partial<TrainingConfig> = { ratio, targetKl, criticRate };

/** No second discount and a predictor that is trained more; shorter windows beside it. */
const trained: Partial<TrainingConfig> = { discountRedistributed: false, predictorSteps: 100, predictorBatch: 32 };
const shortWindows: Partial<TrainingConfig> = { ...trained, window: 50, windowStride: 10 };

/** Forms of the printed redistribution, fixed before any was run: windows, overlap, second discount, predictor steps. */
const printedForms: readonly Value[] = [
  byTraining('as printed, H = 250', ourOptimiser),
  byTraining('overlapping windows', { ...ourOptimiser, windowStride: 25 }),
  byTraining('no second discount', { ...ourOptimiser, discountRedistributed: false }),
  byTraining('overlap, no second discount, 100 steps of 32', { ...ourOptimiser, ...trained, windowStride: 25 }),
  byTraining('the same, H = 50', { ...ourOptimiser, ...shortWindows }),
  byTraining('the same, H = 50, ratio per slot, no KL stop', { ...perSlotWithoutStop, criticRate, ...shortWindows }),
];

/** The comparisons of learners: what each choice is worth. */
export function learnerSweeps({ seeds, extraSeeds }: Profile): Sweep[] {
  return [
    { figureId: 'factorial', methods: credits, seeds, values: factorial },
    { figureId: 'penalty', methods: ['ppo'], seeds: [1], values: penalties },
    { figureId: 'switches', methods: ['ly-ppo', 'lyreo'], seeds: extraSeeds, values: switches },
    { figureId: 'printed-forms', methods: ['lyreo-printed'], seeds: [1], values: printedForms },
  ];
}
