import { type TrainingConfig, trainingStandards } from '../lyreo/training-config';
import { type Profile, pilotTraining } from './profiles';
import type { Crossed, Swept } from './sweeps';

/** Hyperparameters that differ from the method's own, by the words of their point. */
type Variants = Readonly<Record<string, Partial<TrainingConfig>>>;

/** One ratio per slot and ten epochs without a KL stop, as printed; the critic's rate is a switch of its own. */
const perSlotWithoutStop: Partial<TrainingConfig> = { ratio: 'per slot', targetKl: Infinity };

/** Credit × ratio × KL stop; 'per request' with the stop is our optimiser, 'per slot' without it the printed one. */
const factorial: Variants = {
  'per request, KL stop': {},
  'per request, no KL stop': { targetKl: Infinity },
  'per slot, KL stop': { ratio: 'per slot' },
  'per slot, no KL stop': perSlotWithoutStop,
};

/** Return normalisation and the critic's rate as printed, at the printed optimiser. */
const switches: Variants = {
  'critic rate as printed': { ...perSlotWithoutStop, criticRate: 1 },
  'raw returns': { ...perSlotWithoutStop, returnNorm: false },
  'both as printed': { ...perSlotWithoutStop, criticRate: 1, returnNorm: false },
};

/** Weights of PPO's penalty in printed units; the paper prints neither its form nor its weight. */
const penalties: Variants = Object.fromEntries(
  [1, 10, 100, 1000].map((fixedPenalty) => [`weight ${fixedPenalty}`, { ...perSlotWithoutStop, fixedPenalty }]),
);

/** Our optimiser, for a method that has the printed one. */
const { ratio, targetKl, criticRate } = trainingStandards;
const ourOptimiser: Partial<TrainingConfig> = { ratio, targetKl, criticRate };

/** No second discount and a predictor that is trained more; shorter windows beside it. */
const trained: Partial<TrainingConfig> = { discountRedistributed: false, predictorSteps: 100, predictorBatch: 32 };
const shortWindows: Partial<TrainingConfig> = { ...trained, window: 50, windowStride: 10 };

/** Forms of the printed redistribution, fixed before any was run: windows, overlap, second discount, predictor steps. */
const printedForms: Variants = {
  'as printed, H = 250': ourOptimiser,
  'overlapping windows': { ...ourOptimiser, windowStride: 25 },
  'no second discount': { ...ourOptimiser, discountRedistributed: false },
  'overlap, no second discount, 100 steps of 32': { ...ourOptimiser, ...trained, windowStride: 25 },
  'the same, H = 50': { ...ourOptimiser, ...shortWindows },
  'the same, H = 50, ratio per slot, no KL stop': { ...perSlotWithoutStop, criticRate, ...shortWindows },
};

/** LYREO without each of the three steps against lapses. */
const withoutSteps: Variants = {
  'without exploring starts': { startQueue: 0 },
  'all slots drawn independently': { independentShare: 1 },
  'predictor at a third of the rate': { predictorLearningRate: 1e-3 },
};

const lapseLoads = [20, 40, 60];

const swept = (variants: Variants): Swept[] => Object.entries(variants).map(([x, training]) => ({ x, training }));

const at = (users: number, variants: Variants): Swept[] =>
  swept(variants).map((value) => ({ ...value, x: `U = ${users}, ${value.x}`, system: { users } }));

const atEachLoad = (variants: Variants): Swept[] => lapseLoads.flatMap((users) => at(users, variants));

/** Lapses in the calibrated system: LYREO without all steps against them and without each, Ly-PPO without its own. */
export function lapsePoints({ seeds }: Profile): Crossed[] {
  const ofLyreo = [...atEachLoad({ 'without all three': pilotTraining }), ...at(40, withoutSteps)];
  return [
    ['lapses', ['lyreo'], ofLyreo, seeds],
    ['lapses', ['ly-ppo'], atEachLoad({ 'without exploring starts': { startQueue: 0 } }), seeds],
  ];
}

/**
 * The choice of the exploring starts, on seeds that nothing else is judged by: the least range of 0, 10, 20 and 30 with
 * which both seeds at U = 20 and 40 keep the bars. After a held-out evaluation within 5 % of the last quarter's mean none
 * is above 1.2 times it, the deviation is at most ε, and the latency at most 1.03 times the greedy's. Ly-PPO and PPO are
 * asked whether the same exploration helps them.
 */
export function startPoints({ seeds }: Profile): Crossed[] {
  const starts = Object.fromEntries([0, 10, 20, 30].map((most) => [`starts up to ${most}`, { startQueue: most }]));
  const ofLyPpo = {
    'starts up to 0': { startQueue: 0 },
    'starts up to 20': { startQueue: 20 },
    'mixed draws': { startQueue: 0, independentShare: 0.3 },
  };
  const ofPpo = { 'independent draws': {}, 'mixed draws': { independentShare: 0.3 } };
  return [
    ['starts', ['lyreo'], atEachLoad(starts), seeds],
    ['starts', ['ly-ppo'], at(40, ofLyPpo), seeds],
    ['starts', ['ppo'], at(40, ofPpo), seeds],
  ];
}

/** The comparisons of learners, choice by choice. */
export function learnerPoints({ seeds, extraSeeds }: Profile): Crossed[] {
  return [
    // Credit by a request's completion, by its own latency, and by LYREO's marginal effects; all with virtual queues.
    ['factorial', ['ly-ppo', 'ly-ppo-own', 'lyreo'], swept(factorial), seeds],
    ['penalty', ['ppo'], swept(penalties), [1]],
    ['switches', ['ly-ppo', 'lyreo'], swept(switches), extraSeeds],
    ['printed-forms', ['lyreo-printed'], swept(printedForms), [1]],
  ];
}
