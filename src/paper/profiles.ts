import type { TrainingConfig } from '../lyreo/training-config';
import type { Preset, SystemConfig } from '../system/config';
import type { ConditionName } from './conditions';

/** A degree of thoroughness of the experiments. */
export type ProfileName = 'paper' | 'quick' | 'smoke' | 'pilot' | 'starts';

export interface Profile {
  readonly name: ProfileName;
  /** The constants of its systems. */
  readonly preset: Preset;
  readonly seeds: readonly number[];
  /** Seeds of the trainings with another window, Fig. 8, and of those with the printed optimiser. */
  readonly windowSeeds: readonly number[];
  /** Seeds of most learning extras, and of the conditions that the paper leaves out. */
  readonly extraSeeds: readonly number[];
  /** Slots of a training episode, one per update. */
  readonly slots: number;
  readonly updates: number;
  /** Held-out episodes that a method is evaluated on, the same for all methods, and their slots. */
  readonly episodes: number;
  readonly evaluationSlots: number;
  /** U of the figures whose U the paper does not print; 40 for the others. See data/readings.json and notebook 18. */
  readonly usersOf: Readonly<Partial<Record<OpenFigure, number>>>;
  /** Points of the sweeps. */
  readonly users: readonly number[];
  readonly servers: readonly number[];
  readonly nu: readonly number[];
  /** H of LYREO as printed, and of LYREO. */
  readonly windowsPrinted: readonly number[];
  readonly windows: readonly number[];
  readonly conditions: readonly ConditionName[];
  /** For all methods that learn. */
  readonly training: Partial<TrainingConfig>;
  /** For all systems. */
  readonly system: Partial<SystemConfig>;
}

/** The figures whose number of users the paper does not print, and our extras to Fig. 2. */
export type OpenFigure = 'fig2' | 'fig3' | 'table2' | 'fig7' | 'fig8' | 'extras';

/** Users and servers where nothing is swept, as in Fig. 5. */
export const DEFAULT_USERS = 40;
export const DEFAULT_SERVERS = 8;

/** Servers are swept from 6 on: 40 users at 5 servers are as many as 64 at 8, more than Fig. 4 has. */
const paper: Profile = {
  name: 'paper',
  preset: 'calibrated',
  seeds: [1, 2, 3, 4, 5],
  windowSeeds: [1, 2, 3, 4, 5],
  extraSeeds: [1, 2, 3],
  slots: 800,
  updates: 40,
  episodes: 3,
  evaluationSlots: 800,
  usersOf: { fig2: 40, fig3: 40, table2: 50, fig7: 50, fig8: 40, extras: 40 },
  users: [20, 30, 40, 50, 60],
  servers: [6, 8, 12],
  nu: [0.05, 0.5, 1, 2],
  windowsPrinted: [50, 250, 300],
  windows: [2, 12, 50],
  conditions: ['heavy-tails', 'azure', 'burstgpt', 'length-error', 'stale-1', 'stale-3', 'tenfold'],
  training: {},
  system: {},
};

const quick: Profile = {
  ...paper,
  name: 'quick',
  seeds: [1, 2],
  windowSeeds: [1],
  extraSeeds: [1],
  slots: 200,
  updates: 8,
  episodes: 1,
  evaluationSlots: 400,
  users: [20, 40, 60],
  nu: [0.05, 0.5, 2],
  windowsPrinted: [50, 200],
  conditions: ['heavy-tails', 'azure', 'length-error', 'stale-1', 'tenfold'],
};

const smoke: Profile = {
  ...quick,
  name: 'smoke',
  slots: 12,
  updates: 2,
  episodes: 2,
  evaluationSlots: 12,
  usersOf: {},
  users: [4, 6, 8],
  servers: [2, 3],
  windowsPrinted: [3, 6],
  windows: [2, 4],
  conditions: ['azure', 'stale-1', 'tenfold'],
  training: { hidden: [8], updateEpochs: 1, minibatches: 1, predictorSteps: 1, predictorBatch: 2 },
  system: { users: 6, servers: 3 },
};

/** Exploration and predictor are the same for all credits, so that each switch is compared alone. */
export const pilotTraining: Partial<TrainingConfig> = {
  startQueue: 0,
  independentShare: 1,
  predictorLearningRate: 1e-3,
};

/**
 * Comparisons of learners. Y and Z are in the largest unit of 1 (printed), 0.3 and 0.1 at which the greedy's mean Z is
 * stationary: from T = 800 to T = 3,200 slots it goes from 1.10 to 1.40 with unit 1, from 0.134 to 0.137 with 0.3 (U =
 * 40, seed 1). No learner was asked.
 */
const pilot: Profile = {
  ...paper,
  name: 'pilot',
  preset: 'pilot',
  episodes: 5,
  usersOf: {},
  training: pilotTraining,
  system: { balanceUnit: 0.3 },
};

/** Where the range of the exploring starts was chosen, on seeds that nothing else is judged by. */
const starts: Profile = { ...paper, name: 'starts', seeds: [6, 7], usersOf: {} };

/** The profiles by name. */
export const profiles: Readonly<Record<ProfileName, Profile>> = { paper, quick, smoke, starts, pilot };

export const profileNames: readonly ProfileName[] = Object.keys(profiles) as ProfileName[];
